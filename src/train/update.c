#include "train/update.h"

/* loss + weight mean cost(α_i): see guided. */
static Var *guide_all(Tape *tape, Var *loss, const Forced *forced, const Sequences *y, const UpdateOptions *o) {
    for (int t = 0; t < y->steps; t++)
        loss = guided(tape, loss, forced->alpha[t], (Guide){o->guide->begin + y->offset[t], o->guide->column},
                      o->guide_cost, o->guide_weight / y->rows);
    return loss;
}

double update_by(Tape *tape, Model *model, Optimizer *optimizer, const Batch *batch, const UpdateOptions *o,
                 double *nats) {
    tape->recording = true;
    Forced forced = model_force(tape, model, batch);
    Var *logits = model_logits(tape, model, &forced);
    Var *loss = cross_entropy(tape, logits, batch->target.ids, o->label_smoothing, nats);
    if (o->guide) loss = guide_all(tape, loss, &forced, &batch->target, o);
    tape_backward(tape, loss);
    return optimizer_step(optimizer, tape->threads, model->params.values, model->params.gradients, o->learn_rate,
                          o->clip_norm);
}
