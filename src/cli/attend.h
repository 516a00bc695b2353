/* attend.h: types and functions that the source files of `tide attend` share. */
#ifndef TIDE_ATTEND_H
#define TIDE_ATTEND_H

#include "core/ops.h"
#include "text/side.h"
#include "text/vectors.h"
#include "view/heatmap.h"

enum { MOST_HEADS = 16, MOST_WORDS = 100 /* in a table; larger ones are hard to read */ };

/* The embeddings of one side of a model. */
typedef struct Embeddings {
    const Side *side;
    const Var *E; /* NULL: there is no model */
} Embeddings;

/* The vectors and the settings of the attention. */
typedef struct AttendInput {
    Tape *tape;
    const char *name; /* origin of the vectors, for output and errors: a path, "standard input" or "an example" */
    Vectors x;        /* X: the words and their vectors */
    Embeddings model; /* in which --query and --neighbours find words; else they find them in x */
    Vectors W[3];     /* W_Q, W_K, W_V: [x.cols, columns]; cols == 0: not used */
    int columns;      /* columns of random W_Q, W_K and W_V; 0: these are not random */
    int heads;        /* each head uses 1/heads of the columns of W_Q, W_K and W_V */
    bool scale;       /* divide scores by √d_k */
    int seed;         /* of random numbers */
    int most;         /* most lines in a list of words */
    HeatmapStyle picture;
} AttendInput;

/* The attention of queries to the words, for each head. */
typedef struct AttendResult {
    struct Head {
        Var *Q, *K, *V;
        DotAttention to;
    } head[MOST_HEADS];
    Var *context; /* contexts of all heads, concatenated by columns */
} AttendResult;

/* Computes the attention of queries [n, d] to the words x [m, d]. Everything in *found is owned by the tape. Returns 0,
   or -1 with *err filled if a score or a context is not finite. */
int attend_to(const AttendInput *a, Var *queries, Var *x, AttendResult *found, Err *err);

/* The following functions print their results; those that can fail return 0, or -1 with *err filled. */

/* Scores, weights and contexts as tables. heatmap: also draw the weights into this SVG file; NULL: do not. */
int attend_show(const AttendInput *a, const char *heatmap, Err *err);
/* The words with the largest scores for a query [x.cols], and the context. text: [n]: the query as given, for output.
 */
int attend_search(const AttendInput *a, const float *query, const char *const *text, int n, Err *err);
/* The words whose vectors have the largest cosine with `vector` [x.cols], without those that are equal to it. word: its
   name, for output. */
void attend_neighbours(const AttendInput *a, const char *word, const float *vector);
/* An experiment: contexts when the words are in another order, without and with positions. */
int attend_shuffled(const AttendInput *a, Err *err);
/* An experiment: how dividing scores by √d_k changes the weights and their gradients. */
void attend_scaling(Tape *tape, int seed);

#endif
