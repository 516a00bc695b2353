/* pictures.h: writes heatmaps to files: numbered SVG files in a directory, PNG files, or the pages of a PDF. */
#ifndef TIDE_PICTURES_H
#define TIDE_PICTURES_H

#include "cli/args.h"
#include "view/heatmap.h"

#define FLAG_PER_PAGE FLAG_INT("per-page", "pictures on each page of FILE.pdf or FILE.png", 1, 12, "1")

typedef struct Pictures {
    const char *dir; /* or a file: NAME.pdf, pages; NAME.png, the first page, and NAME-2.png ... */
    bool transpose;
    int per_page; /* pictures on a page of a file; 1: the page has the size of the picture, else A4 */
    int count;    /* pictures or PNG files so far; a caller that has no alignment adds one, and so skips a number */
    int *pages;   /* stb_ds array: open files in memory with the SVG of the pages of a PDF */
    struct Sheet {
        FILE *stream; /* NULL: no page has been begun */
        int fd;       /* its file in memory */
        int pictures; /* that it has */
    } sheet;
    bool warned; /* that no font has Chinese characters */
} Pictures;

/* All functions that have `err` return 0, or -1 with *err filled. */

/* Writes one picture. */
int picture_write(const char *path, const Alignment *alignment, bool transpose, Err *err);

/* Reads --per-page, which needs a file. */
int pictures_flags(const Args *args, Pictures *pictures, Err *err);
/* Makes the directory if it is missing; for a file, checks that it can be made. */
int pictures_open(Pictures *pictures, Err *err);
/* Writes the next picture: DIR/0001.svg, DIR/0002.svg ...; the pages of a PDF are written by pictures_close. */
int pictures_add(Pictures *pictures, const Alignment *alignment, Err *err);
/* Writes the PDF, or the last PNG. */
int pictures_close(Pictures *pictures, Err *err);
/* Releases what is not written. */
void pictures_free(Pictures *pictures);

#endif
