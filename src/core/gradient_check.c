#include "core/gradient_check.h"
#include "core/ops.h"
#include "core/tape_op.h"

#include <math.h>
#include <string.h>

enum { DOUBLE = sizeof(real) == sizeof(double) };
static const double H = DOUBLE ? 1e-3 : 0.02, FLOOR = DOUBLE ? 1e-5 : 0.1, TOLERANCE = DOUBLE ? 1e-6 : 1e-2;

double gradient_tolerance(void) { return TOLERANCE; }

double gradient_check_number(ScalarFunction *f, void *context, real *x, double gradient) {
    const real middle = *x;
    const double weight[] = {8, -1};
    double slope = 0;
    for (int k = 1; k <= 2; k++) {
        *x = (real)(middle + k * H);
        slope += weight[k - 1] * f(context);
        *x = (real)(middle - k * H);
        slope -= weight[k - 1] * f(context);
    }
    *x = middle;
    slope /= 12 * H;
    const double error = fabs(gradient - slope) / fmax(FLOOR, fabs(gradient) + fabs(slope));
    return isnan(error) ? INFINITY : error;
}

/* ---- one op ---------------------------------------------------------------------------------------------------- */

enum { FEW = 100, SAMPLED = 4 /* numbers that are checked of an input of more than FEW numbers */ };

typedef enum { PLAIN, SLICES, PARAMETERS, KINDS } InputKind;

typedef struct Input {
    real *values, *gradient; /* gradient: filled in by trial_gradients */
    Var parameter;
    Weight weight;
} Input;

typedef struct Trial {
    const OpCheck *check;
    InputKind kind;
    int uses; /* number of times that the op is applied to the same inputs */
    Tape tape;
    Input in[OP_INPUTS];
    Var *vars[OP_INPUTS]; /* the inputs on the tape */
    double sum;           /* Σ w∘out over all uses; in double, so that it is not rounded to float */
} Trial;

static int inputs_of(const OpCheck *check) {
    int n = 0;
    while (n < OP_INPUTS && check->in[n].cols) n++;
    return n;
}

static int size_of(OpShape shape) { return shape.rows * shape.cols; }

/* loss + Σ w∘x. The first weight is 1, so that an x of [1, 1] is added unchanged. The sum is of the order of 1. */
static Back weigh_back;
static Var *weigh(Trial *trial, Var *x, Var *loss) {
    Tape *tape = &trial->tape;
    Rng rng = rng_seed(1, 1);
    const size_t n = var_size(x);
    double *w = arena_alloc(&tape->arena, n * sizeof *w);
    const double scale = n > FEW ? 1 / sqrt((double)n) : 1;
    for (size_t i = 0; i < n; i++) {
        w[i] = i ? scale * rng_normal(&rng) : 1;
        trial->sum += w[i] * x->v[i];
    }
    Var *sum = var_new(tape, 1, 1);
    sum->v[0] = (real)trial->sum;
    Record *record = tape_record(tape, weigh_back, sum, x, loss, NULL);
    if (record) record->extra = w;
    return sum;
}

static void weigh_back(Tape *tape, const Record *record) {
    Var *x = record->in[0], *loss = record->in[1];
    const real dsum = var_grad(tape, record->out)[0];
    const double *w = record->extra;
    real *dx = var_grad(tape, x);
    for (size_t i = 0; i < var_size(x); i++) dx[i] += (real)(dsum * w[i]);
    if (loss) var_grad(tape, loss)[0] += dsum;
}

/* Makes input i of the op. The rows around a slice are NaN, because the op must not read them. */
static Var *place(Trial *trial, int i) {
    Tape *tape = &trial->tape;
    Input *in = &trial->in[i];
    const OpShape shape = trial->check->in[i];
    const size_t bytes = (size_t)size_of(shape) * sizeof(real);
    Var *var = &in->parameter;
    if (trial->kind == PLAIN) var = var_new(tape, shape.rows, shape.cols);
    if (trial->kind == SLICES) {
        Var *whole = var_new(tape, shape.rows + 3, shape.cols);
        for (size_t k = 0; k < var_size(whole); k++) whole->v[k] = (real)NAN;
        var = slice(tape, slice(tape, whole, 1, shape.rows + 1), 0, shape.rows); /* a slice of a slice */
    }
    if (trial->kind == PARAMETERS) {
        in->weight = (Weight){.index = i};
        *var = (Var){.rows = shape.rows, .cols = shape.cols, .weight = &in->weight};
        var_bind(var, arena_alloc(&tape->arena, bytes), arena_zalloc(&tape->arena, bytes));
    }
    memcpy(var->v, in->values, bytes);
    return var;
}

/* The forward pass. Returns the loss, whose value is also trial->sum. */
static Var *apply(Trial *trial) {
    const OpCheck *check = trial->check;
    Tape *tape = &trial->tape;
    Var *loss = NULL;
    tape_reset(tape);
    tape->recording = true;
    tape->rng = rng_seed(3, 1); /* the same dropout masks in every evaluation */
    trial->sum = 0;
    for (int i = 0; i < inputs_of(check); i++) trial->vars[i] = place(trial, i);
    for (int use = 0; use < trial->uses; use++)
        loss = weigh(trial, check->build(tape, trial->vars, check->extra), loss);
    return loss;
}

static double trial_sum(void *context) {
    Trial *trial = context;
    apply(trial);
    return trial->sum;
}

/* Whether the gradient of the matrix of which var is a slice is zero outside of the slice. */
static bool is_zero_outside(Tape *tape, Var *var) {
    const size_t begin = (size_t)var->first * (size_t)var->cols, end = begin + var_size(var);
    const real *g = var_grad(tape, var_whole(var));
    for (size_t i = 0; i < var_size(var_whole(var)); i++)
        if ((i < begin || i >= end) && g[i] != 0) return false;
    return true;
}

/* Computes the gradients of all inputs. Returns false if an op changed the gradient of rows that it did not get. */
static bool trial_gradients(Trial *trial) {
    Tape *tape = &trial->tape;
    bool inside = true;
    tape_backward(tape, apply(trial));
    for (int i = 0; i < inputs_of(trial->check); i++) {
        Var *var = trial->vars[i];
        memcpy(trial->in[i].gradient, var_grad(tape, var), var_size(var) * sizeof(real));
        inside = inside && is_zero_outside(tape, var);
    }
    return inside;
}

static double trial_error(Trial *trial) {
    if (!trial_gradients(trial)) return INFINITY;
    double worst = 0;
    for (int i = 0; i < inputs_of(trial->check); i++) {
        Input *in = &trial->in[i];
        const int n = size_of(trial->check->in[i]), step = n > FEW ? 1 + n / SAMPLED : 1;
        for (int k = 0; k < n; k += step)
            worst = fmax(worst, gradient_check_number(trial_sum, trial, &in->values[k], in->gradient[k]));
    }
    return worst;
}

/* Draws n numbers in [-2, 2]. Their distances are at least 2/n, so that no maximum is near a tie. */
static Input input_draw(int n, Rng *rng) {
    int *rank = mem_alloc((size_t)n * sizeof *rank);
    const size_t bytes = (size_t)n * sizeof(real);
    const Input in = {.values = mem_alloc(bytes), .gradient = mem_alloc(bytes)};
    for (int i = 0; i < n; i++) rank[i] = i;
    rng_shuffle(rng, rank, n);
    for (int i = 0; i < n; i++) in.values[i] = (real)(4 * (rank[i] + 0.5 * rng_uniform(rng)) / n - 2);
    mem_free(rank);
    return in;
}

static void input_free(Input *in) {
    mem_free(in->values);
    mem_free(in->gradient);
}

double gradient_check_op(const OpCheck *check, Threads *threads) {
    Rng rng = rng_seed(7, 7);
    double worst = 0;
    const int inputs = inputs_of(check);
    CHECK(inputs > 0, "gradient_check_op: an op without inputs");
    for (InputKind kind = PLAIN; kind < KINDS; kind++)
        for (int uses = 1; uses <= 2; uses++) {
            Trial trial = {.check = check, .kind = kind, .uses = uses};
            tape_init(&trial.tape, threads, (Rng){0});
            for (int i = 0; i < inputs; i++) trial.in[i] = input_draw(size_of(check->in[i]), &rng);
            worst = fmax(worst, trial_error(&trial));
            for (int i = 0; i < inputs; i++) input_free(&trial.in[i]);
            tape_free(&trial.tape);
        }
    return worst;
}
