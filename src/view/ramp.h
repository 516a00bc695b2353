/* ramp.h: the colours of weights and of their differences: those of page.css. */
#ifndef TIDE_RAMP_H
#define TIDE_RAMP_H

/* The colour of a weight, "#rrggbb": on the line in Oklab from white to --cell at 1, as color-mix in page.css, or to
   --less at -1. */
void ramp_colour(double weight, char hex[8]);
/* The colour of text on it, with a contrast of at least 4.5: white from the weight --strong on, black below. */
const char *ramp_ink(double weight);

#endif
