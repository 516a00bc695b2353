/* search.h: the state of a beam search, private to beam.c and search_constraints.c. */
#ifndef TIDE_SEARCH_H
#define TIDE_SEARCH_H

#include "core/ops.h"
#include "model/beam.h"

/* The last word of a hypothesis; `before` links to the words before it. */
typedef struct Node Node;
struct Node {
    const Node *before;
    int id, length; /* length of the hypothesis up to this word */
    int state;      /* of the prefix; 0 without prefix */
    int sample;     /* number of the sample; 0 in a search */
    ConstraintState constraints;
    double log_probability;
    const real *alpha; /* [source length] */
};

/* A possible next word of the hypothesis in a row. log_probability is that of the whole new hypothesis. */
typedef struct Candidate {
    double log_probability;
    int row, id, sample;
} Candidate;

/* A model of the ensemble, its decoder state for the open hypotheses, and the result of its present step. */
typedef struct Member {
    const Model *model;
    DecoderState *state;
    ColumnSets *words; /* Search.words for this model; NULL: all words */
    Step now;
} Member;

typedef struct Search {
    Tape *tape;
    Member *members; /* [count] */
    int count;
    const BeamOptions *options;
    Arena *out;             /* for finished hypotheses */
    Arena nodes;            /* for nodes and their alpha */
    int n;                  /* sentences, in the order of Source */
    const int *length;      /* [n] source lengths */
    const int *order;       /* [n] the caller's index of each sentence */
    Nbest *found;           /* [n] finished hypotheses */
    const Node **best;      /* [n] the last word of the best finished hypothesis; NULL: none */
    int *settled;           /* [n] settled words that were reported */
    int rows;               /* open hypotheses; those of one sentence are contiguous */
    int *width;             /* [n] hypotheses of each sentence, open and finished ones together */
    int most_rows;          /* the sum of `width` */
    int *owner;             /* [rows] the sentence of each open hypothesis */
    const Node **node;      /* [rows] its last word; NULL before the first step */
    int *previous;          /* [rows] the id of its last word; <s> before the first step */
    const bool *banned;     /* [target vocabulary] */
    const ColumnSet *words; /* [n] the words that may follow in a sentence; NULL: all words */
    int stride;             /* candidates of a row */
    Candidate *candidates;  /* [rows, stride] of the present step */
    real *means;            /* [rows, target vocabulary] mean logits of the present step, for several models */
    real *weights;          /* [rows, target vocabulary] of words, for sampling */
    int *heaps;             /* [rows, target vocabulary] space for sampling */
} Search;

/* The words whose logits a row has: ids NULL: all words. */
ColumnSet search_words(const Search *s, int row);
/* The place of a word among them. */
int search_place(const Search *s, int row, int id);
/* Sets s->words from the options, and words of each member. search_words_free releases what the members have. */
void search_words_init(Search *s);
void search_words_free(Search *s);

/* The constraints of a sentence; NULL: none. */
const Constraints *search_constraints(const Search *s, int sentence);
/* What the hypothesis in a row has met. */
ConstraintState search_met(const Search *s, int row);
/* What it has met after the next word of a candidate; all zero without constraints. */
ConstraintState search_next_met(const Search *s, const Candidate *candidate);
/* Whether the constraints forbid the word `id` after a hypothesis. */
bool search_forbids(const Search *s, const Constraints *constraints, const ConstraintState *state, int id);
/* The length limit of the hypotheses of a sentence. */
int search_limit(const Search *s, int sentence);
/* Adds the words that constraints expect in a row to `count` candidates best[stride]. x: logits. The probability of a
   word is x - log_sum. At the length limit, no other candidates stay. Returns the new count. */
int search_add_expected(const Search *s, int row, Candidate *best, int count, const real *x, double log_sum);
/* Selects `width` of n candidates of a sentence with constraints, in order of probability; see constraints_allocate.
   Returns their number. */
int search_allocate(const Search *s, Candidate *candidates, int n, int width);
/* Sets the width of each sentence and the number of candidates of a row. */
void search_init_widths(Search *s);

#endif
