/* clean.h: which sentence pairs a translator should not learn from, and why. */
#ifndef TIDE_CLEAN_H
#define TIDE_CLEAN_H

#include "core/base.h"

/* In the order in which they are looked for: a pair is dropped for the first that holds. */
typedef enum Reason {
    KEPT,
    BROKEN,      /* not UTF-8, or a NUL */
    NO_TAB,      /* a line of TSV that is one text */
    EMPTY,       /* nothing on one side or both */
    IDENTICAL,   /* both sides are the same */
    MARKUP,      /* a placeholder, a tag, an entity, a variable or a path */
    NOT_CHINESE, /* no Han character in the Chinese */
    NOT_ENGLISH, /* no Latin letter in the English, or a Han character */
    TOO_LONG,    /* a side has too many words */
    RATIO,       /* a side is much longer than the other */
    DUPLICATE,   /* the same pair was there before */
    REASONS
} Reason;

/* A word each ("markup"), and a few that explain it. */
extern const char *const reason_names[REASONS], *const reason_texts[REASONS];

typedef struct CleanLimits {
    int most_words;    /* on either side: English words, Chinese characters */
    double most_ratio; /* a side may be so many times as long as the other and RATIO_GRACE words longer still */
} CleanLimits;

enum { RATIO_GRACE = 5 };

/* KEPT, or why the normalised pair is dropped: EMPTY to RATIO. */
Reason clean_judge(const char *english, const char *chinese, const CleanLimits *limits);

/* Length as the limits count it: Han characters and other words of letters or digits. */
int count_words(const char *text);

#endif
