/* pictures.h: writes heatmaps to files: numbered SVG files in a directory, PNG files, or the pages of a PDF. */
#ifndef TIDE_PICTURES_H
#define TIDE_PICTURES_H

#include "cli/args.h"
#include "io/output.h"
#include "translate/translator.h"
#include "view/sheet.h"

#define FLAG_PICTURE_LANGUAGE                                                                                          \
    FLAG_CHOICE("picture-language", "language of legends and captions in pictures", HEATMAP_LANGUAGES, "en")
#define FLAGS_PICTURES                                                                                                 \
    FLAG_INT("per-page", "pictures on each sheet of a handout, at most: A4, one text size, one legend", 1, 12, "1"),   \
        {"title", 1, "TEXT", "title of the sheets of --per-page (default: the model's)", .kind = VALUE_TEXT},          \
        FLAG_SWITCH("blank", "draw pictures without colours and numbers, to be filled in"),                            \
        FLAG_SWITCH("row-scale", "colours in pictures: the share of the largest weight of the row"),                   \
        FLAG_PICTURE_LANGUAGE, FLAG_SWITCH("transpose", "draw heatmaps with the target at the top")

typedef struct Pictures {
    const char *dir; /* or a file: NAME.pdf, pages; NAME.png, the first page, and NAME-2.png ... */
    HeatmapStyle style;
    int per_page;      /* 1: a file or a page for each picture, of its size; more: sheets of a handout */
    const char *title; /* of sheets */
    int count;         /* files so far; a caller that has no alignment calls pictures_skip */
    int numbered;      /* pictures on sheets so far */
    int *pages;        /* stb_ds array: open files in memory with the SVG of the pages of a PDF */
    Sheet sheet;       /* its stream is page's */
    struct Page {
        FILE *stream;    /* NULL: no page has been begun */
        int fd;          /* its file in memory, for PNG and PDF */
        OutputFile file; /* for SVG */
    } page;
    bool warned; /* that no font has Chinese characters */
} Pictures;

/* All functions that have `err` return 0, or -1 with *err filled. */

/* Writes one picture as SVG. */
int picture_write(const char *path, const Heatmap *heatmap, Err *err);

/* Reads FLAGS_PICTURES. `dir`: the value of the flag that asks for pictures, or NULL. */
int pictures_flags(const Args *args, const char *dir, Pictures *pictures, Err *err);
/* Makes the directory if it is missing; for a file, checks that it can be made. Sheets without a title get that of the
   model, or its path if it has none. */
int pictures_open(Pictures *pictures, const Translator *model, const char *path, Err *err);
/* Writes the next picture: DIR/0001.svg, DIR/0002.svg ...; the pages of a PDF are written by pictures_close. The style
   is that of `pictures`. */
int pictures_add(Pictures *pictures, Heatmap heatmap, Err *err);
/* Leaves out the number of a file, for a sentence without alignment. */
void pictures_skip(Pictures *pictures);
/* Writes the PDF, or the last sheet. */
int pictures_close(Pictures *pictures, Err *err);
/* Releases what is not written. */
void pictures_free(Pictures *pictures);

#endif
