/* priors.h: what the word aligner has learned, as a text file. */
#ifndef TIDE_PRIORS_H
#define TIDE_PRIORS_H

#include "aligner/link_counts.h"
#include "aligner/units.h"

#include <stdio.h>

/* The units of both languages and the counts of both directions: forward explains target units by source units, reverse
   the other way round. */
typedef struct Priors {
    Units *units[2];      /* SOURCE and TARGET */
    LinkCounts counts[2]; /* forward and reverse; counts[i] belong to source units of side i */
} Priors;

/* Reads a file that priors_write wrote. Release with priors_free. Returns 0, or -1 with *err filled (file and line):
   the file cannot be read, or a line does not have the form. */
int priors_read(Priors *priors, const char *path, Err *err);
void priors_free(Priors *priors);

/* Writes lines of text. `# units KIND KIND` is the first. Then each section starts with a line `# NAME`:
   source merges, target merges: one merge of the tokenizer bpe in a line;
   forward links, reverse links: explaining unit, tab, explained unit, tab, count; the null unit is empty;
   forward jumps, reverse jumps: length, tab, count;
   forward fertilities, reverse fertilities: unit, tab, number of links, tab, count.
   Rows are in the order of their bytes. Counts have at most three decimals, and are at most 2^40; smaller ones are
   left out. Errors are those of the stream. */
void priors_write(const Priors *priors, FILE *out);

#endif
