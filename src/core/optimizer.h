/* optimizer.h: SGD, Adam and Adadelta on one block of weights, after clipping the gradient's norm. */
#ifndef TIDE_OPTIMIZER_H
#define TIDE_OPTIMIZER_H

#include "core/real.h"
#include "core/threads.h"

typedef enum { OPTIMIZER_SGD, OPTIMIZER_ADAM, OPTIMIZER_ADADELTA } OptimizerKind;

typedef struct Optimizer {
    OptimizerKind kind;
    size_t size;      /* weights */
    long steps;       /* updates made */
    real *moments[2]; /* Adam: m, v; Adadelta: E[g²], E[Δx²]; NULL for SGD. Owned */
    double *squares;  /* scratch: the squared norm of each block of the gradient */
} Optimizer;

/* "sgd", "adam" or "adadelta"; -1 for any other name. */
int optimizer_kind(const char *name);

void optimizer_init(Optimizer *optimizer, OptimizerKind kind, size_t size);
void optimizer_free(Optimizer *optimizer);

/* One update of `size` weights: the gradient is scaled to an L2 norm of at most clip_norm (0: as it is), applied, and
   zeroed. Adam: Kingma & Ba 2015, β 0.9 and 0.999, ε 1e-8. Adadelta: Zeiler 2012, ρ 0.95, ε 1e-6 (appendix B.2).
   Returns the norm before clipping; where it is not finite, nothing was updated. The gradient is zero afterwards. */
double optimizer_step(Optimizer *optimizer, Threads *threads, real *weights, real *gradient, double rate,
                      double clip_norm);

#endif
