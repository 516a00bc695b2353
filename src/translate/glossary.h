/* glossary.h: translations of terms that a search must use. */
#ifndef TIDE_GLOSSARY_H
#define TIDE_GLOSSARY_H

#include "model/constraints.h"
#include "text/lexicon.h"
#include "text/side.h"

/* Source texts with the translation of each. Immutable: sessions may share it. */
typedef struct Glossary {
    Lexicon *terms;
    const struct Glossary *base; /* further terms for the same target; `terms` has precedence for equal source texts;
                                    set and owned by the caller; NULL: none */
    const Side *target;
    bool *continues;     /* [target vocabulary] see Constraints */
    int unwritable;      /* terms whose translation the vocabulary cannot write: they have no effect */
    const char *example; /* the first of these translations; owned by `terms` */
} Glossary;

/* Makes a glossary of a lexicon, which it takes over. terms NULL: it could not be read, and the result is -1; else 0.
   `target` is the model's target language and must live longer. Release with glossary_free in both cases. */
int glossary_init(Glossary *glossary, Lexicon *terms, const Side *target);
void glossary_free(Glossary *glossary);

/* The constraints of a normalised sentence, one for each place where a term occurs: NULL if there is none. Of terms
   that overlap, the first one counts, and of those that begin at the same place the longest. A term does not begin or
   end within a run of letters or of digits; upper and lower case differ. After MOST_CONSTRAINTS terms, others have no
   effect. */
Constraints *glossary_constraints(const Glossary *glossary, const char *sentence);
/* NULL: does nothing. */
void constraints_free(Constraints *constraints);

/* The constraints of several sentences. */
typedef struct SentenceTerms {
    const Constraints **list; /* [n] for BeamOptions; NULL: none */
    int n;
} SentenceTerms;
SentenceTerms glossary_terms(const Glossary *glossary, char *const *sentences, int n);
void sentence_terms_free(SentenceTerms *terms);

#endif
