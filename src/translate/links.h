/* links.h: word alignments as sets of links: reading and symmetrization. */
#ifndef TIDE_LINKS_H
#define TIDE_LINKS_H

#include "core/base.h"
#include "score/aer.h"

/* Appends the links of a line, separated by spaces, to a stb_ds array: `i-j` is a sure link of source word i and target
   word j, `ipj` and `i-j-P` are possible ones, `i-j-S` is sure. `first` is what the file counts from, 0 or 1. Returns
   -1 with *err filled (path and line as given) where there is anything else. */
int links_parse(const char *line, int first, const char *path, long number, Link **links, Err *err);

typedef enum Symmetrization { INTERSECTION, UNION, GROW_DIAG_FINAL_AND } Symmetrization;
/* Their names, separated by '|', in this order. */
extern const char symmetrization_names[];

/* One alignment from those of the two directions, both as links from source to target: a stb_ds array in order of
   target, then source. grow-diag-final-and (Koehn, Och & Marcu 2003, §4.5) begins with the intersection, adds links of
   the union beside links it has, diagonals included, as long as one of the two words has none, and at last links of
   either direction between two words that have none. */
Link *links_symmetrize(Symmetrization kind, const Link *forward, int n_forward, const Link *reverse, int n_reverse);

#endif
