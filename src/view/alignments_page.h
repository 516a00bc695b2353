/* alignments_page.h: one stand-alone HTML page with the alignments of many sentences. When the reader points at a word,
   the page shows the attention weights of that word. */
#ifndef TIDE_ALIGNMENTS_PAGE_H
#define TIDE_ALIGNMENTS_PAGE_H

#include "io/files.h"
#include "translate/alignment.h"

#include <stdbool.h>
#include <stdio.h>

/* Links of words that the page marks in a matrix, with the name that its legend has: "gold", "aligner" or "attention".
   aer: their error rate by the links "gold"; NAN: none. */
typedef struct PageLinks {
    const char *name;
    const Link *links;
    int n;
    double aer;
} PageLinks;

/* A page that is being filled; release with alignments_page_free. It must not move. */
typedef struct AlignmentsPage {
    MemoryFile data; /* JSON; without a stream after alignments_page_write */
    int sentences;   /* added so far */
    int hypotheses;  /* added so far to the last sentence; the last one is not closed yet */
} AlignmentsPage;

void alignments_page_init(AlignmentsPage *page);
void alignments_page_free(AlignmentsPage *page);

/* Adds a sentence. text: the source, which the page shows in its list of sentences. A sentence may have no hypotheses.
 */
void alignments_page_sentence(AlignmentsPage *page, const char *text);
/* Adds a hypothesis to the last sentence. Add the best hypothesis first.
   alignment: by piece, not by word; alignment->weight may be NULL. text: the hypothesis as the command printed it.
   score: NAN if there is no score. */
void alignments_page_hypothesis(AlignmentsPage *page, const Alignment *alignment, const char *text, double score);
/* Adds a sentence with one hypothesis: both texts are those of the alignment's pieces. There is no score. */
void alignments_page_pair(AlignmentsPage *page, const Alignment *alignment);
/* Adds links to the last hypothesis, which has an alignment: `count` sets with different names. */
void alignments_page_links(AlignmentsPage *page, const PageLinks *sets, int count);
/* Writes the page. Its title is `made` and `name`. made: "Alignments of ", "Translations by " or "", which the page can
   say in Chinese, too. by_word: at first the page shows words, not pieces; the reader can switch. Nothing can be added
   to the page afterwards. Returns 0, or -1 if writing failed. */
int alignments_page_write(AlignmentsPage *page, FILE *out, const char *made, const char *name, bool by_word);

#endif
