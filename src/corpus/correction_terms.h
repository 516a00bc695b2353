/* correction_terms.h: proposes terms for a glossary: words that were corrected in the same way several times. */
#ifndef TIDE_CORRECTION_TERMS_H
#define TIDE_CORRECTION_TERMS_H

#include "corpus/corrections.h"

enum {
    TERM_LEAST = 3, /* corrections that must have the same change */
    TERM_MOST = 50  /* changes, the most frequent ones, for which a term is looked for */
};

typedef struct TermProposal {
    char *source; /* the text that the sources of these corrections share */
    char *before; /* what the model wrote */
    char *after;  /* what it should have written */
    int count;    /* corrections with this change */
} TermProposal;

/* Compares translation and correction word by word (a longest common subsequence), in a language without spaces
   character by character. A change that at least TERM_LEAST corrections have is proposed if a source text for it is
   found: the longest text of at most 8 words that all their sources have, where more than half of all corrections whose
   source has it also have `after`. It has whole words; in a language without spaces, at least two characters. For
   example, three corrections of "server" from 服务 to 伺服, each time before 器, give server, 服务器, 伺服器.

   corrections: those that count (corrections_current); those in other languages than `langs`, without a translation, or
   with texts that are not valid UTF-8 are passed over. Returns a stb_ds array, the most frequent change first; NULL if
   there are no proposals. All texts are normalised. Release with correction_terms_free. */
TermProposal *correction_terms(const Correction *const *corrections, int n, const char *const langs[2]);
void correction_terms_free(TermProposal *terms);

#endif
