/* pictures.h: writes heatmaps to files, or to numbered files in a directory. */
#ifndef TIDE_PICTURES_H
#define TIDE_PICTURES_H

#include "core/base.h"
#include "view/heatmap.h"

typedef struct Pictures {
    const char *dir;
    bool transpose;
    int count; /* pictures that are written or skipped so far */
} Pictures;

/* All functions that have `err` return 0, or -1 with *err filled. */

/* Writes one picture. */
int picture_write(const char *path, const Alignment *alignment, bool transpose, Err *err);

/* Makes the directory if it is missing. */
int pictures_open(Pictures *pictures, Err *err);
/* Writes the next picture: DIR/0001.svg, DIR/0002.svg ... */
int pictures_add(Pictures *pictures, const Alignment *alignment, Err *err);
/* Skips a number, for a sentence without an alignment. */
void pictures_skip(Pictures *pictures);

#endif
