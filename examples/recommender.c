/* recommender.c: matrix factorisation on the tape, as an example of a use other than translation. A rating is the dot
   product user · film of two feature vectors plus noise. The program draws the features, learns them again from a part
   of the ratings and predicts the ratings that were held out. Exit status 1 if the predictions or the features are
   wrong. */
#include <tide/core/ops.h>
#include <tide/core/optimizer.h>
#include <tide/core/tape_op.h>

#include <math.h>
#include <stdio.h>

enum {
    USERS = 80,
    FILMS = 40,
    FEATURES = 3,
    HALF = FILMS / 2,
    WEIGHTS = (USERS + FILMS) * FEATURES,
    UPDATES = 500,
    SHOWN = 6
};
static const double NOISE = 0.2, HELD_OUT = 0.4, RATE = 0.05;

/* Target values number [rows, cols]; known tells which of them the loss uses. */
typedef struct Table {
    int rows, cols, known_count;
    const real *number;
    const bool *known; /* NULL: all */
} Table;

/* loss = 1/2n Σ (p - number)² over the n known numbers;  dp = dloss (p - number) / n
   An op that this example defines: the forward pass, and below it the backward pass. */
static Back squared_error_back;
static Var *squared_error(Tape *tape, Var *p, const Table *table) {
    Var *loss = var_new(tape, 1, 1);
    double sum = 0;
    for (int i = 0; i < p->rows * p->cols; i++)
        if (!table->known || table->known[i]) sum += pow(p->v[i] - table->number[i], 2);
    loss->v[0] = (real)(sum / (2 * table->known_count));
    Record *record = tape_record(tape, squared_error_back, loss, p, NULL, NULL);
    if (record) record->extra = table;
    return loss;
}

static void squared_error_back(Tape *tape, const Record *record) {
    Var *p = record->in[0];
    const Table *table = record->extra;
    real *dp = var_grad(tape, p), dloss = var_grad(tape, record->out)[0];
    for (int i = 0; i < p->rows * p->cols; i++)
        if (!table->known || table->known[i]) dp[i] += dloss * (p->v[i] - table->number[i]) / (real)table->known_count;
}

/* left rightᵀ: the dot product of each row of left with each row of right. */
static Var *dot_products(Tape *tape, Var *left, Var *right) {
    const Spans one = spans_one(tape, left->rows, right->rows);
    return dot_scores(tape, left, right, 1, 1, &one);
}

/* Trains `weights` with Adam so that left rightᵀ approaches the table. left, right or both have their values in
   `weights` and their gradients in `gradient`. */
static void learn(Tape *tape, Var left, Var right, real *weights, real *gradient, size_t size, const Table *table) {
    Optimizer optimizer;
    optimizer_init(&optimizer, optimizer_kind("adam"), &(Segment){.rows = 1, .cols = (int)size}, 1, size);
    for (int update = 0; update < UPDATES; update++) {
        Var l = left, r = right; /* copies: the tape keeps state in its Vars until tape_reset */
        tape_reset(tape);
        tape_backward(tape, squared_error(tape, dot_products(tape, &l, &r), table));
        optimizer_step(&optimizer, tape->threads, weights, gradient, &(StepOptions){.rate = RATE});
    }
    optimizer_free(&optimizer);
}

static void draw(Rng *rng, double scale, real *numbers, int n) {
    for (int i = 0; i < n; i++) numbers[i] = (real)(scale * rng_normal(rng));
}

/* Returns the root mean squared error of p over the known numbers, or over the others if `known` is false. */
static double error_of(const real *p, const Table *table, bool known) {
    double sum = 0;
    int count = 0;
    for (int i = 0; i < table->rows * table->cols; i++)
        if ((!table->known || table->known[i]) == known) count++, sum += pow(p[i] - table->number[i], 2);
    return sqrt(sum / count);
}

static Var matrix(real *numbers, real *gradient, int rows) {
    return (Var){.rows = rows, .cols = FEATURES, .v = numbers, .g = gradient};
}

/* Draws ratings with mean 3 and holds some of them out. Subtracts the mean of the known ratings from all. */
static Table rate(Tape *tape, Rng *rng, Var users, Var films) {
    static real rating[USERS * FILMS];
    static bool known[USERS * FILMS];
    Table table = {.rows = USERS, .cols = FILMS, .number = rating, .known = known};
    double mean = 0;
    const Var *agreement = dot_products(tape, &users, &films);
    for (int i = 0; i < USERS * FILMS; i++) {
        rating[i] = (real)(3 + agreement->v[i] + NOISE * rng_normal(rng));
        known[i] = rng_uniform(rng) >= HELD_OUT;
        if (known[i]) table.known_count++, mean += rating[i];
    }
    mean /= table.known_count;
    for (int i = 0; i < USERS * FILMS; i++) rating[i] -= (real)mean;
    return table;
}

/* The ratings determine the features only up to an invertible matrix A: (user A⁻¹) · (A film) = user · film. Fits A,
   which maps the learned features to the drawn ones, on the first half of the films and tests it on the second half.
   Prints some films of the second half; returns the root mean squared error of their mapped features. */
static double compare(Tape *tape, Rng *rng, real *learned, real *invented) {
    enum { SIZE = FEATURES * FEATURES, REST = HALF * FEATURES };
    real A[SIZE], gradient[SIZE] = {0}; /* transposed */
    const Table first = {HALF, FEATURES, REST, invented, NULL}, rest = {HALF, FEATURES, REST, invented + REST, NULL};
    draw(rng, 0.1, A, SIZE);
    learn(tape, matrix(learned, NULL, HALF), matrix(A, gradient, FEATURES), A, gradient, SIZE, &first);
    Var films = matrix(learned + REST, NULL, HALF), map = matrix(A, NULL, FEATURES);
    const real *mapped = dot_products(tape, &films, &map)->v;
    puts("\n                 invented                 learned            learned and mapped\n"
         "           funny  tense tender         ?      ?      ?     funny  tense tender");
    for (int film = 0; film < SHOWN; film++) {
        const real *three[] = {rest.number, films.v, mapped};
        printf("film %d ", HALF + film + 1);
        for (int i = 0; i < 3 * FEATURES; i++)
            printf("%s%7.2f", i % FEATURES ? "" : "  ", three[i / FEATURES][film * FEATURES + i % FEATURES]);
        puts("");
    }
    return error_of(mapped, &rest, true);
}

int main(void) {
    enum { FILM = USERS * FEATURES /* index of the first film's features */ };
    static real invented[WEIGHTS], learned[WEIGHTS], gradient[WEIGHTS];
    Rng rng = rng_seed(1, 0);
    Tape tape;
    tape_init(&tape, threads_new(1), rng);
    tape.recording = true;
    draw(&rng, 1, invented, WEIGHTS);
    draw(&rng, 0.1, learned, WEIGHTS);
    const Table ratings = rate(&tape, &rng, matrix(invented, NULL, USERS), matrix(invented + FILM, NULL, FILMS));
    Var users = matrix(learned, gradient, USERS), films = matrix(learned + FILM, gradient + FILM, FILMS);
    learn(&tape, users, films, learned, gradient, WEIGHTS, &ratings);

    static const real means[USERS * FILMS]; /* zero, because the mean was subtracted from the ratings */
    const double wrong = error_of(dot_products(&tape, &users, &films)->v, &ratings, false),
                 baseline = error_of(means, &ratings, false);
    printf("%d users, %d films, %d ratings to learn from; the other %d are held out.\n"
           "Root mean square error on those: %.2f. The mean of the known ratings has %.2f; the noise is %.2f.\n",
           USERS, FILMS, ratings.known_count, USERS * FILMS - ratings.known_count, wrong, baseline, NOISE);
    const double off = compare(&tape, &rng, learned + FILM, invented + FILM);
    printf(
        "The map was fitted on films 1 to %d. On films %d to %d, its root mean square error is %.2f; that of guessing "
        "zero is 1.\n",
        HALF, HALF + 1, FILMS, off);
    threads_free(tape.threads);
    tape_free(&tape);
    return !(wrong < 0.2 * baseline && off < 0.2);
}
