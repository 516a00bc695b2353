#include "train/update.h"

double update_by(Tape *tape, Model *model, Optimizer *optimizer, const Batch *batch, const UpdateOptions *o,
                 double *nats) {
    tape->recording = true;
    Forced forced = model_force(tape, model, batch);
    tape_backward(tape, cross_entropy(tape, model_logits(tape, model, &forced), batch->target.ids, o->label_smoothing, nats));
    return optimizer_step(optimizer, tape->threads, model->params.values, model->params.gradients, o->learn_rate,
                          o->clip_norm);
}
