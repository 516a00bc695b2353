/* weight.h: a parameter as products need it.

   A Param of a model (params.h) has a Var, the matrix and its gradient, and a Weight. A product needs an Operand. That
   of a weight that is trained is in the tape, until tape_reset; that of a shared weight is in the Weight. If a shared
   weight has only panels, or integers, Var.v is NULL. */
#ifndef TIDE_WEIGHT_H
#define TIDE_WEIGHT_H

#include "core/operand.h"
#include "core/real.h"

#include <pthread.h>
#include <stdbool.h>

/* A weight of a model. All zeros but the index: a weight that is trained. Each tape packs it for itself, and only one
   tape at a time may run tape_backward, because the gradient belongs to the model.
   After weight_share: a weight of a model that is not trained. Any number of tapes in any number of threads read it.
   If only products read the weight, it has panels from the start. Otherwise it has values; the first tape that needs
   panels packs them from the values, under the lock. Panels of bfloat16 are packed by the first tape that
   needs them, from the values, or from the panels of floats, also under the lock. Packed panels do not change. */
typedef struct Weight {
    int index; /* among the parameters of its model */
    bool shared;
    /* Of a shared weight: */
    const void *values; /* [rows, cols] of real or int8_t, not owned; NULL: the weight has panels */
    Operand packed[4];  /* W and Wᵀ, then both of PANELS_BF16; they have panels if `ready` is true */
    bool ready[4];      /* threads use __atomic functions, because C++ has no atomic_bool */
    pthread_mutex_t lock;
} Weight;

/* Shares a weight [rows, cols]. `memory` is for the values if `keep` is true, else for the panels of W. The caller owns
   it, and may fill it (panels: with operand_pack_rows) until the first tape reads it. scales: of the rows of W, which
   are the columns of Wᵀ, for PANELS_I8 with values, not owned; then only Wᵀ may be packed. */
void weight_share(Weight *weight, PanelFormat format, int rows, int cols, void *memory, bool keep, const float *scales);
/* Releases the panels of a shared weight. */
void weight_free(Weight *weight);
/* Copies row i of a shared weight with values; integers are multiplied by their scale. */
void weight_row(const Weight *weight, int i, real *to);
/* Returns W, or Wᵀ, of a shared weight, with panels for `products`: PANELS_F32 means the weight's own format, and
   PANELS_BF16 needs a weight without integers. A weight without values has only W. */
Operand weight_operand(Weight *weight, Threads *threads, bool transposed, PanelFormat products);

#endif
