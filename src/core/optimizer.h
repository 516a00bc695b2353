/* optimizer.h: SGD, Adam and Adadelta on one block of weights, after clipping the gradient's norm. */
#ifndef TIDE_OPTIMIZER_H
#define TIDE_OPTIMIZER_H

#include "core/real.h"
#include "core/threads.h"

typedef enum { OPTIMIZER_ADAM, OPTIMIZER_ADADELTA, OPTIMIZER_SGD } OptimizerKind;
/* Their names, separated by '|', in this order. */
extern const char optimizer_names[];

typedef struct Optimizer {
    OptimizerKind kind;
    size_t size;      /* weights */
    long steps;       /* updates made */
    real *moments[2]; /* Adam: m, v; Adadelta: E[g²], E[Δx²]; NULL for SGD. Owned */
    real *average;    /* of the weights over the updates; NULL: none is kept. Owned */
    double *squares;  /* scratch: the squared norm of each block of the gradient */
} Optimizer;

/* Of `size` weights, without steps; the moments are zero. Release with optimizer_free. */
void optimizer_init(Optimizer *optimizer, OptimizerKind kind, size_t size);
void optimizer_free(Optimizer *optimizer);
/* Keeps an average of the weights from here on, which begins as they are. */
void optimizer_keep_average(Optimizer *optimizer, const real *weights);

typedef struct StepOptions {
    double rate;
    double clip_norm; /* of the gradient's L2 norm; 0: as it is */
    double smoothing; /* share that the new weights have in their average */
} StepOptions;

/* One update of `size` weights: the gradient is scaled to an L2 norm of at most clip_norm, applied, and zeroed. Where
   there is an average, average += share (weights - average); the share falls to `smoothing` as 9 / (10 + updates), so
   that the first weights are soon forgotten. Adam: Kingma & Ba 2015, β 0.9 and 0.999, ε 1e-8. Adadelta: Zeiler 2012, ρ
   0.95, ε 1e-6 (appendix B.2). Returns the norm before clipping; where it is not finite, nothing was updated. The
   gradient is zero afterwards. */
double optimizer_step(Optimizer *optimizer, Threads *threads, real *weights, real *gradient,
                      const StepOptions *options);

#endif
