/* tide score */
#include "cli/cli.h"
#include "core/ops.h"
#include "text/ds.h"
#include "text/lines.h"
#include "train/translator.h"

#include <math.h>
#include <stdio.h>

static const Flag flags[] = {
    {"src", 1, "FILE", "source sentences"},
    {"tgt", 1, "FILE", "their translations, line by line"},
    FLAG_MAX_LENGTH,
    FLAG_ATTENTION_MODE,
    {"summary", 0, NULL, "print the last line only"},
    FLAG_THREADS,
    FLAG_ISA,
};

typedef struct Sum {
    double log_probability; /* nats */
    long tokens;
} Sum;

/* log p(target | source) in nats, </s> included; adds it to the sum. */
static double score_pair(Tape *tape, const Translator *tr, const char *source_text, const char *target_text, Sum *sum) {
    TapeMark mark = tape_mark(tape);
    int *source = side_encode(&tr->source, source_text), *target = side_encode(&tr->target, target_text);
    const int *x = source, *y = target;
    int n = (int)arrlen(source), m = (int)arrlen(target);
    double nats;
    Batch batch = batch_fold(&tape->arena, &x, &n, &y, &m, 1, ID_BOS);
    Forced forced = model_force(tape, &tr->model, &batch);
    cross_entropy(tape, model_logits(tape, &tr->model, &forced), batch.target.ids, batch.target.rows, 0, &nats);
    arrfree(source);
    arrfree(target);
    tape_rewind(tape, mark);
    sum->log_probability -= nats;
    sum->tokens += m;
    return -nats;
}

static void score_all(const Translator *tr, char *const *source, char *const *target, int threads, bool summary) {
    Threads *pool = threads_new(threads);
    Tape tape;
    Sum sum = {0};
    tape_init(&tape, pool, rng_seed(0, 0));
    for (ptrdiff_t i = 0; i < arrlen(source); i++) {
        double log_probability = score_pair(&tape, tr, source[i], target[i], &sum);
        if (!summary) printf("%.6f\n", log_probability);
    }
    double loss = -sum.log_probability / (double)sum.tokens;
    printf("log-probability = %.4f tokens = %ld cross-entropy = %.4f perplexity = %.4f\n", sum.log_probability,
           sum.tokens, loss, exp(loss));
    tape_free(&tape);
    threads_free(pool);
}

static int run_on(const Args *args, const Translator *tr, int threads, int most, Err *err) {
    const char *src = args_value(args, "src", 0), *tgt = args_value(args, "tgt", 0);
    char **source = lines_read(src, 0, err), **target = source ? lines_read(tgt, 0, err) : NULL;
    int status = target ? 0 : -1;
    if (!status && arrlen(source) != arrlen(target))
        status = err_set(err, tgt, 0, "%td lines, but %s has %td", arrlen(target), src, arrlen(source));
    if (!status)
        status =
            lines_check(tr, SOURCE, source, most, src, err) || lines_check(tr, TARGET, target, most, tgt, err) ? -1 : 0;
    if (!status) score_all(tr, source, target, threads, args_has(args, "summary"));
    lines_free(source);
    lines_free(target);
    return status;
}

static int run(const Args *args) {
    Err err;
    int threads, most;
    Reading reading;
    Translator translator;
    if (args->word_count != 1 || !args_has(args, "src") || !args_has(args, "tgt"))
        return usage_error("score needs MODEL, --src and --tgt; see `tide score --help`");
    if (machine_flags(args, &threads, &err) || length_flag(args, &most, &err) || reading_flags(args, &reading, &err))
        return usage_error("%s", err.reason);
    if (translator_load(&translator, args->words[0], &err)) return fail(&err);
    int status =
        reading_set(&translator, args->words[0], reading, &err) || run_on(args, &translator, threads, most, &err);
    translator_free(&translator);
    return status ? fail(&err) : 0;
}

const Command command_score = {
    .name = "score",
    .summary = "log-probability and perplexity of given pairs",
    .usage = "MODEL --src FILE --tgt FILE [--summary]",
    .about =
        "Prints log p(target | source) of each pair in nats, </s> included, and a line with the sum, the number of\n"
        "target pieces, the cross-entropy a piece and its exponential, the perplexity.",
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .run = run,
};
