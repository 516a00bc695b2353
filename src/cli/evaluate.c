/* tide evaluate */
#include "cli/metric.h"
#include "text/ds.h"
#include "text/files.h"
#include "text/lines.h"
#include "train/translator.h"
#include "view/progress.h"

#include <stdio.h>

static const Flag flags[] = {
    {"src", 1, "FILE", "source sentences"},
    {"ref", 1, "FILE", "their reference translations, line by line"},
    FLAG_MODELS,
    FLAGS_BEAM,
    FLAG_MAX_LENGTH,
    FLAG_ATTENTION_MODE,
    FLAGS_ALIGNMENT,
    FLAG_LC,
    {"output", 1, "FILE", "write the translations there"},
    FLAG_THREADS,
    FLAG_ISA,
};

enum { BATCH = 64 };

typedef struct Evaluation {
    Translator translator;
    BeamOptions beam;
    int threads, max_length;
    Reading reading;
    char **sources, **references;
} Evaluation;

typedef struct Counted {
    ProgressView view;
    int before, all;
} Counted;

static void count(void *context, long done, long all) {
    Counted *counted = context;
    (void)all;
    progress_count(&counted->view, "translating", counted->before + done, counted->all, seconds_now(), false);
}

/* The translations: a stb_ds array, for lines_free. */
static char **translate_all(const Evaluation *e) {
    Threads *threads = threads_new(e->threads);
    Tape tape;
    Counted counted = {.all = (int)arrlen(e->sources)};
    char **texts = NULL;
    progress_start(&counted.view);
    tape_init(&tape, threads, rng_seed(0, 0));
    while (counted.before < counted.all) {
        char *const *sources = e->sources + counted.before;
        const int n = translate_most(sources, counted.all - counted.before, e->beam.beam);
        Translations found = translate(&tape, &e->translator, sources, n, &e->beam, BATCH, count, &counted);
        for (int i = 0; i < n; i++) arrput(texts, translation_text(&found, &e->translator, i, 0));
        translations_free(&found);
        counted.before += n;
    }
    progress_clear(&counted.view);
    tape_free(&tape);
    threads_free(threads);
    return texts;
}

static int write_lines(char *const *lines, FILE *out, const char *path, Err *err) {
    for (ptrdiff_t i = 0; i < arrlen(lines); i++) fprintf(out, "%s\n", lines[i]);
    const int failed = ferror(out);
    if (fclose(out) || failed) return err_set(err, path, 0, "cannot be written");
    return 0;
}

static int evaluate(Evaluation *e, const Args *args, Err *err) {
    const char *src = args_value(args, "src", 0), *ref = args_value(args, "ref", 0);
    const char *output = args_value(args, "output", 0);
    if (readings_set(args, &e->translator, e->reading, err) || !(e->sources = lines_read(src, 0, err)) ||
        !(e->references = lines_read_raw(ref, err)) || metric_check(e->sources, src, e->references, ref, err) ||
        lines_check(&e->translator, SOURCE, e->sources, e->max_length, src, err))
        return -1;
    if (output && (file_is(output, src) || file_is(output, ref)))
        return err_set(err, output, 0, "is read, and would be overwritten");
    FILE *out = output ? file_open(output, "wb", err) : NULL;
    if (output && !out) return -1;
    char **texts = translate_all(e);
    int status = out ? write_lines(texts, out, output, err) : 0;
    const int n = (int)arrlen(texts);
    const Metric *bleu = translator_writes_han(&e->translator) ? &metric_bleu_zh : &metric_bleu;
    metric_print(bleu, texts, e->references, n, args_has(args, "lc"));
    metric_print(&metric_chrf, texts, e->references, n, args_has(args, "lc"));
    lines_free(texts);
    return status;
}

static int run(const Args *args) {
    Err err;
    Evaluation e = {0};
    if (!models_given(args) || !args_has(args, "src") || !args_has(args, "ref"))
        return usage_error("evaluate needs MODEL or --models, --src and --ref; see `tide evaluate --help`");
    if (machine_flags(args, &e.threads, &err) || length_flag(args, &e.max_length, &err) ||
        reading_flags(args, &e.reading, &err))
        return usage_error("%s", err.reason);
    if (models_load(args, &e.translator, &err)) return fail(&err);
    e.beam = translator_beam_options(&e.translator);
    int status = beam_flags(args, &e.translator, &e.beam, &err) ? usage_error("%s", err.reason)
                 : evaluate(&e, args, &err)                     ? fail(&err)
                                                                : 0;
    lines_free(e.sources);
    lines_free(e.references);
    translator_free(&e.translator);
    return status;
}

const Command command_evaluate = {
    .name = "evaluate",
    .summary = "translate a test set and score it: BLEU and chrF",
    .usage = "MODEL --src FILE --ref FILE [-lc] [--output FILE]",
    .about = "Prints BLEU and chrF2, each with a signature like sacreBLEU's, of the references as they stand. Chinese\n"
             "translations are scored by character (tok:zh), others by 13a.",
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .run = run,
};
