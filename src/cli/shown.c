#include "cli/shown.h"

#include <string.h>

int shown_flags(const Args *args, Shown *shown, Err *err) {
    const char *level;
    if (args_choice(args, "level", "piece", "piece|word", &level, err) ||
        args_real(args, "threshold", 0, 0, 1, &shown->threshold, err))
        return -1;
    shown->words = !strcmp(level, "word");
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
