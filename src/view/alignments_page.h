/* alignments_page.h: the alignments of a run of sentences as one page that stands alone: a person points at a word and
   sees what it was read from. */
#ifndef TIDE_ALIGNMENTS_PAGE_H
#define TIDE_ALIGNMENTS_PAGE_H

#include "translate/alignment.h"

#include <stdbool.h>
#include <stdio.h>

/* What is on the page so far; release with alignments_page_free. */
typedef struct AlignmentsPage {
    FILE *data; /* JSON, in memory at `text` */
    char *text;
    size_t size;
    int sentences, hypotheses; /* those of the last sentence */
} AlignmentsPage;

void alignments_page_init(AlignmentsPage *page);
void alignments_page_free(AlignmentsPage *page);

/* Begins a sentence: the source text, as a list shows it. It may stay without hypotheses. */
void alignments_page_sentence(AlignmentsPage *page, const char *text);
/* Adds a hypothesis to that sentence, the best one first, by piece, perhaps without weights. text: as it was printed.
   The score is NAN where there is none. */
void alignments_page_hypothesis(AlignmentsPage *page, const Alignment *alignment, const char *text, double score);
/* Writes the page, which opens with its alignments by word or by piece. Returns 0, or -1 where it could not be written.
   Nothing can be added afterwards. */
int alignments_page_write(AlignmentsPage *page, FILE *out, const char *title, bool by_word);

#endif
