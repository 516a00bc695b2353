/* links.h: word alignments as sets of links: reading, printing and symmetrization. */
#ifndef TIDE_LINKS_H
#define TIDE_LINKS_H

#include "core/base.h"
#include "score/aer.h"

#include <stdio.h>

/* Appends the links of one line, separated by spaces, to a stb_ds array. `i-j` and `i-j-S` are sure links of source
   word i and target word j; `ipj` and `i-j-P` are possible links. Words are counted from `first`, 0 or 1. Returns 0,
   or -1 with *err filled (with this path and line number) if the line has anything else. */
int links_parse(const char *line, int first, const char *path, long number, Link **links, Err *err);

/* Writes the Pharaoh format, "0-0 1-2": source-target, from 0, without a newline. */
void links_print(FILE *out, const Link *links, int n);

typedef enum Symmetrization { INTERSECTION, UNION, GROW_DIAG_FINAL_AND } Symmetrization;
/* The names of these kinds, in this order, separated by '|'. */
extern const char symmetrization_names[];

/* Combines the alignments of the two directions; both have links from source to target. Returns a stb_ds array in
   order of target, then source. grow-diag-final-and (Koehn, Och & Marcu 2003, §4.5) starts with the intersection. Then
   it repeatedly adds links of the union that are neighbours of a link in the result, also diagonally, if at least one
   of their two words has no link yet. Last, it adds links of the forward, then of the reverse direction, if both words
   have no link yet. */
Link *links_symmetrize(Symmetrization kind, const Link *forward, int n_forward, const Link *reverse, int n_reverse);

#endif
