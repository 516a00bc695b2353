#include "cli/shown.h"

int shown_flags(const Args *args, Shown *shown, Err *err) {
    int words;
    if (args_choice(args, "level", 0, "piece|word", &words, err) ||
        args_real(args, "threshold", 0, 0, 1, &shown->threshold, err))
        return -1;
    shown->words = words;
    shown->shift = args_has(args, "shift");
    shown->end = args_has(args, "end-of-sentence");
    return 0;
}

void shown_apply(const Shown *shown, Alignment *alignment) {
    if (shown->shift) alignment_shift(alignment);
    if (shown->words) alignment_merge_words(alignment);
}

Link *shown_links(const Shown *shown, const Alignment *alignment) {
    return alignment_links(alignment, shown->threshold, shown->end);
}
