/* constraints.h: words that a translation must contain, such as the terms of a glossary (Post & Vilar 2018, "Fast
   Lexically Constrained Decoding with Dynamic Beam Allocation for Neural Machine Translation", arXiv 1804.06609). */
#ifndef TIDE_CONSTRAINTS_H
#define TIDE_CONSTRAINTS_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_CONSTRAINTS = 64 };

/* A phrase of the target. A hypothesis meets it by writing its ids one after the other. */
typedef struct Constraint {
    const int *ids; /* [length] */
    int length;     /* 1 at least */
    bool whole;     /* an id of `continues` may not follow the phrase, because it would make its last word longer */
} Constraint;

/* The phrases that each hypothesis of a sentence must meet before it ends. A phrase that must occur twice is listed
   twice. Every hypothesis meets all of them: at the length limit, it may only continue with them. */
typedef struct Constraints {
    const Constraint *list; /* [count] */
    int count;              /* 1 to MOST_CONSTRAINTS */
    const bool *continues;  /* [target vocabulary] */
} Constraints;

/* What a hypothesis has met; all zero at first. */
typedef struct ConstraintState {
    uint64_t met; /* a bit for each phrase */
    int begun;    /* the phrase that its last words begin, from 1; 0: none */
    int at;       /* words of this phrase */
    bool ended;   /* its last word ended a phrase that must be whole */
} ConstraintState;

/* The state after the word `id`. A phrase that is not continued must be begun again, but the words may change from one
   phrase to another with the same first words. */
ConstraintState constraints_next(const Constraints *constraints, ConstraintState state, int id);
/* The number of words of the phrases that are met or begun: the bank of a hypothesis. constraints_words_total: the
   number of all words. */
int constraints_words(const Constraints *constraints, const ConstraintState *state);
int constraints_words_total(const Constraints *constraints);
bool constraints_met(const Constraints *constraints, const ConstraintState *state);
/* The words that continue the begun phrase, or begin one that is not met: sets ids [MOST_CONSTRAINTS], each once, and
   returns their number, which is 0 only if all phrases are met. With `continue_only`, a begun phrase is only continued.
 */
int constraints_expected(const Constraints *constraints, const ConstraintState *state, bool continue_only, int *ids);

/* Dynamic beam allocation: selects `width` of n candidates, which are in order of probability. The banks take turns,
   from the one with the most words down; each takes its most probable candidate. So hypotheses that have met few words
   are compared only with each other, and a bank with too few candidates leaves its places to the others. Sets
   chosen[i] and returns the number of chosen ones: the smaller of n and width. bank: [n], each from 0 to `most`. */
int constraints_allocate(const int *bank, int n, int most, int width, bool *chosen);

#endif
