/* tide score: log-probability and perplexity of given sentence pairs. */
#include "cli/messages.h"
#include "cli/models.h"
#include "cli/pairs.h"
#include "io/ds.h"

#include <math.h>
#include <stdio.h>

static const Flag flags[] = {
    FLAGS_GIVEN_PAIRS,
    FLAG_MODELS,
    FLAG_MAX_LENGTH,
    FLAG_TAG,
    FLAG_PRECISION,
    FLAG_ATTENTION_MODE,
    FLAG_SWITCH("word-scores", "also print the log-probability of each target piece, and of </s>"),
    FLAG_SWITCH("summary", "print the last line only"),
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};

typedef struct Scoring {
    const Args *args;
    Models models;
    SearchOptions search;
    int threads;
    GivenPairs input;
    double log_probability; /* nats, of the pairs so far */
    long tokens;
} Scoring;

/* Scores n pairs in one batch and prints them. Returns 0, or -1 with *err filled if a score is not finite. */
static int score_some(Scoring *s, Session *session, int first, int n, Err *err) {
    int status = 0;
    PairScore scores[MOST_PAIRS];
    double *pieces[MOST_PAIRS];
    const bool silent = args_has(s->args, "summary"), by_piece = s->search.piece_scores;
    char *const *source = s->input.text[SOURCE] + first, *const *target = s->input.text[TARGET] + first;
    session_scores(session, source, target, n, s->search.attention, scores, pieces);
    for (int i = 0; i < n; i++) {
        if (!status) status = probability_check(scores[i].log_probability, first + i, err);
        s->log_probability += scores[i].log_probability;
        s->tokens += scores[i].pieces;
        if (!silent && !status) {
            printf("%.6f", scores[i].log_probability);
            if (by_piece) word_scores_print(pieces[i], scores[i].pieces);
            putchar('\n');
        }
        mem_free(pieces[i]);
    }
    return status;
}

static int score_all(Scoring *s, Err *err) {
    int status = 0;
    Threads *pool = threads_new(s->threads);
    Session session;
    ProgressView view;
    char *const *source = s->input.text[SOURCE], *const *target = s->input.text[TARGET];
    const int all = (int)arrlen(source);
    messages_progress(&view);
    session_init(&session, s->models.list, s->models.count, pool);
    search_options_session(&s->search, &session);
    for (int i = 0, n; i < all && !status; i += n) {
        n = score_most(source + i, target + i, all - i);
        status = score_some(s, &session, i, n, err);
        progress_count(&view, "scoring", i + n, all, seconds_now(), false);
    }
    progress_clear(&view);
    const double loss = -s->log_probability / (double)s->tokens;
    if (!status)
        printf("log-probability = %.4f tokens = %ld cross-entropy = %.4f perplexity = %.4f\n", s->log_probability,
               s->tokens, loss, exp(loss));
    session_free(&session);
    threads_free(pool);
    return status;
}

static int read_pairs(Scoring *s, Err *err) {
    const Translator *model = s->models.list[0];
    return given_pairs_read(&s->input, s->args, model, err) ||
           given_pairs_check(&s->input, model, false, s->search.max_length, err);
}

static int run(const Args *args, Err *err) {
    Scoring s = {.args = args};
    if (given_pairs_exclude(args, "tgt", err)) return -1;
    if (!models_given(args) || !given_pairs_flags(args, "tgt"))
        return usage_error(err,
                           "score needs MODEL or --models, and --src with --tgt, --tsv, --csv or --jsonl; see `tide "
                           "score --help`");
    if (machine_flags(args, &s.threads, err) || search_flags(args, &s.search, err) || models_load(args, &s.models, err))
        return -1;
    const bool failed =
        search_check(args, &s.search, s.models.list, s.models.count, err) || read_pairs(&s, err) || score_all(&s, err);
    given_pairs_free(&s.input);
    models_free(&s.models);
    return failed ? -1 : 0;
}

const Command command_score = {
    .name = "score",
    .summary = "compute log-probability and perplexity of given pairs",
    .usage = "MODEL --src FILE --tgt FILE | --tsv FILE | --csv FILE | --jsonl FILE  [--word-scores] [--summary]",
    .about =
        "Prints log p(target | source) of each pair in nats, including </s>. The last line has the sum, the number of\n"
        "target pieces, the cross-entropy per piece, and the perplexity (the exponential of the cross-entropy). The\n"
        "probabilities of several models are those with which they translate together.\n\n"
        "--word-scores adds ` ||| WordScores=` and log p of each target piece, as Marian does; "
        "`tide tokenize` shows the\npieces.",
    COMMAND_FLAGS(flags),
    .prints = true,
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples =
        REMARKS({"tide score run1 --src dev.zh --tgt dev.en --summary", "Print the perplexity of a development set"}),
    .see = "align evaluate",
    .run = run,
};
