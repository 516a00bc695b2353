#include "cli/alignment_view.h"

int alignment_view_flags(const Args *args, AlignmentView *view, Err *err) {
    int words;
    view->threshold = 0;
    if (args_choice(args, "level", &words, err) || args_real(args, "threshold", &view->threshold, err)) return -1;
    view->words = words;
    view->shift = args_has(args, "shift");
    view->end = args_has(args, "end-of-sentence");
    return 0;
}

void alignment_view_apply(const AlignmentView *view, Alignment *alignment) {
    if (view->shift) alignment_shift(alignment);
    if (view->words) alignment_merge_words(alignment);
}
