/* tide attend: computes attention; prints scores, weights and contexts as tables, and the lists of --query and
   --neighbours. */
#include "cli/attend.h"
#include "cli/messages.h"
#include "cli/pictures.h"
#include "view/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- attention -------------------------------------------------------------------------------------------------- */

/* Returns x W for the columns of one head in W; `which`: 0, 1, 2 for W_Q, W_K, W_V. Without W, returns x. */
static Var *project(const AttendInput *a, int which, int head, Var *x) {
    const Vectors *W = &a->W[which];
    if (!W->cols) return x;
    const int cols = W->cols / a->heads;
    Var *own = var_new(a->tape, W->rows, cols);
    for (int i = 0; i < W->rows; i++)
        memcpy(own->v + (size_t)i * (size_t)cols, W->numbers + (size_t)i * (size_t)W->cols + (size_t)(head * cols),
               (size_t)cols * sizeof(float));
    return linear(a->tape, x, own, NULL);
}

static bool is_finite(const Var *var) {
    for (int i = 0; i < var->rows * var->cols; i++)
        if (!isfinite(var->v[i])) return false;
    return true;
}

int attend_to(const AttendInput *a, Var *queries, Var *x, AttendResult *found, Err *err) {
    Tape *tape = a->tape;
    const Spans one = spans_one(tape, queries->rows, x->rows);
    CHECK(a->heads > 0 && a->heads <= MOST_HEADS, "attend_to: %d heads", a->heads);
    for (int h = 0; h < a->heads; h++) {
        struct Head *head = &found->head[h];
        head->Q = project(a, 0, h, queries);
        head->K = project(a, 1, h, x);
        head->V = project(a, 2, h, x);
        head->to = dot_attention(tape, head->Q, head->K, head->V, a->scale ? 1 / sqrt(head->K->cols) : 1, &one);
        found->context = h ? hcat(tape, found->context, head->to.c) : head->to.c;
        if (!is_finite(head->to.e) || !is_finite(head->to.c))
            return err_set(err, a->name, 0, "numbers so large that scores or contexts are not finite");
    }
    return 0;
}

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static void print_vectors(const AttendInput *a, const Var *v) {
    table_print(results(), &(Table){.n_rows = v->rows, .n_columns = v->cols, .rows = a->x.words, .number = v->v});
}

static void print_square(const AttendInput *a, const float *numbers, bool shaded) {
    table_print(results(), &(Table){a->x.rows, a->x.rows, a->x.words, a->x.words, numbers, shaded});
}

/* Divides each score by the sum of its row. A row with a negative score, or with only zeros, becomes NaN. Returns the
   number of rows that are not NaN. */
static int normalise_by_sum(const Var *e, float *weights) {
    int rows = 0;
    for (int i = 0; i < e->rows; i++) {
        const float *row = e->v + (size_t)i * (size_t)e->cols;
        double sum = 0;
        bool fit = true;
        for (int j = 0; j < e->cols; j++) sum += row[j], fit = fit && row[j] >= 0;
        fit = fit && sum > 0;
        rows += fit;
        for (int j = 0; j < e->cols; j++) *weights++ = fit ? (float)(row[j] / sum) : NAN;
    }
    return rows;
}

static void print_by_sum(const AttendInput *a, const Var *e) {
    float *weights = mem_alloc((size_t)(e->rows * e->cols) * sizeof *weights);
    if (normalise_by_sum(e, weights)) {
        puts("\nFor comparison, each score divided by the sum of its row: only for rows without negative scores");
        print_square(a, weights, false);
    } else {
        puts("\nScores divided by the sum of their row would not be weights here: each row has a negative score.");
    }
    mem_free(weights);
}

static void print_head(const AttendInput *a, const struct Head *head) {
    const bool projected = a->W[0].cols;
    const char *product = projected ? "Q Kᵀ" : "X Xᵀ";
    if (projected) {
        puts("\nQueries Q = X W_Q");
        print_vectors(a, head->Q);
        puts("\nKeys K = X W_K");
        print_vectors(a, head->K);
        puts("\nValues V = X W_V");
        print_vectors(a, head->V);
    }
    printf("\nScores %s", product);
    if (a->scale) printf(" / √%d", head->K->cols);
    puts(", the dot product of each word on the left with each word at the top: large if their vectors are similar");
    print_square(a, head->to.e->v, false);
    puts("\nWeights, the softmax of the scores: exp(score) divided by the sum of its row. A row adds up to 1. The\n"
         "darker a cell, the larger the share of the word at the top in the context of the word on the left");
    print_square(a, head->to.alpha->v, true);
    print_by_sum(a, head->to.e);
}

/* Draws the mean of the weights of all heads. */
static int draw(const AttendInput *a, const AttendResult *found, const char *path, Err *err) {
    const int n = a->x.rows * a->x.rows;
    float *mean = mem_zalloc((size_t)n * sizeof *mean);
    for (int h = 0; h < a->heads; h++)
        for (int i = 0; i < n; i++) mean[i] += found->head[h].to.alpha->v[i] / (float)a->heads;
    const Alignment self = {a->x.words, a->x.rows, a->x.words, a->x.rows, mean};
    int status = picture_write(path, &(Heatmap){.style = a->picture, .alignments = &self, .count = 1}, err);
    mem_free(mean);
    return status;
}

int attend_show(const AttendInput *a, const char *heatmap, Err *err) {
    if (a->x.rows > MOST_WORDS)
        return err_set(err, a->name, 0,
                       "%d words, but a table has at most %d; --query and --neighbours allow any number", a->x.rows,
                       MOST_WORDS);
    Var *x = var_constant(a->tape, a->x.rows, a->x.cols, a->x.numbers);
    AttendResult found;
    if (attend_to(a, x, x, &found, err) || (heatmap && draw(a, &found, heatmap, err))) return -1;
    printf("Words X, a vector of %d numbers each (%s)\n", a->x.cols, a->name);
    print_vectors(a, x);
    for (int h = 0; h < a->heads; h++) {
        if (a->heads > 1) printf("\n---- head %d of %d ----\n", h + 1, a->heads);
        print_head(a, &found.head[h]);
    }
    printf("\nContext, weights times %s: the new vector of each word, the mean of all vectors weighted by its row%s\n",
           a->W[0].cols ? "V" : "X", a->heads > 1 ? ";\nthe contexts of all heads are concatenated" : "");
    print_vectors(a, found.context);
    return 0;
}

/* ---- lists ------------------------------------------------------------------------------------------------------ */

typedef struct Place {
    int index;
    float score;
} Place;

static int best_first(const void *left, const void *right) {
    const Place *a = left, *b = right;
    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    return a->index - b->index;
}

/* Returns the words sorted by descending score; owned by the caller. */
static Place *rank(const float *scores, int n) {
    Place *places = mem_alloc((size_t)n * sizeof *places);
    for (int i = 0; i < n; i++) places[i] = (Place){i, scores[i]};
    qsort(places, (size_t)n, sizeof *places, best_first);
    return places;
}

static int list_length(const AttendInput *a) { return a->x.rows < a->most ? a->x.rows : a->most; }

static void print_found(const AttendInput *a, const struct Head *head) {
    Place *places = rank(head->to.e->v, a->x.rows); /* NOLINT(clang-analyzer-core.NullDereference): attend_to set it */
    printf("\n%10s  %8s\n", "score", "weight");
    for (int i = 0; i < list_length(a); i++)
        fprintf(results(), "%10.4f  %8.4f  %s\n", head->to.e->v[places[i].index], head->to.alpha->v[places[i].index],
                a->x.words[places[i].index]);
    mem_free(places);
}

int attend_search(const AttendInput *a, const float *query, const char *const *text, int n, Err *err) {
    static char *answer[] = {"answer"};
    Var *x = var_constant(a->tape, a->x.rows, a->x.cols, a->x.numbers);
    AttendResult found = {0};
    if (attend_to(a, var_constant(a->tape, 1, a->x.cols, query), x, &found, err)) return -1;
    fputs("A search for ", stdout);
    for (int i = 0; i < n; i++) printf("%s ", text[i]);
    printf("among %d keys (%s): the score is the dot product of query and key%s,\n"
           "and the weight is the softmax of the scores over all keys: the result is a weight for every key.\n",
           a->x.rows, a->name, a->scale ? " / √d_k" : "");
    for (int h = 0; h < a->heads; h++) {
        if (a->heads > 1) printf("\n---- head %d of %d ----\n", h + 1, a->heads);
        print_found(a, &found.head[h]);
    }
    puts("\nThe answer is the mean of all values, weighted by these weights.");
    table_print(results(), &(Table){1, found.context->cols, answer, NULL, found.context->v, false});
    return 0;
}

/* The cosine of the angle between two vectors; 0 if one of them is zero. */
static double cosine(const float *u, const float *v, int n) {
    double uv = 0, uu = 0, vv = 0;
    for (int i = 0; i < n; i++) {
        uv += (double)u[i] * v[i];
        uu += (double)u[i] * u[i];
        vv += (double)v[i] * v[i];
    }
    return uu > 0 && vv > 0 ? fmax(-1, uv / sqrt(uu) / sqrt(vv)) : 0;
}

void attend_neighbours(const AttendInput *a, const char *word, const float *vector) {
    const size_t bytes = (size_t)a->x.cols * sizeof *vector;
    float *cosines = mem_alloc((size_t)a->x.rows * sizeof *cosines);
    for (int i = 0; i < a->x.rows; i++) {
        const float *other = a->x.numbers + (size_t)i * (size_t)a->x.cols;
        cosines[i] = memcmp(other, vector, bytes) != 0 ? (float)cosine(vector, other, a->x.cols) : -2; /* itself */
    }
    Place *places = rank(cosines, a->x.rows);
    printf("Nearest to %s among %d words (%s), by the cosine of the angle between the vectors: the dot product\n"
           "of the vectors scaled to length 1. It is 1 for the same direction and 0 for a right angle.\n\n",
           word, a->x.rows, a->name);
    for (int i = 0; i < list_length(a) && places[i].score >= -1; i++)
        fprintf(results(), "%10.4f  %s\n", (double)places[i].score, a->x.words[places[i].index]);
    mem_free(places);
    mem_free(cosines);
}
