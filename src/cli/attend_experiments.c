/* tide attend: two experiments: self-attention ignores the order of words; scores are divided by √d_k. */
#include "cli/attend.h"
#include "view/table.h"

#include <math.h>
#include <stdio.h>

/* ---- the order of words ----------------------------------------------------------------------------------------- */

/* Draws a random permutation of 0..n-1 that is not the identity; n > 1. */
static void draw_order(int seed, int *order, int n) {
    Rng rng = rng_seed((uint64_t)seed, 2);
    for (bool same = true; same;) {
        for (int i = 0; i < n; i++) order[i] = i;
        rng_shuffle(&rng, order, n);
        for (int i = 0; i < n; i++) same = same && order[i] == i;
    }
}

static double largest_difference(const Var *a, const Var *b) {
    double most = 0;
    for (int i = 0; i < a->rows * a->cols; i++) {
        const double difference = fabs((double)a->v[i] - b->v[i]);
        if (difference > most) most = difference; /* with fmax, gcc 12 for aarch64 crashes */
    }
    return most;
}

/* Returns x with positional encodings added: p_{t,2k} = sin(t / 10000^(2k/d)), p_{t,2k+1} = cos(t / 10000^(2k/d))
   (Vaswani et al. 2017, §3.5). */
static Var *with_positions(Tape *tape, const Var *x) {
    Var *y = var_new(tape, x->rows, x->cols);
    for (int t = 0; t < x->rows; t++)
        for (int i = 0; i < x->cols; i++) {
            const size_t at = (size_t)t * (size_t)x->cols + (size_t)i;
            double angle = t / pow(10000, (double)(i - i % 2) / x->cols);
            y->v[at] = x->v[at] + (float)(i % 2 ? cos(angle) : sin(angle));
        }
    return y;
}

/* Contexts in a permuted order of words. */
typedef struct Shuffled {
    Var *moved; /* P f(X): computed in the original order; then the rows are permuted */
    Var *anew;  /* f(P X): computed in the permuted order */
} Shuffled;

static int attend_in_both_orders(const AttendInput *a, const int *order, bool positions, Shuffled *both, Err *err) {
    Tape *tape = a->tape;
    AttendResult found, shuffled_found;
    Var *x = var_constant(tape, a->x.rows, a->x.cols, a->x.numbers), *shuffled = gather(tape, x, order, x->rows);
    if (positions) x = with_positions(tape, x), shuffled = with_positions(tape, shuffled);
    if (attend_to(a, x, x, &found, err) || attend_to(a, shuffled, shuffled, &shuffled_found, err)) return -1;
    *both = (Shuffled){gather(tape, found.context, order, x->rows), shuffled_found.context};
    return 0;
}

int attend_shuffled(const AttendInput *a, Err *err) {
    int order[MOST_WORDS];
    char *words[MOST_WORDS];
    const int n = a->x.rows;
    if (n < 2 || n > MOST_WORDS)
        return err_set(err, a->name, 0, "%d words; --show equivariance needs 2 to %d", n, MOST_WORDS);
    draw_order(a->seed, order, n);
    Shuffled plain, placed;
    if (attend_in_both_orders(a, order, false, &plain, err) || attend_in_both_orders(a, order, true, &placed, err))
        return -1;
    for (int i = 0; i < n; i++) words[i] = a->x.words[order[i]];
    puts("P f(X): context vectors computed in the original order; then the rows are permuted");
    table_print(stdout, &(Table){n, plain.moved->cols, words, NULL, plain.moved->v, false});
    puts("\nf(P X): context vectors computed in the permuted order");
    table_print(stdout, &(Table){n, plain.anew->cols, words, NULL, plain.anew->v, false});
    printf(
        "\nThe largest difference is %.1e, from rounding. The context of a word depends on the vectors of the other\n"
        "words, but not on their positions: self-attention is permutation equivariant, f(P X) = P f(X). It treats\n"
        "a sentence as a bag of words.\n",
        largest_difference(plain.moved, plain.anew));
    printf("\nWith positional encodings added to X (sines and cosines, as in a Transformer), the largest\n"
           "difference is %.2f: now the order matters.\n",
           largest_difference(placed.moved, placed.anew));
    return 0;
}

/* ---- scaling of scores ------------------------------------------------------------------------------------------ */

enum { QUERIES = 400, KEYS = 10 };

/* The variance of all scores; means over the queries of the largest weight α and of its derivative α (1 - α). */
typedef struct Effect {
    double variance, largest, slope;
} Effect;

static Effect effect_of(const DotAttention *found) {
    Effect effect = {0, 0, 0};
    double sum = 0, squares = 0;
    for (int q = 0; q < QUERIES; q++) {
        float most = 0;
        for (int k = 0; k < KEYS; k++) {
            const float e = found->e->v[q * KEYS + k];
            most = fmaxf(most, found->alpha->v[q * KEYS + k]);
            sum += e, squares += (double)e * e;
        }
        effect.largest += most / (double)QUERIES;
        effect.slope += most * (1 - most) / (double)QUERIES;
    }
    const double mean = sum / (QUERIES * KEYS);
    effect.variance = squares / (QUERIES * KEYS) - mean * mean;
    return effect;
}

static Var *draw_matrix(Tape *tape, Rng *rng, int rows, int cols) {
    Var *var = var_new(tape, rows, cols);
    for (int i = 0; i < rows * cols; i++) var->v[i] = (float)rng_normal(rng);
    return var;
}

static void print_effects(Tape *tape, Rng *rng, int dk) {
    int start[QUERIES], length[QUERIES];
    for (int q = 0; q < QUERIES; q++) start[q] = q * KEYS, length[q] = KEYS;
    const Spans spans = {.start = start, .length = length, .longest = KEYS}; /* each query has keys of its own */
    Var *Q = draw_matrix(tape, rng, QUERIES, dk), *K = draw_matrix(tape, rng, QUERIES * KEYS, dk);
    printf("%6d", dk);
    for (int scaled = 0; scaled < 2; scaled++) {
        const DotAttention found = dot_attention(tape, Q, K, K, scaled ? 1 / sqrt(dk) : 1, &spans);
        const Effect effect = effect_of(&found);
        printf("     %10.2f %10.3f %8.4f", effect.variance, effect.largest, effect.slope);
    }
    puts("");
}

void attend_scaling(Tape *tape, int seed) {
    Rng rng = rng_seed((uint64_t)seed, 3);
    printf("%d random queries, each with %d keys, of d_k numbers from N(0, 1); softmax over the %d scores.\n\n"
           "                   score q·k                        score q·k / √d_k\n"
           "   d_k       variance    largest    slope       variance    largest    slope\n"
           "                          weight                            weight\n",
           QUERIES, KEYS, KEYS);
    for (int dk = 1; dk <= 1024; dk *= 4) {
        TapeMark mark = tape_mark(tape);
        print_effects(tape, &rng, dk);
        tape_rewind(tape, mark);
    }
    puts("\nA dot product is a sum of d_k products with variance 1 each, so its variance is d_k. If scores differ\n"
         "much, softmax gives almost all weight to one key. Then its slope α (1 - α), a factor of every\n"
         "gradient, is close to zero, and the model stops learning. Scores that are divided by √d_k have\n"
         "variance 1 for every d_k.");
}
