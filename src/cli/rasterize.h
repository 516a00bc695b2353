/* rasterize.h: pictures as PNG or PDF, made from SVG by the program rsvg-convert (Debian's package librsvg2-bin). */
#ifndef TIDE_RASTERIZE_H
#define TIDE_RASTERIZE_H

#include "core/base.h"

#include <stdbool.h>

typedef enum RasterFormat { RASTER_NONE /* SVG */, RASTER_PNG, RASTER_PDF } RasterFormat;
/* The format that the end of a path chooses. */
RasterFormat raster_format(const char *path);
/* Checks that rsvg-convert can be run. Returns 0, or -1 with *err filled. */
int raster_check(Err *err);
/* Whether a font has Chinese characters; true if fontconfig's fc-list is missing. */
bool raster_has_chinese(void);

enum { MOST_PAGES = 500 };
/* Writes `path` in its format from n SVG files, 1 to MOST_PAGES: a PDF has a page for each, a PNG is the first. fds:
   open files in memory. Returns 0, or -1 with *err filled. */
int raster_write(const char *path, const int *fds, int n, Err *err);

#endif
