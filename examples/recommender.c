/* recommender.c: what the tape can do besides translating. Users like films as far as their features agree, rating =
   user · film. Here the features are invented, so that it can be seen whether they are found again from a part of the
   ratings, and whether those that were held out are foretold. Exit status 1 where they are not. */
#include "core/ops.h"
#include "core/tape_op.h"
#include "core/optimizer.h"

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

/* Numbers [rows, cols] that are to come out, as far as they are known. */
typedef struct Table {
    int rows, cols, known_count;
    const real *number;
    const bool *known; /* NULL: all */
} Table;

/* loss = 1/2n Σ (p - number)² over the n known ones;  dp = dloss (p - number) / n
   An op of the example's own: its value, and right below its way back. */
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

/* All dot products of a row of left with a row of right. */
static Var *dot_products(Tape *tape, Var *left, Var *right) {
    const Spans one = spans_one(tape, left->rows, right->rows);
    return dot_scores(tape, left, right, 1, 1, &one);
}

/* Gradient descent: changes `weights`, which left and right, or one of them, are made of, so that left · right becomes
   what the table says. */
static void learn(Tape *tape, Var left, Var right, real *weights, real *gradient, size_t size, const Table *table) {
    Optimizer optimizer;
    optimizer_init(&optimizer, optimizer_kind("adam"), &(Segment){.rows = 1, .cols = (int)size}, 1, size);
    for (int update = 0; update < UPDATES; update++) {
        Var l = left, r = right; /* the tape's, until it is reset */
        tape_reset(tape);
        tape_backward(tape, squared_error(tape, dot_products(tape, &l, &r), table));
        optimizer_step(&optimizer, tape->threads, weights, gradient, &(StepOptions){.rate = RATE});
    }
    optimizer_free(&optimizer);
}

static void draw(Rng *rng, double scale, real *numbers, int n) {
    for (int i = 0; i < n; i++) numbers[i] = (real)(scale * rng_normal(rng));
}

/* The root of the mean squared error of p over the numbers that are known, or over the others. */
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

/* Ratings around 3, each held out or not, less the mean of the known ones. */
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

/* User · film stays as it is where all films are turned and all users turned back: what is found are the features up to
   such a turn, a matrix A with an inverse. The turn to the invented ones is fitted on the first half of the films;
   whether it is one shows on the others. Prints some of those; returns how far all of them are off. */
static double compare(Tape *tape, Rng *rng, real *learned, real *invented) {
    enum { SIZE = FEATURES * FEATURES, REST = HALF * FEATURES };
    real A[SIZE], gradient[SIZE] = {0}; /* transposed */
    const Table first = {HALF, FEATURES, REST, invented, NULL}, rest = {HALF, FEATURES, REST, invented + REST, NULL};
    draw(rng, 0.1, A, SIZE);
    learn(tape, matrix(learned, NULL, HALF), matrix(A, gradient, FEATURES), A, gradient, SIZE, &first);
    Var films = matrix(learned + REST, NULL, HALF), turn = matrix(A, NULL, FEATURES);
    const real *turned = dot_products(tape, &films, &turn)->v;
    puts("\n                 invented                 learned            learned and turned\n"
         "           funny  tense tender         ?      ?      ?     funny  tense tender");
    for (int film = 0; film < SHOWN; film++) {
        const real *three[] = {rest.number, films.v, turned};
        printf("film %d ", HALF + film + 1);
        for (int i = 0; i < 3 * FEATURES; i++)
            printf("%s%7.2f", i % FEATURES ? "" : "  ", three[i / FEATURES][film * FEATURES + i % FEATURES]);
        puts("");
    }
    return error_of(turned, &rest, true);
}

int main(void) {
    enum { FILM = USERS * FEATURES /* where the films begin */ };
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

    static const real means[USERS * FILMS]; /* zero, as ratings are less their mean */
    const double wrong = error_of(dot_products(&tape, &users, &films)->v, &ratings, false),
                 baseline = error_of(means, &ratings, false);
    printf("%d users, %d films, %d ratings to learn from; the other %d are held out.\n"
           "Root mean square error of those: %.2f, where the mean of the known ratings has %.2f, and noise is %.2f.\n",
           USERS, FILMS, ratings.known_count, USERS * FILMS - ratings.known_count, wrong, baseline, NOISE);
    const double off = compare(&tape, &rng, learned + FILM, invented + FILM);
    printf("The turn was fitted on films 1 to %d; from %d to %d its features are off by %.2f, where guessing zero is "
           "by 1.\n",
           HALF, HALF + 1, FILMS, off);
    threads_free(tape.threads);
    tape_free(&tape);
    return !(wrong < 0.2 * baseline && off < 0.2);
}
