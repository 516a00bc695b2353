/* pictures.h: heatmaps as files, and as numbered files of a directory. */
#ifndef TIDE_PICTURES_H
#define TIDE_PICTURES_H

#include "core/base.h"
#include "view/heatmap.h"

typedef struct Pictures {
    const char *dir;
    bool transpose;
    int count; /* written or skipped so far */
} Pictures;

/* Writes one. */
int picture_write(const char *path, const Alignment *alignment, bool transpose, Err *err);

/* Makes the directory if it is missing. */
int pictures_open(Pictures *pictures, Err *err);
/* Writes the next DIR/0001.svg. */
int pictures_add(Pictures *pictures, const Alignment *alignment, Err *err);
/* Leaves a number out: for a sentence without an alignment. */
void pictures_skip(Pictures *pictures);

#endif
