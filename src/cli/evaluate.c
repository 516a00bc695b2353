/* tide evaluate: translates a test set and computes BLEU and chrF. */
#include "cli/metric.h"
#include "cli/word_lists.h"
#include "cli/messages.h"
#include "cli/models.h"
#include "io/ds.h"
#include "text/normal_lines.h"
#include "io/output.h"

#include <stdio.h>

static const Flag flags[] = {
    FLAG_FILE("src", "source sentences"),
    {"ref", MANY, "FILE...", "their reference translations, line by line; several files: several references",
     .kind = VALUE_FILE},
    FLAG_MODELS,
    FLAGS_BEAM,
    FLAGS_SHORTLIST,
    FLAG_MAX_LENGTH,
    FLAG_TAG,
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
    char **sources;
    References references;
    Shortlist shortlist; /* all zero: none */
    ProgressView view;
    char **texts; /* stb_ds array, owned: the translations so far */
} Evaluation;

static void count(void *context, long done, long all) {
    Evaluation *e = context;
    (void)all;
    progress_count(&e->view, "translating", arrlen(e->texts) + done, arrlen(e->sources), seconds_now(), false);
}

/* Translates all sources. Returns 0, or -1 with *err filled if the search of one fails. */
static int translate_all(Evaluation *e, Err *err) {
    int status = 0;
    Threads *threads = threads_new(e->threads);
    Session session;
    messages_progress(&e->view);
    session_init(&session, e->models.list, e->models.count, threads);
    session.tag = e->search.tag;
    BeamOptions beam = search_options_beam(&e->search, e->models.list[0], NULL);
    for (int left; !status && (left = (int)(arrlen(e->sources) - arrlen(e->texts))) > 0;) {
        char *const *sources = e->sources + arrlen(e->texts);
        const int n = translate_most(sources, left, beam.beam);
        ColumnSet *shortlists = shortlist_sets(&e->shortlist, sources, n);
        beam.shortlists = shortlists;
        Translations found = session_translate(&session, sources, n, &beam, BATCH, count, e);
        status = translations_check(&found, arrlen(e->texts), err);
        for (int i = 0; i < n; i++) arrput(e->texts, translation_text(&found, i, 0));
        translations_free(&found);
        shortlist_sets_free(shortlists, n);
    }
    progress_clear(&e->view);
    session_free(&session);
    threads_free(threads);
    return status;
}

static int write_lines(char *const *lines, OutputFile *output, Err *err) {
    for (ptrdiff_t i = 0; i < arrlen(lines); i++) fprintf(output->stream, "%s\n", lines[i]);
    return output_commit(output, err);
}

static int evaluate(Evaluation *e, const Args *args, Err *err) {
    const char *src = args_value(args, "src", 0), *const *refs = args_values(args, "ref");
    const int ref_count = args_count(args, "ref");
    const char *output = args_value(args, "output", 0);
    if (search_check(args, &e->search, e->models.list, e->models.count, err) ||
        shortlist_flag(args, e->models.list[0], &e->shortlist, err) || !(e->sources = lines_read(src, 0, err)) ||
        references_read(&e->references, refs, ref_count, err) ||
        metric_check(e->sources, src, &e->references, refs, err) ||
        lines_check(e->models.list[0], SOURCE, e->sources, e->search.max_length, src, err))
        return -1;
    for (int i = 0; i < ref_count; i++) language_warn(e->models.list[0], TARGET, e->references.sets[i], refs[i]);
    OutputFile out;
    if (output && (output_check(args, output, &src, 1, err) || output_check(args, output, refs, ref_count, err) ||
                   output_open(&out, output, err)))
        return -1;
    if (translate_all(e, err)) {
        if (output) output_discard(&out);
        return -1;
    }
    const int status = output ? write_lines(e->texts, &out, err) : 0, n = (int)arrlen(e->texts);
    const Metric *const metrics[] = {translator_writes_han(e->models.list[0]) ? &metric_bleu_zh : &metric_bleu,
                                     &metric_chrf};
    metric_print(metrics, 2, e->texts, e->references, n, args);
    return status;
}

static int run(const Args *args, Err *err) {
    Evaluation e = {0};
    if (!models_given(args) || !args_has(args, "src") || !args_has(args, "ref"))
        return usage_error(err, "evaluate needs MODEL or --models, --src and --ref; see `tide evaluate --help`");
    if (machine_flags(args, &e.threads, err) || search_flags(args, &e.search, err) || shortlist_check(args, err) ||
        models_load(args, &e.models, err))
        return -1;
    const int status = evaluate(&e, args, err);
    strings_free(e.sources);
    strings_free(e.texts);
    references_free(&e.references);
    shortlist_free(&e.shortlist);
    models_free(&e.models);
    return status;
}

const Command command_evaluate = {
    .name = "evaluate",
    .summary = "translate a test set and score it: BLEU and chrF",
    .usage = "MODEL --src FILE --ref FILE ... [-lc] [--score-only | --json] [--output FILE]",
    .about =
        "Prints BLEU and chrF2, each with a signature like sacreBLEU's. The references are used as they are, without\n"
        "normalisation. Chinese translations are scored with tok:zh (by character), others with tok:13a.",
    COMMAND_FLAGS(flags),
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = REMARKS({"tide evaluate run1 --src test.zh --ref test.en", "Measure the quality of a model"},
                        {"tide evaluate --models run1 run2 --src test.zh --ref test.en --output test.out",
                         "Measure two models together, and keep their translations"}),
    .see = "bleu chrf translate",
    .run = run,
};
