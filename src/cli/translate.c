/* tide translate */
#include "cli/cli.h"
#include "cli/pictures.h"
#include "cli/shown.h"
#include "text/ds.h"
#include "text/lines.h"
#include "train/unknown.h"
#include "view/progress.h"

#include <stdio.h>
#include <string.h>

static const Flag flags[] = {
    {"beam-size", 1, "N", "hypotheses (default: the model's)"},
    {"normalize", 1, "R", "divide scores by length to this power (default: the model's; 0: do not)"},
    {"n-best", 1, "N", "print the N best: `line ||| text ||| features ||| score`"},
    {"alignment", 1, "hard|soft", "append ` ||| ` and the alignment: Pharaoh pairs, or all weights"},
    FLAGS_SHOWN,
    {"heatmap", 1, "DIR", "draw each translation's alignment as DIR/0001.svg ..."},
    {"replace-unk", 0, NULL, "write the source word in place of a word that the model does not know"},
    {"lexicon", 1, "FILE", "or its translation in FILE, lines `source TAB target`"},
    {"allow-han", 0, NULL, "Han may be written in any target language"},
    {"transpose", 0, NULL, "heatmaps with the target across the top"},
    {"mini-batch", 1, "N", "sentences decoded together (default 64); the results are the same"},
    {"timing", 0, NULL, "say on stderr where the time went"},
    FLAG_THREADS,
    FLAG_ISA,
};

/* Seconds spent. */
typedef struct Spent {
    double start, load, checksum, read, write;
    Timing search;
} Spent;

/* The seconds since *moment, which becomes now. */
static double lap(double *moment) {
    double before = *moment;
    *moment = seconds_now();
    return *moment - before;
}

static void print_timing(const Spent *s, double total) {
    fprintf(stderr,
            "start %.1f ms, load %.1f (checksum %.1f), read %.1f, encode %.1f, decode %.1f, write %.1f, total %.1f\n",
            s->start * 1e3, s->load * 1e3, s->checksum * 1e3, s->read * 1e3, s->search.encode * 1e3,
            s->search.decode * 1e3, s->write * 1e3, total * 1e3);
}

typedef struct Settings {
    const char *model, *alignment, *heatmap;
    BeamOptions beam;
    Shown shown;
    int threads, batch, n_best;
    bool transpose, replace_unknown, allow_han;
    Lexicon *lexicon; /* NULL: none */
    char **lines;     /* what is translated */
} Settings;

static Alignment alignment_at(const Settings *s, const Translator *tr, const Translations *found, int i,
                              const Hypothesis *h) {
    Alignment alignment = translation_alignment(found, tr, i, h);
    shown_apply(&s->shown, &alignment);
    return alignment;
}

static void print_alignment(const Settings *s, const Alignment *alignment) {
    fputs(" ||| ", stdout);
    if (strcmp(s->alignment, "hard") != 0) {
        alignment_soft(stdout, alignment);
        return;
    }
    Link *links = shown_links(&s->shown, alignment);
    links_print(stdout, links, (int)arrlen(links));
    arrfree(links);
}

static void print_hypothesis(const Settings *s, const Translator *tr, const Translations *found, int i, int k) {
    const Hypothesis *h = k < found->nbest[i].count ? &found->nbest[i].list[k] : NULL;
    char *text = s->replace_unknown && h ? unknown_replace(tr, s->lines[i], h, s->lexicon, s->allow_han)
                                         : translation_text(found, tr, i, k);
    if (s->n_best) printf("%d ||| ", i);
    fputs(text, stdout);
    if (s->alignment && h && h->alpha) {
        Alignment a = alignment_at(s, tr, found, i, h);
        print_alignment(s, &a);
        alignment_free(&a);
    } else if (s->alignment) {
        fputs(" ||| ", stdout);
    }
    if (s->n_best) printf(" ||| F0= %.6f ||| %.6f", h ? h->log_probability : 0, h ? h->score : 0);
    putchar('\n');
    mem_free(text);
}

static int draw(const Settings *s, const Translator *tr, const Translations *found, Err *err) {
    Pictures pictures = {s->heatmap, s->transpose, 0};
    if (pictures_begin(&pictures, err)) return -1;
    for (int i = 0; i < found->n; i++) {
        const Hypothesis *h = found->nbest[i].count ? found->nbest[i].list : NULL;
        if (!h || !h->alpha) {
            pictures_skip(&pictures);
            continue;
        }
        Alignment a = alignment_at(s, tr, found, i, h);
        int status = pictures_add(&pictures, &a, err);
        alignment_free(&a);
        if (status) return -1;
    }
    return 0;
}

static void count(void *context, long done, long all) {
    progress_count(context, "translating", done, all, seconds_now(), false);
}

static int write_out(const Settings *s, const Translator *tr, const Translations *found, Err *err) {
    for (int i = 0; i < found->n; i++)
        for (int k = 0; k < (s->n_best ? s->n_best : 1) && (k == 0 || k < found->nbest[i].count); k++)
            print_hypothesis(s, tr, found, i, k);
    fflush(stdout);
    return s->heatmap ? draw(s, tr, found, err) : 0;
}

static int run_on(const Settings *s, const Translator *tr, Spent *spent, Err *err) {
    Threads *threads = threads_new(s->threads);
    Tape tape;
    ProgressView view;
    progress_start(&view);
    tape_init(&tape, threads, rng_seed(0, 0));
    Translations found = translate(&tape, tr, s->lines, (int)arrlen(s->lines), &s->beam, s->batch, count, &view);
    progress_clear(&view);
    double moment = seconds_now();
    int status = write_out(s, tr, &found, err);
    spent->write = lap(&moment);
    spent->search = found.timing;
    translations_free(&found);
    tape_free(&tape);
    threads_free(threads);
    return status;
}

static int settings_of(const Args *args, const Translator *tr, Settings *s, Err *err) {
    s->beam = translator_beam_options(tr);
    s->heatmap = args_value(args, "heatmap", 0);
    s->transpose = args_has(args, "transpose");
    s->replace_unknown = args_has(args, "replace-unk");
    s->allow_han = args_has(args, "allow-han");
    translator_allow(tr, s->replace_unknown, s->allow_han, &s->beam);
    if (args_int(args, "n-best", 0, 0, 1000, &s->n_best, err) ||
        args_int(args, "mini-batch", 64, 1, 4096, &s->batch, err) ||
        args_choice(args, "alignment", NULL, "hard|soft", &s->alignment, err) || shown_flags(args, &s->shown, err) ||
        args_int(args, "beam-size", s->beam.beam, 1, 1000, &s->beam.beam, err) ||
        args_real(args, "normalize", s->beam.normalize, 0, 10, &s->beam.normalize, err))
        return -1;
    if (s->n_best > s->beam.beam)
        return err_set(err, NULL, 0, "--n-best %d needs --beam-size %d", s->n_best, s->n_best);
    const bool attention = strcmp(tr->options.attention, "none") != 0;
    if ((s->alignment || s->heatmap) && !attention)
        return err_set(err, NULL, 0, "this model has no attention, so there is no alignment to show");
    if (s->replace_unknown && !attention)
        return err_set(err, NULL, 0, "this model has no attention, so --replace-unk cannot tell where a word is from");
    return 0;
}

/* The lexicon, if there is to be one, and the sentences. */
static int read_input(const Args *args, Settings *s, Err *err) {
    const char *path = args_value(args, "lexicon", 0);
    if (path && !(s->lexicon = lexicon_read(path, err))) return -1;
    return (s->lines = lines_read(NULL, 1, err)) ? 0 : -1;
}

static int run(const Args *args) {
    Err err;
    Settings settings = {0};
    Spent spent = {0};
    Translator translator;
    double moment = args->began;
    if (args->word_count != 1) return usage_error("translate needs one MODEL; see `tide translate --help`");
    if (args_has(args, "lexicon") && !args_has(args, "replace-unk"))
        return usage_error("--lexicon needs --replace-unk");
    if (machine_flags(args, &settings.threads, &err)) return usage_error("%s", err.reason);
    spent.start = lap(&moment);
    if (translator_load(&translator, args->words[0], &err)) return fail(&err);
    spent.load = lap(&moment);
    spent.checksum = safetensors_checksum_seconds(translator.file);
    if (settings_of(args, &translator, &settings, &err)) {
        translator_free(&translator);
        return usage_error("%s", err.reason);
    }
    int failed = read_input(args, &settings, &err);
    spent.read = lap(&moment);
    int status = failed || run_on(&settings, &translator, &spent, &err) ? fail(&err) : 0;
    lines_free(settings.lines);
    lexicon_free(settings.lexicon);
    translator_free(&translator);
    if (args_has(args, "timing") && !status) print_timing(&spent, seconds_now() - args->began);
    return status;
}

const Command command_translate = {
    .name = "translate",
    .summary = "translate standard input, a sentence a line",
    .usage = "MODEL [flags] < source > translation",
    .about =
        "MODEL is a directory that `tide train` made, or a model.safetensors.\n\n"
        "With --replace-unk the model may write <unk>, and in the text each one becomes the source word that it was\n"
        "read from: the one with the largest weight in the alignment. With --lexicon, what FILE says for the longest\n"
        "source text that covers that word is written instead. --alignment and --heatmap show <unk>, for that is what\n"
        "the model wrote. Han is not written in a target language that is not written with it: pieces that hold Han\n"
        "are banned, and --replace-unk leaves out source words that hold Han and are not in FILE; --allow-han lifts\n"
        "both.\n\n"
        "--timing prints milliseconds. `start` is what passed before the model was opened: the processor time that\n"
        "the process had used when main began, and the time since. `load` is opening the model, of which `checksum`\n"
        "read every byte of it; `read` is reading all other input; `encode` and `decode` are the two halves of the\n"
        "search, with the packing of the weights that each uses first; `write` is printing and drawing. The rest of\n"
        "`total` went into pieces and threads, and into giving memory back.",
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .run = run,
};
