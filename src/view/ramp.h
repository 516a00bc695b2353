/* ramp.h: the colours of weights and of their differences: those of page.css. */
#ifndef TIDE_RAMP_H
#define TIDE_RAMP_H

/* The colour of a weight from -1 to 1, "#rrggbb": white at 0, --cell at 1, --less at -1, and between them on straight
   lines in Oklab, as color-mix in page.css. */
void ramp_colour(double weight, char hex[8]);
/* The colour of text on it: white if the absolute weight is at least --strong, else black. So the contrast is at least
   4.5. */
const char *ramp_ink(double weight);

#endif
