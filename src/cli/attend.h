/* attend.h: what the parts of `tide attend` share. */
#ifndef TIDE_ATTEND_H
#define TIDE_ATTEND_H

#include "core/ops.h"
#include "text/vectors.h"

enum { MOST_HEADS = 16, MOST_WORDS = 100 /* of a table that anybody reads */ };

/* What attends to what, and how. */
typedef struct AttendInput {
    const char *name;  /* of where the vectors are from, as errors name it */
    Vectors x;         /* of the words */
    Vectors W[3];      /* W_Q, W_K, W_V; without columns: there are none */
    int columns;       /* of those, if they are random; else 0 */
    int heads;         /* each has its share of the columns of W_Q, W_K and W_V */
    bool scale;        /* scores are divided by √d_k */
    int seed, most;    /* of what is drawn; lines of a list */
    const char *query; /* what the search is for, or NULL */
} AttendInput;

/* Queries attending to the words, head by head. */
typedef struct AttendResult {
    struct Head {
        Var *Q, *K, *V;
        DotAttention to;
    } head[MOST_HEADS];
    Var *context; /* of all heads, side by side */
} AttendResult;

/* A matrix of the tape's with these numbers. */
Var *attend_matrix(Tape *tape, const float *numbers, int rows, int cols);
/* -1 with *err filled where something is not finite. */
int attend_to(Tape *tape, const AttendInput *a, Var *queries, Var *x, AttendResult *found, Err *err);

/* What is printed; -1 with *err filled where there is nothing that could be. */
int attend_show(Tape *tape, const AttendInput *a, const char *heatmap, Err *err);
int attend_search(Tape *tape, const AttendInput *a, const float *query, Err *err);
void attend_neighbours(const AttendInput *a, const char *word, const float *vector);
int attend_shuffled(Tape *tape, const AttendInput *a, Err *err);
void attend_scaling(Tape *tape, int seed);

#endif
