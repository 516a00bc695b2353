#include "train/update.h"
#include "core/shard_sums.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Adds weight × mean cost(α_i) over the target rows to the loss: see `guided` in core/ops.h. */
static Var *guide_all(Tape *tape, Var *loss, const Forced *forced, const Sequences *y, int rows,
                      const UpdateOptions *o) {
    for (int t = 0; t < y->steps; t++)
        loss = guided(tape, loss, forced->alpha[t], (Guide){o->guide->begin + y->offset[t], o->guide->column},
                      o->guide_cost, o->guide_weight / rows);
    return loss;
}

void update_gradients(Tape *tape, Model *model, const Batch *batch, const UpdateOptions *o, double *nats) {
    const int rows = o->rows ? o->rows : batch->target.rows;
    const int shards = batch->target_shards ? batch->target_shards->count : 1;
    tape->recording = true;
    tape->products = o->products;
    Forced forced = model_force(tape, model, batch, &(PassOptions){.dropout = o->dropout});
    Var *loss =
        model_loss(tape, model, &forced, (Objective){&batch->target, rows, o->label_smoothing, o->teacher}, nats);
    if (o->guide) loss = guide_all(tape, loss, &forced, &batch->target, rows, o);
    const bool finite = isfinite(*var_values(loss));
    tape_backward(tape, loss);
    for (int s = 0; s < shards && !finite; s++) nats[s] = NAN;
}

/* ---- the tree --------------------------------------------------------------------------------------------------- */

void gradient_tree_add(GradientTree *tree, Threads *threads, Params *params, int parts) {
    int level = shard_waiting(tree->done);
    for (int bits = tree->done++; bits % 2; bits /= 2)
        shard_add(threads, params->size, params->gradients, tree->waiting[--level]);
    if (tree->done == parts) {
        tree->done = 0;
        return;
    }
    if (!tree->waiting[level]) tree->waiting[level] = mem_alloc_aligned(params->size * sizeof(real));
    memcpy(tree->waiting[level], params->gradients, params->size * sizeof(real));
    memset(params->gradients, 0, params->size * sizeof(real));
}

void gradient_tree_free(GradientTree *tree) {
    for (int i = 0; i < SHARD_LEVELS; i++) mem_free(tree->waiting[i]);
    *tree = (GradientTree){0};
}

/* ---- the step --------------------------------------------------------------------------------------------------- */

static void clear_gradients(Model *model) {
    memset(model->params.gradients, 0, model->params.size * sizeof *model->params.gradients);
}

int update_step(Tape *tape, Model *model, Optimizer *optimizer, Exchange *exchange, double nats, const UpdateOptions *o,
                double *norm, Err *err) {
    Params *params = &model->params;
    *norm = NAN;
    if (isfinite(nats)) {
        if (exchange && exchange_gradients(exchange, params->gradients, err)) return -1;
        optimizer_squares(optimizer, tape->threads, params->gradients);
        if (exchange && exchange_squares(exchange, err)) return -1;
        *norm = optimizer_norm(optimizer);
    }
    if (!isfinite(*norm)) {
        clear_gradients(model);
        return 0;
    }
    if (exchange) exchange_remember(exchange, params->values);
    optimizer_update(optimizer, tape->threads, params->values, params->gradients, *norm, &o->step);
    return exchange ? exchange_weights(exchange, params->values, err) : 0;
}

/* Runs n pairs of a part, from pair `first` on. */
static int watch_pairs(Tape *tape, Model *model, const Pairs *pairs, const BatchPart *part, int first, int n,
                       const UpdateOptions *o, Watch *watch, Err *err) {
    Batch batch;
    double nats;
    *watch = (Watch){0};
    tape_reset(tape);
    if (pairs_fold(&tape->arena, pairs, part->which + first, part->index + first, n, o->noise, &batch, err)) return -1;
    tape->watch = watch;
    update_gradients(tape, model, &batch, o, &nats);
    tape->watch = NULL;
    clear_gradients(model);
    return 0;
}

/* Finds the pair of the part with the smallest index that is not finite when it runs alone. */
static int find_pair(Tape *tape, Model *model, const Pairs *pairs, const BatchPart *part, const UpdateOptions *o,
                     NonFinite *found, Err *err) {
    for (int i = 0; i < part->n; i++) {
        Watch alone;
        if (found->index >= 0 && found->index < part->index[i]) return 0;
        if (watch_pairs(tape, model, pairs, part, i, 1, o, &alone, err)) return -1;
        if (!alone.op) continue;
        found->index = part->index[i];
        found->pair = part->which[i];
        return 0;
    }
    return 0;
}

int update_find_nonfinite(Tape *tape, Model *model, const Pairs *pairs, const BatchParts *parts, const UpdateOptions *o,
                          NonFinite *found, Err *err) {
    UpdateOptions unguided = *o;
    unguided.guide = NULL; /* the guide cost is finite for any weights */
    *found = (NonFinite){.index = -1};
    int status = 0;
    Watch watch = {0};
    for (int k = 0; k < parts->count && !watch.op && !status; k++)
        if (parts->list[k].n)
            status = watch_pairs(tape, model, pairs, &parts->list[k], 0, parts->list[k].n, &unguided, &watch, err);
    if (watch.op) snprintf(found->op, sizeof found->op, "%.*s", watch.length, watch.op);
    found->back = watch.back;
    for (int k = 0; k < parts->count && !status; k++)
        status = find_pair(tape, model, pairs, &parts->list[k], &unguided, found, err);
    return status;
}
