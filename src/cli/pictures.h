/* pictures.h: writes heatmaps to files: numbered SVG files in a directory, PNG files, or the pages of a PDF. */
#ifndef TIDE_PICTURES_H
#define TIDE_PICTURES_H

#include "core/base.h"
#include "view/heatmap.h"

typedef struct Pictures {
    const char *dir; /* or a file: NAME.pdf, a page for each picture; NAME.png, and NAME-2.png ... */
    bool transpose;
    int count;   /* pictures that are written or skipped so far */
    int *pages;  /* stb_ds array: open files in memory with the SVG of the pages */
    bool warned; /* that no font has Chinese characters */
} Pictures;

/* All functions that have `err` return 0, or -1 with *err filled. */

/* Writes one picture. */
int picture_write(const char *path, const Alignment *alignment, bool transpose, Err *err);

/* Makes the directory if it is missing; for a file, checks that it can be made. */
int pictures_open(Pictures *pictures, Err *err);
/* Writes the next picture: DIR/0001.svg, DIR/0002.svg ...; the pages of a PDF are written by pictures_close. */
int pictures_add(Pictures *pictures, const Alignment *alignment, Err *err);
/* Skips a number, for a sentence without an alignment. */
void pictures_skip(Pictures *pictures);
/* Writes the PDF. */
int pictures_close(Pictures *pictures, Err *err);
/* Releases what is not written. */
void pictures_free(Pictures *pictures);

#endif
