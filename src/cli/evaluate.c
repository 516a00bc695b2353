/* tide evaluate: translates a test set and computes BLEU and chrF. */
#include "cli/test_set.h"
#include "cli/word_lists.h"
#include "cli/messages.h"
#include "cli/models.h"
#include "io/ds.h"
#include "io/output.h"
#include "score/chrf.h"
#include "translate/confidence.h"

#include <stdio.h>

static const Flag flags[] = {
    FLAG_FILE("src", "source sentences"),
    {"ref", MANY, "FILE...", "their reference translations, line by line; several files: several references",
     .kind = VALUE_FILE},
    FLAGS_PAIRS_IN_A_FILE("--ref"),
    FLAG_MODELS,
    FLAGS_BEAM,
    FLAGS_SHORTLIST,
    FLAG_MAX_LENGTH,
    FLAG_TAG,
    FLAG_PRECISION,
    FLAG_ATTENTION_MODE,
    FLAGS_ALIGNMENT,
    FLAG_LC,
    FLAGS_FORMAT,
    FLAG_FILE("output", "write the translations to FILE"),
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};

enum { BATCH = 64 };

typedef struct Evaluation {
    Models models;
    SearchOptions search;
    int threads;
    TestSet set;
    Shortlist shortlist; /* all zero: none */
    ProgressView view;
    char **texts;       /* stb_ds array, owned: the translations so far */
    double *confidence; /* stb_ds array, owned: of each of them; -1: none */
} Evaluation;

static void count(void *context, long done, long all) {
    Evaluation *e = context;
    (void)all;
    progress_count(&e->view, "translating", arrlen(e->texts) + done, arrlen(e->set.pairs.text[SOURCE]), seconds_now(),
                   false);
}

/* Translates all sources. Returns 0, or -1 with *err filled if the search of one fails. */
static int translate_all(Evaluation *e, Err *err) {
    int status = 0;
    char *const *const all = e->set.pairs.text[SOURCE];
    Threads *threads = threads_new(e->threads);
    Session session;
    messages_progress(&e->view);
    session_init(&session, e->models.list, e->models.count, threads);
    search_options_session(&e->search, &session);
    BeamOptions beam = search_options_beam(&e->search, e->models.list[0], NULL);
    for (int left; !status && (left = (int)(arrlen(all) - arrlen(e->texts))) > 0;) {
        char *const *sources = all + arrlen(e->texts);
        const int n = translate_most(sources, left, beam.beam);
        ColumnSet *shortlists = shortlist_sets(&e->shortlist, sources, n);
        beam.shortlists = shortlists;
        Translations found = session_translate(&session, sources, n, &beam, BATCH, count, e);
        status = translations_check(&found, arrlen(e->texts), err);
        for (int i = 0; i < n; i++) {
            arrput(e->texts, translation_text(&found, i, 0));
            arrput(e->confidence, confidence_of_best(&e->models.list[0]->options, &found.nbest[i]));
        }
        translations_free(&found);
        shortlist_sets_free(shortlists, n);
    }
    progress_clear(&e->view);
    session_free(&session);
    threads_free(threads);
    return status;
}

/* Prints the mean confidence, and how well it predicts the chrF of each sentence, if there are confidences. */
static void print_confidence(const Evaluation *e) {
    const References *all = &e->set.references;
    double *confidence = NULL, *quality = NULL, mean = 0;
    for (ptrdiff_t i = 0; i < arrlen(e->texts); i++) {
        if (e->confidence[i] < 0) continue;
        char *const **sets = mem_alloc((size_t)all->count * sizeof *sets);
        for (int k = 0; k < all->count; k++) sets[k] = &all->sets[k][i];
        arrput(confidence, e->confidence[i]);
        arrput(quality, chrf_references(&e->texts[i], (References){sets, all->count}, 1, 0).score / 100);
        mean += e->confidence[i];
        mem_free((void *)sets);
    }
    const int n = (int)arrlen(confidence);
    if (n > 1) printf("confidence = %.3f, correlation with chrF %.3f\n", mean / n, correlation(confidence, quality, n));
    arrfree(confidence);
    arrfree(quality);
}

static int write_lines(char *const *lines, OutputFile *output, Err *err) {
    for (ptrdiff_t i = 0; i < arrlen(lines); i++) fprintf(output->stream, "%s\n", lines[i]);
    return output_commit(output, err);
}

static int evaluate(Evaluation *e, const Args *args, Err *err) {
    const char *output = args_value(args, "output", 0);
    const TestSet *set = &e->set;
    if (search_check(args, &e->search, e->models.list, e->models.count, err) ||
        shortlist_flag(args, e->models.list[0], &e->shortlist, err) ||
        test_set_read(&e->set, args, e->models.list[0], e->search.max_length, err))
        return -1;
    OutputFile out;
    if (output &&
        (output_check(args, output, &set->pairs.path[SOURCE], 1, err) ||
         output_check(args, output, set->paths, set->references.count, err) || output_open(&out, output, err)))
        return -1;
    if (translate_all(e, err)) {
        if (output) output_discard(&out);
        return -1;
    }
    const int status = output ? write_lines(e->texts, &out, err) : 0, n = (int)arrlen(e->texts);
    const Metric *const metrics[] = {translator_writes_han(e->models.list[0]) ? &metric_bleu_zh : &metric_bleu,
                                     &metric_chrf};
    metric_print(metrics, 2, e->texts, set->references, n, args);
    if (!args_has(args, "score-only") && !args_has(args, "json")) print_confidence(e);
    return status;
}

static int run(const Args *args, Err *err) {
    Evaluation e = {0};
    if (given_pairs_exclude(args, "ref", err)) return -1;
    if (!models_given(args) || !given_pairs_flags(args, "ref"))
        return usage_error(err,
                           "evaluate needs MODEL or --models, and --src with --ref, --tsv, --csv or --jsonl; see `tide "
                           "evaluate --help`");
    if (machine_flags(args, &e.threads, err) || search_flags(args, &e.search, err) || shortlist_check(args, err) ||
        models_load(args, &e.models, err))
        return -1;
    const int status = evaluate(&e, args, err);
    test_set_free(&e.set);
    strings_free(e.texts);
    arrfree(e.confidence);
    shortlist_free(&e.shortlist);
    models_free(&e.models);
    return status;
}

const Command command_evaluate = {
    .name = "evaluate",
    .summary = "translate a test set and score it: BLEU and chrF",
    .usage = "MODEL --src FILE --ref FILE ... | --tsv FILE | --csv FILE | --jsonl FILE  [-lc] [--score-only | --json] "
             "[--output FILE]",
    .about =
        "Prints BLEU and chrF2, each with a signature like sacreBLEU's. The references are used as they are, without\n"
        "normalisation. Chinese translations are scored with tok:zh (by character), others with tok:13a.",
    COMMAND_FLAGS(flags),
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = REMARKS({"tide evaluate run1 --src test.zh --ref test.en", "Measure the quality of a model"},
                        {"tide evaluate run1 --tsv test.tsv", "The same for a file with both texts in its columns"},
                        {"tide evaluate --models run1 run2 --src test.zh --ref test.en --output test.out",
                         "Measure two models together, and keep their translations"}),
    .see = "bleu chrf translate",
    .run = run,
};
