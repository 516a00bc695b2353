/* optimizer.h: clips the norm of the gradient of a model and updates its weights. Adam: Kingma & Ba 2015, β 0.9 and
   0.999, ε 1e-8. Adadelta: Zeiler 2012, ρ 0.95, ε 1e-6 (Bahdanau et al. 2015, appendix B.2). SGD: w -= rate g. */
#ifndef TIDE_OPTIMIZER_H
#define TIDE_OPTIMIZER_H

#include "core/real.h"
#include "core/threads.h"

/* The part of the flat arrays (weights, gradients, slots) that belongs to one parameter [rows, cols]. Its first
   number is number `offset` of the array. */
typedef enum {
    SEGMENT_MATRIX,
    SEGMENT_VECTOR, /* one row or one column: a bias, a gain, va */
    SEGMENT_TABLE   /* the rows are looked up by index: an embedding */
} SegmentKind;

typedef struct Segment {
    size_t offset;
    int rows, cols;
    SegmentKind kind;
} Segment;

enum { OPTIMIZER_SLOTS = 2 /* at most */ };

/* The argument of an optimizer's update: one segment. The pointers point to the segment's first numbers. */
typedef struct SegmentUpdate {
    Threads *threads;
    const Segment *segment;
    real *w, *g, *slots[OPTIMIZER_SLOTS]; /* the kind's slots; the others are NULL */
    real rate, gradient_scale;            /* gradient_scale: clipping */
    long steps;                           /* number of updates, with this one */
} SegmentUpdate;

/* A kind of optimizer. update computes new weights and slots from the gradient times gradient_scale, and sets the
   gradient to zero. The result must not depend on the number of threads. */
typedef struct OptimizerKind {
    const char *name;
    int slots; /* number of state arrays, each as large as the weights; a checkpoint stores them */
    void (*update)(const SegmentUpdate *update);
} OptimizerKind;

/* The names of all kinds, separated by '|'. */
extern const char optimizer_names[];
/* The kind at an index in optimizer_names (a negative index: NULL), and the kind of a name (NULL if there is none). */
const OptimizerKind *optimizer_kind_at(int index);
const OptimizerKind *optimizer_kind(const char *name);

typedef struct Optimizer {
    const OptimizerKind *kind;
    Segment *segments; /* owned */
    int segment_count;
    size_t size;                  /* of a flat array, in numbers */
    size_t from, to;              /* the slice that is updated: from..to-1; at first all numbers */
    long steps;                   /* updates made */
    real *slots[OPTIMIZER_SLOTS]; /* [to - from] Adam: m, v; Adadelta: E[g²], E[Δx²]; NULL for SGD. Owned */
    real *average;                /* [to - from] exponential moving average of the weights; NULL: none. Owned */
    double *squares;              /* [optimizer_blocks] the squared norm of each block of the gradient */
} Optimizer;

/* Initialises an optimizer for flat arrays of `size` numbers, which consist of the segments and of padding. The
   padding must be zero. Copies `segments`. Sets steps and slots to zero. Release with optimizer_free. */
void optimizer_init(Optimizer *optimizer, const OptimizerKind *kind, const Segment *segments, int count, size_t size);
void optimizer_free(Optimizer *optimizer);
/* Starts an exponential moving average of the weights, with the given weights as its first value. */
void optimizer_keep_average(Optimizer *optimizer, const real *weights);

typedef struct StepOptions {
    double rate;
    double clip_norm; /* largest L2 norm of the gradient of all weights together; 0: no clipping */
    double smoothing; /* smallest share of the new weights in the average */
    double eta;       /* η of the average until its share is so small */
} StepOptions;

/* Makes one update: scales the gradient to an L2 norm of at most clip_norm, updates the weights, and sets the
   gradient to zero. If there is an average: average += share (weights - average), share = max(smoothing, (η + 1) /
   (η + 2 + updates)): first the polynomial-decay averaging of Shamir & Zhang 2013, section 4, over about the last
   1 / (η + 1) of all updates; then an exponential average. The larger η is, the sooner the initial weights are
   forgotten. Returns the norm before clipping. If the norm is not finite, the call only sets the gradient to zero. */
double optimizer_step(Optimizer *optimizer, Threads *threads, real *weights, real *gradient,
                      const StepOptions *options);

/* ---- slices: several processes share an update ---------------------------------------------------------------- */

/* The number of blocks of the flat arrays. A slice consists of whole blocks. */
int optimizer_blocks(const Optimizer *optimizer);
/* The first number of slice k of `count` slices of nearly equal size; of slice `count`: the size. */
size_t optimizer_slice_begin(const Optimizer *optimizer, int k, int count);
/* Keeps slots and average for slice k only. From then on, an update changes only the weights of the slice. */
void optimizer_keep_slice(Optimizer *optimizer, int k, int count);
/* The three parts of optimizer_step. optimizer_squares sets the squared norms of the slice's blocks of the gradient.
   optimizer_norm computes the norm from those of all blocks. optimizer_update makes the update, and sets the slice of
   the gradient to zero; `norm` must be finite. `weights` and `gradient` are whole flat arrays. */
void optimizer_squares(Optimizer *optimizer, Threads *threads, const real *gradient);
double optimizer_norm(const Optimizer *optimizer);
void optimizer_update(Optimizer *optimizer, Threads *threads, real *weights, real *gradient, double norm,
                      const StepOptions *options);

#endif
