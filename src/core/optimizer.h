/* optimizer.h: updates of the weights of a model, after clipping the gradient's norm. Adam: Kingma & Ba 2015, β 0.9 and
   0.999, ε 1e-8. Adadelta: Zeiler 2012, ρ 0.95, ε 1e-6 (appendix B.2). SGD: w -= rate g. */
#ifndef TIDE_OPTIMIZER_H
#define TIDE_OPTIMIZER_H

#include "core/real.h"
#include "core/threads.h"

/* The stretch of the flat arrays (weights, gradients, slots) that belongs to one parameter [rows, cols]. */
typedef enum {
    SEGMENT_MATRIX,
    SEGMENT_VECTOR, /* one row, or one column: a bias, a gain, va */
    SEGMENT_TABLE   /* rows are read by index, as an embedding's are */
} SegmentKind;

typedef struct Segment {
    size_t offset;
    int rows, cols;
    SegmentKind kind;
} Segment;

enum { OPTIMIZER_SLOTS = 2 /* at most */ };

/* What an optimizer's function receives: one segment, whose arrays begin at these addresses. */
typedef struct SegmentUpdate {
    Threads *threads;
    const Segment *segment;
    real *w, *g, *slots[OPTIMIZER_SLOTS]; /* the kind's slots; the others are NULL */
    real rate, gradient_scale;            /* gradient_scale: clipping */
    long steps;                           /* updates made, this one included */
} SegmentUpdate;

/* A kind of optimizer. update computes new weights and slots from the gradient times gradient_scale, and sets the
   gradient to zero. The result must not depend on the number of threads. */
typedef struct OptimizerKind {
    const char *name;
    int slots; /* arrays of state, as large as the weights; a checkpoint stores them */
    void (*update)(const SegmentUpdate *update);
} OptimizerKind;

/* The names of all kinds, separated by '|'. */
extern const char optimizer_names[];
/* The kind at an index in optimizer_names; the kind of a name, or NULL. */
const OptimizerKind *optimizer_kind_at(int index);
const OptimizerKind *optimizer_kind(const char *name);

typedef struct Optimizer {
    const OptimizerKind *kind;
    Segment *segments; /* owned */
    int segment_count;
    size_t size;                  /* numbers of a flat array */
    long steps;                   /* updates made */
    real *slots[OPTIMIZER_SLOTS]; /* Adam: m, v; Adadelta: E[g²], E[Δx²]; NULL for SGD. Owned */
    real *average;                /* of the weights over the updates; NULL: none is kept. Owned */
    double *squares;              /* scratch: the squared norm of each block of the gradient */
} Optimizer;

/* Of flat arrays of `size` numbers that consist of these segments, which are copied, and of padding, which is zero.
   There are no steps yet; the slots are zero. Release with optimizer_free. */
void optimizer_init(Optimizer *optimizer, const OptimizerKind *kind, const Segment *segments, int count, size_t size);
void optimizer_free(Optimizer *optimizer);
/* Keeps an average of the weights from here on, which begins as they are. */
void optimizer_keep_average(Optimizer *optimizer, const real *weights);

typedef struct StepOptions {
    double rate;
    double clip_norm; /* of the gradient's L2 norm; 0: as it is */
    double smoothing; /* share that the new weights have in their average */
} StepOptions;

/* One update of the weights: the gradient is scaled to an L2 norm of at most clip_norm, applied, and zeroed. Where
   there is an average, average += share (weights - average); the share falls to `smoothing` as 9 / (10 + updates), so
   that the first weights are soon forgotten. Returns the norm before clipping; where it is not finite, nothing was
   updated. The gradient is zero afterwards. */
double optimizer_step(Optimizer *optimizer, Threads *threads, real *weights, real *gradient,
                      const StepOptions *options);

#endif
