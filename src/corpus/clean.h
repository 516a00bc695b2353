/* clean.h: rules that decide which sentence pairs are not used for training. */
#ifndef TIDE_CLEAN_H
#define TIDE_CLEAN_H

#include "core/base.h"

#include <stdbool.h>

/* Why a pair is dropped, in the order of the checks: the first reason that applies counts. */
typedef enum Reason {
    KEPT,
    BROKEN,      /* not valid UTF-8, or contains a NUL */
    NO_TAB,      /* a line of TSV without a tab, a row with too few columns */
    FUZZY,       /* a message of a catalogue whose translation is marked as fuzzy */
    EMPTY,       /* one side or both are empty */
    IDENTICAL,   /* both sides are the same */
    MARKUP,      /* a placeholder that is not kept, a variable, or a character of markup such as < { | */
    NOT_CHINESE, /* no Han character in the Chinese */
    NOT_ENGLISH, /* no Latin letter in the English, or a Han character */
    TOO_LONG,    /* a side has too many words */
    RATIO,       /* a side is much longer than the other */
    DUPLICATE,   /* equal to an earlier pair */
    REASONS
} Reason;

/* A name of one word ("markup") and an explanation for each reason. */
typedef struct ReasonText {
    const char *name, *about;
} ReasonText;
extern const ReasonText reason_texts[REASONS];

typedef struct CleanLimits {
    int most_words;    /* limit for each side: English words, Chinese characters */
    double most_ratio; /* limit: the longer side has at most most_ratio × shorter side + RATIO_GRACE words */
    bool placeholders; /* keep a pair with placeholders (text/placeholder.h), if both sides have the same ones */
} CleanLimits;

enum { RATIO_GRACE = 5 };

/* Checks a normalised pair: KEPT, or a reason from EMPTY to RATIO. */
Reason clean_judge(const char *english, const char *chinese, const CleanLimits *limits);

/* The number of words as CleanLimits counts them: a Han character is a word, and so is a run of letters and digits. */
int count_words(const char *text);

#endif
