/* alignment_view.h: the flags of `tide translate` and `tide align` that choose how an alignment is shown. */
#ifndef TIDE_ALIGNMENT_VIEW_H
#define TIDE_ALIGNMENT_VIEW_H

#include "cli/cli.h"
#include "translate/alignment.h"

typedef struct AlignmentView {
    bool words;       /* show words, not pieces */
    bool shift;       /* see alignment_shift */
    bool end;         /* links may contain </s> */
    double threshold; /* link all weights of at least this; 0: only the largest weight of each row */
} AlignmentView;

#define FLAGS_ALIGNMENT_VIEW                                                                                           \
    FLAG_CHOICE("level", "show alignments by piece or by word: rows averaged, columns summed", "piece|word", "piece"), \
        FLAG_SWITCH("shift",                                                                                           \
                    "use the weights of the step that reads a piece as its input, not of the step that writes it"),    \
        FLAG_SWITCH("end-of-sentence", "in links, count </s> as one more word; the other formats always contain it"),  \
        FLAG_REAL("threshold", "link all weights of at least R, not only the largest of each row", 0, 1, NULL)

/* Reads the flags. Returns 0, or -1 with *err filled. */
int alignment_view_flags(const Args *args, AlignmentView *view, Err *err);
/* Shifts the alignment and merges its pieces into words if the flags say so. */
void alignment_view_apply(const AlignmentView *view, Alignment *alignment);

#endif
