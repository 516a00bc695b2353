/* tide align: forced decoding of given pairs */
#include "cli/cli.h"
#include "cli/pictures.h"
#include "text/ds.h"
#include "text/lines.h"
#include "train/translator.h"

#include <stdio.h>
#include <string.h>

static const Flag flags[] = {
    {"src", 1, "FILE", "source sentences"},
    {"tgt", 1, "FILE", "their translations, line by line"},
    {"format", 1, "pharaoh|soft|json|svg", "what to print (default pharaoh); svg needs --output"},
    {"output", 1, "DIR", "where the svg files go: DIR/0001.svg ..."},
    {"transpose", 0, NULL, "heatmaps with the target across the top"},
    FLAG_THREADS,
    FLAG_ISA,
};

typedef struct Aligner {
    const Translator *translator;
    Tape tape;
    const char *format;
    Pictures pictures;
} Aligner;

/* α [target, source] of one pair, in the tape's arena. */
static const float *force(Aligner *a, const int *source, const int *target) {
    int n_source = (int)arrlen(source), n_target = (int)arrlen(target);
    Batch batch = batch_fold(&a->tape.arena, &source, &n_source, &target, &n_target, 1, ID_BOS);
    Forced forced = model_force(&a->tape, &a->translator->model, &batch);
    float *alpha = arena_alloc(&a->tape.arena, (size_t)n_target * (size_t)n_source * sizeof *alpha);
    for (int i = 0; i < n_target; i++)
        memcpy(alpha + (size_t)i * (size_t)n_source, forced.alpha[i]->v, (size_t)n_source * sizeof *alpha);
    return alpha;
}

static int emit(Aligner *a, const Alignment *alignment, Err *err) {
    if (!strcmp(a->format, "svg")) return pictures_add(&a->pictures, alignment, err);
    if (!strcmp(a->format, "pharaoh")) alignment_pharaoh(stdout, alignment);
    if (!strcmp(a->format, "soft")) alignment_soft(stdout, alignment);
    if (!strcmp(a->format, "json")) alignment_json(stdout, alignment);
    putchar('\n');
    return 0;
}

static int align_pair(Aligner *a, const char *source_text, const char *target_text, Err *err) {
    TapeMark mark = tape_mark(&a->tape);
    int *source = side_encode(&a->translator->source, source_text);
    int *target = side_encode(&a->translator->target, target_text);
    Alignment alignment =
        alignment_of(a->translator, source, (int)arrlen(source), target, (int)arrlen(target), force(a, source, target));
    int status = emit(a, &alignment, err);
    alignment_free(&alignment);
    arrfree(source);
    arrfree(target);
    tape_rewind(&a->tape, mark);
    return status;
}

static int align_all(Aligner *a, char **source, char **target, Err *err) {
    for (ptrdiff_t i = 0; i < arrlen(source); i++)
        if (align_pair(a, source[i], target[i], err)) return -1;
    return 0;
}

static int run_with(Aligner *a, const Args *args, int threads, Err *err) {
    const char *src = args_value(args, "src", 0), *tgt = args_value(args, "tgt", 0);
    char **source = lines_read(src, 0, err), **target = source ? lines_read(tgt, 0, err) : NULL;
    int status = target ? 0 : -1;
    if (!status && arrlen(source) != arrlen(target))
        status = err_set(err, tgt, (long)arrlen(target) + 1, "%td lines, but %s has %td", arrlen(target), src,
                         arrlen(source));
    if (!status && a->pictures.dir) status = pictures_begin(&a->pictures, err);
    if (!status) {
        Threads *pool = threads_new(threads);
        tape_init(&a->tape, pool, rng_seed(0, 0));
        status = align_all(a, source, target, err);
        tape_free(&a->tape);
        threads_free(pool);
    }
    lines_free(source);
    lines_free(target);
    return status;
}

static int run(const Args *args) {
    Err err;
    int threads;
    Translator translator;
    Aligner a = {.translator = &translator,
                 .pictures = {args_value(args, "output", 0), args_has(args, "transpose"), 0}};
    if (args->word_count != 1 || !args_has(args, "src") || !args_has(args, "tgt"))
        return usage_error("align needs MODEL, --src and --tgt; see `tide align --help`");
    if (machine_flags(args, &threads, &err) ||
        args_choice(args, "format", "pharaoh", "pharaoh|soft|json|svg", &a.format, &err))
        return usage_error("%s", err.reason);
    if (!strcmp(a.format, "svg") && !a.pictures.dir) return usage_error("--format svg needs --output DIR");
    if (translator_load(&translator, args->words[0], &err)) return fail(&err);
    int status = strcmp(translator.options.attention, "none") != 0
                     ? run_with(&a, args, threads, &err)
                     : err_set(&err, args->words[0], 0, "this model has no attention, so there is no alignment");
    translator_free(&translator);
    return status ? fail(&err) : 0;
}

const Command command_align = {
    .name = "align",
    .summary = "align given sentence pairs (forced decoding)",
    .usage = "MODEL --src FILE --tgt FILE [--format pharaoh|soft|json|svg]",
    .about = "Leads the decoder along the given translations and prints which source piece each target piece reads.",
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .run = run,
};
