#include "train/training.h"
#include "io/ds.h"

#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>

static const double MiB = 1 << 20;

void training_warn_of_weights(const Training *t) {
    const TrainOptions *o = &t->job->options;
    const int numbers = 2 + optimizer_kind_at(o->optimizer)->slots + (o->exponential_smoothing > 0);
    const double need = (double)t->learner.translator.model.params.size * numbers * (double)sizeof(real);
    if (t->memory.available > 0 && need > t->memory.available)
        training_note(t,
                      "memory: weights, gradients and optimizer need %.0f MiB, but only %.0f MiB are free; choose a "
                      "smaller preset or smaller sizes, such as --dim-rnn",
                      ceil(need / MiB), floor(t->memory.available / MiB));
}

/* An int counts rows and columns. Checks that the matrices of the largest batch fit or, with --workspace, which
   splits batches, those of its longest pair. */
static int check_largest(const Training *t, Err *err) {
    const BatchMemory *m = &t->memory;
    const LargestBatch b = m->largest;
    const double longest = b.source > b.target ? b.source : b.target;
    const double rows = (m->limit > 0 ? 1 : b.n) * longest, cols = t->job->options.model.heads * longest;
    if (rows <= INT_MAX && cols <= INT_MAX && m->batch < (double)PTRDIFF_MAX) return 0;
    return err_set(
        err, data_name(&t->job->files), 0,
        "a batch of %d pairs of up to %d and %d pieces is too large: a matrix has at most %d rows and columns; "
        "give a smaller --mini-batch, --max-length or --heads, or a --workspace",
        b.n, b.source, b.target, INT_MAX);
}

/* The most pairs that this rank has of the largest batch. */
static int own_pairs(const Training *t) {
    const int n = t->memory.largest.n, all = t->shards.all, most = (n + all - 1) / all * t->shards.count;
    return most < n ? most : n;
}

/* The bytes that these pairs need; at most the limit of --workspace. */
static double own_need(const Training *t) {
    const BatchMemory *m = &t->memory;
    const double need = workspace_need(&m->workspace, own_pairs(t), m->largest.source, m->largest.target);
    return need < m->batch ? need : m->batch;
}

/* The bytes that do not depend on the batch: weights, gradients, the slots of the optimizer, packed weights, and the
   weights of a teacher and of the pretrained model. */
static double bytes_of_weights(const Training *t) {
    const Optimizer *o = &t->learner.optimizer;
    /* weights and gradients; of the slice the slots and, if there is one, the average */
    const double numbers = 2.0 * (double)o->size + (o->kind->slots + (o->average != NULL)) * (double)(o->to - o->from);
    const double teacher = t->distillation.open ? (double)o->size : 0;
    const double pretrained = t->pretrained ? 2.0 * (double)o->size : 0; /* in a validation, the mean with them, too */
    return (numbers + teacher + pretrained) * sizeof(real) + t->memory.workspace.panels;
}

/* Warns, before the batch is allocated, if the weights fit into memory, but the weights and a batch do not. */
static void warn_of_memory(const Training *t) {
    const double free = t->memory.available, weights = bytes_of_weights(t), room = floor((free - weights) / MiB * 0.7);
    if (free <= 0 || weights > free || weights + own_need(t) <= free) return;
    char workspace[32] = "";
    if (room >= 1) snprintf(workspace, sizeof workspace, "--workspace %.0f, or ", room);
    training_note(t,
                  "memory: weights and a batch need %.0f MiB, but only %.0f MiB are free; %sa smaller --mini-batch or "
                  "preset makes it fit",
                  ceil((weights + own_need(t)) / MiB), floor(free / MiB), workspace);
}

int training_reserve_memory(Training *t, Err *err) {
    BatchMemory *m = &t->memory;
    const Pairs *pairs = &t->data.pairs;
    m->largest = workspace_largest(pairs, t->job->options.mini_batch);
    m->limit = t->job->options.workspace * MiB;
    m->workspace =
        workspace_measure(t->threads, &t->learner.translator.model, t->job->options.dropout, t->job->files.guides,
                          t->shards.all, t->job->options.precision, t->distillation.open ? &t->distillation : NULL);
    m->batch = workspace_need(&m->workspace, m->largest.n, m->largest.source, m->largest.target);
    if (m->limit > 0 && m->batch > m->limit) {
        const int pair = workspace_largest_pair(&m->workspace, pairs);
        const int x = pairs->source_length[pair], y = pairs->target_length[pair];
        const double least = workspace_need(&m->workspace, 1, x, y);
        if (least > m->limit)
            return err_set(err, data_name_of(&t->job->files, pairs, pair), pairs->line[pair],
                           "the pair of %d and %d pieces needs a --workspace of at least %.0f", x, y,
                           ceil(least / MiB));
        m->batch = m->limit;
    }
    if (check_largest(t, err)) return -1;
    warn_of_memory(t);
    arena_reserve(&t->session.tape.arena, (size_t)own_need(t));
    return 0;
}

void training_describe_memory(const Training *t) {
    const LargestBatch batch = t->memory.largest;
    char messages[64] = "";
    if (t->exchange.bytes)
        snprintf(messages, sizeof messages, "%.0f MiB for messages, ", ceil((double)t->exchange.bytes / MiB));
    training_note(t,
                  "memory%s: %.0f MiB for weights, gradients and optimizer, %s%.0f MiB for a batch (%d pairs of up to "
                  "%d and %d pieces)",
                  *messages ? " of a rank" : "", ceil(bytes_of_weights(t) / MiB), messages, ceil(own_need(t) / MiB),
                  own_pairs(t), batch.source, batch.target);
}
