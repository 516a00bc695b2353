/* tide score: log-probability and perplexity of given sentence pairs. */
#include "cli/messages.h"
#include "cli/models.h"
#include "io/ds.h"
#include "text/normal_lines.h"

#include <math.h>
#include <stdio.h>

static const Flag flags[] = {
    FLAG_FILE("src", "source sentences"),
    FLAG_FILE("tgt", "their translations, line by line"),
    FLAG_MAX_LENGTH,
    FLAG_TAG,
    FLAG_ATTENTION_MODE,
    FLAG_SWITCH("word-scores", "also print the log-probability of each target piece, and of </s>"),
    FLAG_SWITCH("summary", "print the last line only"),
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};

typedef struct Sum {
    double log_probability; /* nats */
    long tokens;
} Sum;

/* Scores n pairs in one batch and prints them. */
static void score_some(Session *session, char *const *source, char *const *target, int n, AttentionOptions attention,
                       const Args *args, Sum *sum) {
    PairScore scores[MOST_PAIRS];
    double *pieces[MOST_PAIRS];
    const bool silent = args_has(args, "summary"), by_piece = args_has(args, "word-scores");
    session_scores(session, source, target, n, attention, scores, pieces);
    for (int i = 0; i < n; i++) {
        sum->log_probability += scores[i].log_probability;
        sum->tokens += scores[i].pieces;
        if (!silent) printf("%.6f", scores[i].log_probability);
        if (!silent && by_piece) word_scores_print(pieces[i], scores[i].pieces);
        if (!silent) putchar('\n');
        mem_free(pieces[i]);
    }
}

static void score_all(const Translator *tr, const char *tag, char *const *source, char *const *target,
                      AttentionOptions attention, int threads, const Args *args) {
    Threads *pool = threads_new(threads);
    Session session;
    Sum sum = {0};
    ProgressView view;
    const int all = (int)arrlen(source);
    messages_progress(&view);
    session_init(&session, &tr, 1, pool);
    session.tag = tag;
    for (int i = 0, n; i < all; i += n) {
        n = score_most(source + i, target + i, all - i);
        score_some(&session, source + i, target + i, n, attention, args, &sum);
        progress_count(&view, "scoring", i + n, all, seconds_now(), false);
    }
    progress_clear(&view);
    double loss = -sum.log_probability / (double)sum.tokens;
    printf("log-probability = %.4f tokens = %ld cross-entropy = %.4f perplexity = %.4f\n", sum.log_probability,
           sum.tokens, loss, exp(loss));
    session_free(&session);
    threads_free(pool);
}

static int run_on(const Args *args, const Translator *tr, AttentionOptions attention, int threads, int most, Err *err) {
    const char *tag;
    const char *src = args_value(args, "src", 0), *tgt = args_value(args, "tgt", 0);
    char **source = lines_read(src, 0, err), **target = source ? lines_read(tgt, 0, err) : NULL;
    int status = target ? tag_flag(args, &tr, 1, &tag, err) : -1;
    if (!status && arrlen(source) != arrlen(target))
        status = err_set(err, tgt, 0, "%td lines, but %s has %td", arrlen(target), src, arrlen(source));
    if (!status)
        status =
            lines_check(tr, SOURCE, source, most, src, err) || lines_check(tr, TARGET, target, most, tgt, err) ? -1 : 0;
    if (!status) score_all(tr, tag, source, target, attention, threads, args);
    strings_free(source);
    strings_free(target);
    return status;
}

static int run(const Args *args, Err *err) {
    int threads, most;
    AttentionOptions attention;
    Translator translator;
    if (args->word_count != 1 || !args_has(args, "src") || !args_has(args, "tgt"))
        return usage_error(err, "score needs MODEL, --src and --tgt; see `tide score --help`");
    if (machine_flags(args, &threads, err) || args_int(args, "max-length", &most, err) ||
        attention_flags(args, &attention, err) || models_load_one(&translator, args->words[0], err))
        return -1;
    int status = translator_check_attention(&translator, args->words[0], attention, err) ||
                 run_on(args, &translator, attention, threads, most, err);
    translator_free(&translator);
    return status ? -1 : 0;
}

static const Remark examples[] = {
    {"tide score run1 --src dev.zh --tgt dev.en --summary", "Print the perplexity of a development set"}, {0}};

const Command command_score = {
    .name = "score",
    .summary = "compute log-probability and perplexity of given pairs",
    .usage = "MODEL --src FILE --tgt FILE [--word-scores] [--summary]",
    .about =
        "Prints log p(target | source) of each pair in nats, including </s>. The last line has the sum, the number of\n"
        "target pieces, the cross-entropy per piece, and the perplexity (the exponential of the cross-entropy).\n\n"
        "--word-scores adds ` ||| WordScores=` and log p of each target piece, as Marian does; `tide tokenize` shows "
        "the\n"
        "pieces.",
    COMMAND_FLAGS(flags),
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = examples,
    .see = "align evaluate",
    .run = run,
};
