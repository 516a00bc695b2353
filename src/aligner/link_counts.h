/* link_counts.h: the counts from which the word aligner computes its probabilities, for one direction. Each target unit
   has one link, to a source unit of its sentence or to the null unit. */
#ifndef TIDE_LINK_COUNTS_H
#define TIDE_LINK_COUNTS_H

#include "io/pair_table.h"

enum {
    LONGEST_JUMP = 128,           /* longer jumps count as this one */
    JUMPS = 2 * LONGEST_JUMP + 1, /* jump d has the index d + LONGEST_JUMP */
    FERTILITIES = 13              /* 0, 1, .., 12 and more */
};

typedef struct LinkCounts {
    int n_source;                    /* room: source units have the numbers 0 (the null unit) to n_source - 1 */
    PairTable pairs;                 /* links of a source and a target unit */
    double *total;                   /* [n_source] links of a source unit */
    double jump[JUMPS];              /* jumps from the source position of a link to that of the next link */
    float (*fertility)[FERTILITIES]; /* [n_source] how often a token of the source unit has so many links */
} LinkCounts;

/* All counts are 0. Release with link_counts_free. */
LinkCounts link_counts_new(int n_source);
LinkCounts link_counts_copy(const LinkCounts *counts);
void link_counts_free(LinkCounts *counts);

/* Makes room for at least n_source units; new counts are 0. */
void link_counts_reserve(LinkCounts *counts, int n_source);

/* Adds `count` links of a pair. */
void link_counts_add(LinkCounts *counts, int source, int target, float count);
/* Adds `share` times the other counts. */
void link_counts_add_all(LinkCounts *counts, const LinkCounts *other, float share);

static inline int jump_index(int from, int to) {
    const int jump = to - from;
    return (jump < -LONGEST_JUMP ? -LONGEST_JUMP : jump > LONGEST_JUMP ? LONGEST_JUMP : jump) + LONGEST_JUMP;
}
static inline int fertility_index(int links) { return links < FERTILITIES ? links : FERTILITIES - 1; }

#endif
