/* sheet.h: a handout: numbered pictures of one text size on A4, with one title and one legend. */
#ifndef TIDE_SHEET_H
#define TIDE_SHEET_H

#include "view/heatmap.h"

enum { SHEET_FONT = 11 /* pixels of 1/96 inch: 8.25 pt */ };

/* A sheet that is being filled. */
typedef struct Sheet {
    FILE *out;          /* the SVG document */
    HeatmapStyle style; /* of the legend */
    const char *title;  /* not owned */
    int page;           /* of the sheet, from 1 */
    int most;           /* pictures */
    int count;          /* pictures so far */
    int width, height;
    int top;         /* below the title */
    int x, y, shelf; /* place of the next picture, and height of those beside it */
    bool own;        /* the picture on it is larger than A4 */
} Sheet;

/* Begins a sheet; nothing is written yet. */
Sheet sheet_new(FILE *out, const HeatmapStyle *style, const char *title, int page, int most);
/* Draws a picture with this number before its title: right of the last one or below, at the same text size. Returns
   false if the sheet has no room for it. The first picture of a sheet always has: if it is larger than A4, the sheet
   has its size, and no room for others. */
bool sheet_add(Sheet *sheet, const Heatmap *heatmap, int number);
/* Ends the document, which has at least one picture. */
void sheet_end(const Sheet *sheet);

#endif
