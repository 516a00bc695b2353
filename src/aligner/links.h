/* links.h: word alignments as sets of links: reading, printing and symmetrization. */
#ifndef TIDE_LINKS_H
#define TIDE_LINKS_H

#include "core/base.h"
#include "score/aer.h"

#include <stdbool.h>
#include <stdio.h>

/* Appends the links of one line, separated by spaces, to a stb_ds array. `i-j` and `i-j-S` are sure links of source
   word i and target word j; `ipj` and `i-j-P` are possible links. Words are counted from `first`, 0 or 1. Returns 0,
   or -1 with *err filled (with this path and line number) if the line has anything else. */
int links_parse(const char *line, int first, const char *path, long number, Link **links, Err *err);

/* Returns 0 if all links are between `source_words` and `target_words` words, or -1 with *err filled (with this path
   and line number). */
int links_check(const Link *links, int n, int source_words, int target_words, const char *path, long number, Err *err);

/* Writes the Pharaoh format, "0-0 1-2": source-target, from 0, without a newline. */
void links_print(FILE *out, const Link *links, int n);

typedef enum Symmetrization { INTERSECTION, UNION, GROW_DIAG_FINAL_AND, SOFT_LINKS, MEAN_LINKS } Symmetrization;
/* The names of these kinds, in this order, separated by '|': SOFT_LINKS is "soft", MEAN_LINKS is "mean". */
extern const char symmetrization_names[];
/* Whether the kind combines matrices with links_of_matrices, not links. */
bool symmetrization_is_soft(Symmetrization kind);

/* Combines the alignments of the two directions; both have links from source to target. `kind` is one of the first
   three. Returns a stb_ds array in order of target, then source. grow-diag-final-and (Koehn, Och & Marcu 2003, §4.5)
   starts with the intersection. Then it repeatedly adds links of the union that are neighbours of a link in the result,
   also diagonally, if at least one of their two words has no link yet. Last, it adds links of the forward, then of the
   reverse direction, if both words have no link yet. */
Link *links_symmetrize(Symmetrization kind, const Link *forward, int n_forward, const Link *reverse, int n_reverse);

/* The mean of the two directions' weights: the harmonic mean 2ab / (a + b) for SOFT_LINKS, (a + b) / 2 for MEAN_LINKS.
   forward and mean: [n_target, n_source], a row for each target word; reverse: [n_source, n_target], a row for each
   source word. Weights are at least 0. The rows of a mean do not sum to 1. */
void matrices_mean(Symmetrization kind, const float *forward, const float *reverse, int n_target, int n_source,
                   float *mean);
/* Links where this mean is at least `threshold` > 0. Returns a stb_ds array in order of target, then source. */
Link *links_of_matrices(Symmetrization kind, const float *forward, const float *reverse, int n_target, int n_source,
                        double threshold);

#endif
