#include "train/training.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void training_note(const Training *t, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (t->callbacks->note) t->callbacks->note(t->callbacks->context, text);
}

bool training_writes(const Training *t) { return ranks_own(t->ranks) == 0; }

int training_join(const Training *t, Err *err) {
    int32_t *all = mem_alloc((size_t)ranks_count(t->ranks) * sizeof *all);
    const int status = ranks_gather(t->ranks, &(int32_t){0}, all, sizeof *all, true, err);
    mem_free(all);
    return status;
}

int training_log(Training *t, const char *line, Err *err) {
    t->state.log_lines++;
    if (!training_writes(t)) return 0;
    return log_line(&t->directory.log, line, err);
}

int training_collect(Training *t, Learner *whole, Err *err) {
    *whole = t->learner;
    int status = exchange_collect(&t->exchange, &whole->optimizer.average, false, err);
    for (int i = 0; i < OPTIMIZER_SLOTS && !status; i++)
        status = exchange_collect(&t->exchange, &whole->optimizer.slots[i], false, err);
    return status;
}

void training_release_collected(const Training *t, Learner *whole) {
    const Optimizer *own = &t->learner.optimizer;
    for (int i = 0; i < OPTIMIZER_SLOTS; i++)
        if (whole->optimizer.slots[i] != own->slots[i]) mem_free(whole->optimizer.slots[i]);
    if (whole->optimizer.average != own->average) mem_free(whole->optimizer.average);
}

bool training_due(long update, int frequency) { return frequency > 0 && update % frequency == 0; }

bool training_validation_due(const Training *t) {
    const int frequency = t->job->options.valid_freq;
    return frequency ? training_due(t->state.update, frequency) : t->state.batch == 0;
}

double training_epochs(const Training *t) {
    return (double)t->state.epoch + (t->epoch.batches ? (double)t->state.batch / t->epoch.batches : 0);
}

double training_perplexity(double nats) { return fmin(exp(nats), 1e15); }
