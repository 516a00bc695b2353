#include "train/update.h"

#include <math.h>
#include <string.h>

/* Adds weight × mean cost(α_i) over the target rows to the loss: see `guided` in core/ops.h. */
static Var *guide_all(Tape *tape, Var *loss, const Forced *forced, const Sequences *y, int rows,
                      const UpdateOptions *o) {
    for (int t = 0; t < y->steps; t++)
        loss = guided(tape, loss, forced->alpha[t], (Guide){o->guide->begin + y->offset[t], o->guide->column},
                      o->guide_cost, o->guide_weight / rows);
    return loss;
}

double update_gradients(Tape *tape, Model *model, const Batch *batch, const UpdateOptions *o) {
    const int rows = o->rows ? o->rows : batch->target.rows;
    double nats;
    tape->recording = true;
    Forced forced = model_force(tape, model, batch, &(PassOptions){.dropout = o->dropout});
    Var *logits = model_logits(tape, model, &forced);
    Var *loss = cross_entropy(tape, logits, batch->target.ids, rows, o->label_smoothing, &nats);
    if (o->guide) loss = guide_all(tape, loss, &forced, &batch->target, rows, o);
    const bool finite = isfinite(*var_values(loss));
    tape_backward(tape, loss);
    return finite ? nats : NAN;
}

static void clear_gradients(Model *model) {
    memset(model->params.gradients, 0, model->params.size * sizeof *model->params.gradients);
}

double update_step(Tape *tape, Model *model, Optimizer *optimizer, double nats, const UpdateOptions *o) {
    if (!isfinite(nats)) {
        clear_gradients(model);
        return NAN;
    }
    return optimizer_step(optimizer, tape->threads, model->params.values, model->params.gradients, &o->step);
}

static int watch_update(Tape *tape, Model *model, const Pairs *pairs, const int *which, int first, int n,
                        const UpdateOptions *o, Watch *watch, Err *err) {
    Batch batch;
    *watch = (Watch){0};
    tape_reset(tape);
    if (pairs_fold(&tape->arena, pairs, which, first, n, &batch, err)) return -1;
    tape->watch = watch;
    update_gradients(tape, model, &batch, o);
    tape->watch = NULL;
    clear_gradients(model);
    return 0;
}

int update_find_nonfinite(Tape *tape, Model *model, const Pairs *pairs, const int *which, int n, int parts,
                          const UpdateOptions *o, NonFinite *found, Err *err) {
    UpdateOptions unguided = *o;
    unguided.guide = NULL; /* the guide cost is finite for any weights */
    *found = (NonFinite){.pair = -1};
    int status = 0;
    for (int k = 0; k < parts && !found->watch.op && !status; k++) {
        const int first = part_offset(n, parts, k), size = part_offset(n, parts, k + 1) - first;
        status = watch_update(tape, model, pairs, which, first, size, &unguided, &found->watch, err);
    }
    for (int i = 0; i < n && found->pair < 0 && !status; i++) {
        Watch alone;
        status = watch_update(tape, model, pairs, which, i, 1, &unguided, &alone, err);
        if (!status && alone.op) found->pair = i;
    }
    return status;
}
