/* search.h: the state of a beam search, private to beam.c and search_*.c. */
#ifndef TIDE_SEARCH_H
#define TIDE_SEARCH_H

#include "core/ops.h"
#include "model/beam.h"

/* The last word of a hypothesis; `before` links to the words before it. The first node of a sentence is <s>, which has
   the length 0. A node is freed when the last hypothesis that contains it is dropped. */
typedef struct Node Node;
struct Node {
    Node *before;   /* NULL: this is <s> */
    int users;      /* the nodes after this one, and 1 if an open or finished hypothesis ends here */
    int id, length; /* length of the hypothesis up to this word */
    int state;      /* of the prefix; 0 without prefix */
    int sample;     /* number of the sample; 0 in a search */
    int place;      /* among the candidates of its step: see BeamTrace */
    ConstraintState constraints;
    double log_probability;
    double score; /* of a finished hypothesis that ends here */
    real alpha[]; /* [source length] alignment; [0] if Search.alpha_models is 0 */
};

/* A possible next word of the hypothesis in a row. log_probability is that of the whole new hypothesis. */
typedef struct Candidate {
    double log_probability;
    int row, id, sample;
} Candidate;

/* The search of one sentence. */
typedef struct Sentence {
    int number;                     /* for the caller */
    int length;                     /* of the source */
    const Prefix *prefix;           /* NULL: free */
    const Constraints *constraints; /* NULL: none */
    int width;                      /* hypotheses, open and finished ones together */
    Node **finished;                /* [count] the last words of the finished ones, best first */
    int count;
    int settled; /* settled words that were reported */
    bool failed; /* a sum of probabilities was not finite: the search of the sentence has ended */
} Sentence;

/* A model of the ensemble, its decoder state for the open hypotheses, and the result of its present step. */
typedef struct Member {
    const Model *model;
    DecoderState *state;
    ColumnSets *words; /* [n] the words that may follow in each sentence, the same for each model; NULL: all words */
    Step now;
    const Var *logits; /* of the present step, if Search.best is NULL */
} Member;

typedef struct Search {
    Tape *tape;
    Member *members; /* [count] */
    int count;
    const BeamOptions *options;
    Sentence *sentences;   /* [n], in the order of Source */
    int n;                 /* sentences */
    int alpha_models;      /* models whose alignments the alpha of a node averages; 0: nodes have no alpha */
    int rows;              /* open hypotheses; those of one sentence are contiguous */
    int most_rows;         /* the sum of the widths */
    int *owner;            /* [rows] the sentence of each open hypothesis */
    Node **node;           /* [rows] its last word */
    const bool *banned;    /* [target vocabulary] */
    int stride;            /* candidates of a row */
    Candidate *candidates; /* [rows, stride] of the present step */
    /* The output layer of the present step has part_count parts of PART_COLS words, the same for each row. */
    int part_count;
    real *part_max, *part_sum; /* [rows, part_count] max x and Σ exp(x - max x) of the logits x of a part */
    Candidate *best;           /* [rows, part_count, beam] its best words, with logits; NULL: the logits are kept */
    int *best_count;           /* [rows, part_count] */
    _Atomic real *least;       /* [rows] no word below it is among the best */
    real *means;               /* [rows, target vocabulary] mean logits of the present step, for several models */
    real *weights;             /* [rows, target vocabulary] of words, for sampling */
    int *heaps;                /* [rows, target vocabulary] space for sampling */
} Search;

/* The logits x of the next words of a row: of `count` words of search_words from word `first` on; averaged over the
   models. */
typedef struct NextWords {
    const real *x;
    int first, count;
    double log_sum; /* x - log_sum: the log-probability of a word */
    double so_far;  /* the log-probability of the hypothesis before it */
} NextWords;

/* The candidate that continues a row with the word `id`. */
Candidate search_candidate(const Search *s, const NextWords *next, int row, int id);

/* The words whose logits a row has: ids NULL: all words. */
ColumnSet search_words(const Search *s, int row);
/* The place of a word among them. */
int search_place(const Search *s, int row, int id);
/* Sets the words of each member from the options. search_words_free releases them. */
void search_words_init(Search *s);
void search_words_free(Search *s);

/* The arcs with which the hypothesis in a row may continue, and their number; NULL and 0 if it is free. */
const PrefixArc *search_arcs(const Search *s, int row, int *count);
/* The state of the prefix after the word `id` in a row. */
int search_next_state(const Search *s, int row, int id);
void search_prefix_check(const Prefix *prefix, int words);

/* Draws the next words of a row: one, or at the first step one for each sample. Returns their number. */
int search_draw(const Search *s, int row, const NextWords *next, Candidate *drawn);

/* What a hypothesis has met after the next word of a candidate; all zero without constraints. */
ConstraintState search_next_met(const Search *s, const Candidate *candidate);
/* Whether the constraints forbid the word `id` after a hypothesis. */
bool search_forbids(const Search *s, const Constraints *constraints, const ConstraintState *state, int id);
/* The length limit of the hypotheses of a sentence. */
int search_limit(const Search *s, int sentence);
/* Adds the words that constraints expect in a row to `count` candidates best[stride]. At the length limit, no other
   candidates stay. Returns the new count. */
int search_add_expected(const Search *s, int row, const NextWords *next, Candidate *best, int count);
/* Selects `width` of n candidates of a sentence with constraints, in order of probability; see constraints_allocate.
   Returns their number. */
int search_allocate(const Search *s, Candidate *candidates, int n, int width);
void search_constraints_check(const Constraints *constraints, int words);

#endif
