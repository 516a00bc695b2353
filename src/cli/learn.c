/* tide learn: trains a model further on corrections of its translations. */
#include "cli/messages.h"
#include "cli/pairs.h"
#include "cli/training.h"
#include "io/ds.h"
#include "io/system.h"
#include "train/learn.h"
#include "translate/model_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const Flag flags[] = {
    {"output", 1, "DIR",
     "directory for the new model; the same training that was interrupted there is continued, another one dropped",
     .kind = VALUE_DIR},
    {"keep-sets", 2, "SRC TGT",
     "text of the kind that the model translates well, and should still: two line-aligned files", .kind = VALUE_FILE},
    FLAG_FILE("keep-tsv", "the same: " HELP_TSV " (default: the starter corpus)"),
    FLAG_CHOICE(
        "keep-targets",
        "learn the translations of this text that are given, the model's own, or the probabilities that it gives "
        "to each word of the given ones (default: its own for the starter corpus, else probabilities)",
        keep_targets_names, NULL),
    {"valid-sets", 2, "SRC TGT", "development set: two line-aligned files", .kind = VALUE_FILE},
    FLAG_FILE("valid-tsv", "development set: " HELP_TSV " (default: that of the starter corpus)"),
    FLAG_REAL("most-loss", "BLEU that the development set may lose; if it loses more, the new model is refused", 0, 100,
              "0.5"),
    {"served", 1, "MODEL", "the model that the new one must better (default: the model itself)", .kind = VALUE_FILE},
    FLAG_INT("updates", "updates of the training; 0: by the number of corrections", 0, 1e6, "0"),
    FLAG_REAL(
        "learn-rate",
        "learning rate, which stays constant; 0: 0.2 of that with which MODEL was trained; with its probabilities "
        "as targets 0.8, or less in less than a thousand updates",
        0, 10, "0"),
    FLAG_REAL("share", "share of the corrections in an epoch; the rest is the text of --keep-*", 0.01, 0.99, "0.4"),
    FLAG_INT("seed", "random seed of the sample of this text, data order and dropout", 0, 2147483647, "1"),
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};

/* ---- the files -------------------------------------------------------------------------------------------------- */

/* The form of a file of corrections, by the end of its name; FORMS: unknown. */
static CorpusForm form_of(const char *path) {
    static const struct {
        const char *end;
        CorpusForm form;
    } forms[] = {{".jsonl", FORM_JSONL}, {".tsv", FORM_TSV}, {".tmx", FORM_TMX}};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (dot && !strcmp(dot, forms[i].end)) return forms[i].form;
    return FORMS;
}

/* Lists the corrections of the command line: a stb_ds array. Returns 0, or -1 with *err filled. */
static int list_corrections(const Args *args, CorpusFiles **corrections, Err *err) {
    for (int i = 1; i < args->word_count; i++) {
        const CorpusFiles files = {.form = form_of(args->words[i]), .path = {args->words[i]}};
        if (files.form == FORMS)
            return usage_error(err, "%s: the name of a file of corrections ends in .jsonl, .tsv or .tmx",
                               args->words[i]);
        arrput(*corrections, files);
    }
    return 0;
}

/* A file of the starter corpus: beside an installed program, or in the folder of the sources. Its path is written to
   `path` [PATH_SIZE]. Returns whether there is one. */
static bool find_starter(const char *name, char *path) {
    static const char *const places[] = {"../share/tide/corpus", "../../corpus", "corpus"};
    char relative[PATH_SIZE];
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(relative, sizeof relative, "%s/%s", places[i], name);
        program_path(path, PATH_SIZE, relative);
        if (!access(path, R_OK)) return true;
    }
    return false;
}

/* The corpus of --NAME-sets or --NAME-tsv, or the file `starter` of the starter corpus, whose path is written to
   `path`. */
static int corpus_flag(const Args *args, const char *name, const char *starter, char path[PATH_SIZE], LearnJob *job,
                       CorpusFiles *files, Err *err) {
    char sets[32], tsv[32], either[80];
    snprintf(sets, sizeof sets, "%s-sets", name);
    snprintf(tsv, sizeof tsv, "%s-tsv", name);
    snprintf(either, sizeof either, "--%s or --%s", sets, tsv);
    if (args_has(args, sets) && args_has(args, tsv))
        return usage_error(err, "--%s and --%s cannot be given together", sets, tsv);
    if (args_has(args, sets)) {
        *files = (CorpusFiles){.form = FORM_LINES, .path = {args_value(args, sets, 0), args_value(args, sets, 1)}};
    } else if (args_has(args, tsv)) {
        *files = (CorpusFiles){.form = FORM_TSV, .path = {args_value(args, tsv, 0)}};
    } else if (find_starter(starter, path)) {
        *files = (CorpusFiles){.form = FORM_TSV, .path = {path}};
        job->starter = true;
    } else {
        return usage_error(err, "%s is needed, because the starter corpus is not installed", either);
    }
    return 0;
}

/* ---- what was learned ------------------------------------------------------------------------------------------- */

static void show_measures(const char *name, int pairs, const Measure measures[2]) {
    printf("%s (%d): BLEU %.2f -> %.2f, perplexity %.4g -> %.4g\n", name, pairs, measures[BEFORE].bleu,
           measures[AFTER].bleu, printable(measures[BEFORE].perplexity), printable(measures[AFTER].perplexity));
}

static void show_learned(const LearnJob *job, const Learned *l) {
    show_measures("held-out corrections", l->counts.held_out, l->held_out);
    show_measures("development set", l->valid, l->dev);
    for (ptrdiff_t i = 0; i < arrlen(l->examples); i++) {
        const LearnExample *e = &l->examples[i];
        fprintf(results(), "  %s\n    before:     %s\n    after:      %s\n    correction: %s\n", e->source, e->before,
                e->after, e->correction);
    }
    if (l->accepted) fprintf(results(), "%s/model.safetensors: accepted\n", job->output);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static int read_numbers(const Args *args, LearnJob *job, Err *err) {
    const bool own_text = args_has(args, "keep-sets") || args_has(args, "keep-tsv");
    int targets = own_text ? KEEP_PROBABILITIES : KEEP_OWN;
    if (args_choice(args, "keep-targets", &targets, err) || args_int(args, "updates", &job->updates, err) ||
        args_real(args, "learn-rate", &job->learn_rate, err) || args_real(args, "share", &job->share, err) ||
        args_real(args, "most-loss", &job->most_loss, err) || args_int(args, "seed", &job->seed, err))
        return -1;
    job->keep_targets = (KeepTargets)targets;
    return 0;
}

/* Trains and shows the result. Returns the exit status, or -1 with *err filled. */
static int run_job(const LearnJob *job, Err *err) {
    Screen screen = {.model = job->output};
    Learned learned;
    const TrainCallbacks callbacks = screen_callbacks(&screen, NULL);
    training_signals();
    int status = learn(job, &callbacks, &training_stop, &learned, err);
    progress_clear(&screen.view);
    if (status && training_stop) {
        message("stopped; the same command continues");
        status = EXIT_SIGNAL + training_stop;
    } else if (!status) {
        show_learned(job, &learned);
        if (!learned.accepted) status = err_set(err, job->output, 0, "the new model is refused: %s", learned.reason);
    }
    learned_free(&learned);
    return status;
}

static int run(const Args *args, Err *err) {
    char keep[PATH_SIZE], valid[PATH_SIZE];
    CorpusFiles *corrections = NULL;
    LearnJob job = {.output = args_value(args, "output", 0), .served = args_value(args, "served", 0)};
    if (args->word_count < 2 || !job.output)
        return usage_error(err, "learn needs MODEL, CORRECTIONS and --output; see `tide learn --help`");
    job.model = args->words[0];
    int status = machine_flags(args, &job.threads, err) || read_numbers(args, &job, err) ||
                         corpus_flag(args, "keep", "train.tsv", keep, &job, &job.keep, err) ||
                         corpus_flag(args, "valid", "dev.tsv", valid, &job, &job.valid, err) ||
                         list_corrections(args, &corrections, err)
                     ? -1
                     : 0;
    job.corrections = corrections;
    job.correction_count = (int)arrlen(corrections);
    if (!status) status = run_job(&job, err);
    arrfree(corrections);
    return status;
}

const Command command_learn = {
    .name = "learn",
    .summary = "train a model further on corrections of its translations",
    .usage = "MODEL CORRECTIONS ... --output DIR  [--keep-tsv FILE] [--valid-tsv FILE] [--most-loss R] ...",
    .about =
        "Trains a copy of MODEL on corrections, a file of `tide serve --corrections` (.jsonl) or pairs (.tsv, .tmx),\n"
        "together with text that keeps what the model knows. Some of the corrections are held out. The copy is\n"
        "accepted if the held-out corrections have a lower perplexity and no clearly lower BLEU (p < 0.05), and the\n"
        "development set loses at most --most-loss BLEU; then DIR has model.safetensors. Never changes MODEL. Exit "
        "status: 0\n"
        "accepted, 1 refused or failed, 2 usage. Ctrl-C stops; the same command continues.",
    COMMAND_FLAGS(flags),
    .word = {.values = MANY, .kind = VALUE_FILE},
    .files = REMARKS({"DIR/model.safetensors", "The new model, if it was accepted"},
                     {"DIR/float.safetensors", "The same before it was rounded, if MODEL has weights of 8 bits"},
                     {"DIR/learned.json", "The measurements before and after, and the decision"},
                     {"DIR/corrections.tsv", "The corrections on which it was trained"},
                     {"DIR/keep.tsv", "The text that kept what the model knew"},
                     {"DIR/held-out.tsv", "The corrections that judged it"},
                     {"DIR/train.jsonl", "The log of the training"}, {"DIR/training", "The training, until its end"}),
    .examples = REMARKS({"tide learn run1 corrections.jsonl --output run2 --keep-sets c.zh c.en --valid-sets d.zh d.en",
                         "Learn corrections; c and d are what run1 was trained on and validated with"},
                        {"tide verify run2 --parent run1 --tsv run2/corrections.tsv --tsv run2/keep.tsv",
                         "Repeat the training and compare the bits"}),
    .see = "serve train verify",
    .run = run,
};
