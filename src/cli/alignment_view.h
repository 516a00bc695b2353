/* shown.h: what `tide translate` and `tide align` share: an alignment as the flags want it. */
#ifndef TIDE_SHOWN_H
#define TIDE_SHOWN_H

#include "cli/cli.h"
#include "translate/alignment.h"

typedef struct Shown {
    bool words, shift, end;
    double threshold; /* of links; 0: the largest weight */
} Shown;

#define FLAGS_SHOWN                                                                                                    \
    {"level", 1, "piece|word", "show alignments by piece (default) or by word: rows averaged, columns summed"},        \
        {"shift", 0, NULL, "align a piece by the step that it is given to, not by the one that writes it"},            \
        {"end-of-sentence", 0, NULL, "link </s> too, as a word behind the last; other formats have it anyway"}, {      \
        "threshold", 1, "R", "link all weights of at least R, not each row's largest only"                             \
    }

/* Reads the flags; -1 with *err filled. */
int shown_flags(const Args *args, Shown *shown, Err *err);
/* Shifts it and makes words of it, as far as the flags say so. */
void shown_apply(const Shown *shown, Alignment *alignment);
/* Its links as the flags want them: a stb_ds array. */
Link *shown_links(const Shown *shown, const Alignment *alignment);

#endif
