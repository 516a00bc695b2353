/* alignment_view.h: what `tide translate` and `tide align` share: an alignment as the flags want it. */
#ifndef TIDE_ALIGNMENT_VIEW_H
#define TIDE_ALIGNMENT_VIEW_H

#include "cli/cli.h"
#include "translate/alignment.h"

typedef struct AlignmentView {
    bool words, shift, end;
    double threshold; /* of links; 0: the largest weight */
} AlignmentView;

#define FLAGS_ALIGNMENT_VIEW                                                                                           \
    {"level", 1, "piece|word", "show alignments by piece (default) or by word: rows averaged, columns summed"},        \
        {"shift", 0, NULL, "align a piece by the step that it is given to, not by the one that writes it"},            \
        {"end-of-sentence", 0, NULL, "link </s> too, as a word behind the last; other formats have it anyway"}, {      \
        "threshold", 1, "R", "link all weights of at least R, not each row's largest only"                             \
    }

/* Reads the flags; -1 with *err filled. */
int alignment_view_flags(const Args *args, AlignmentView *view, Err *err);
/* Shifts it and makes words of it, as far as the flags say so. */
void alignment_view_apply(const AlignmentView *view, Alignment *alignment);
/* Its links as the flags want them: a stb_ds array. */
Link *alignment_view_links(const AlignmentView *view, const Alignment *alignment);

#endif
