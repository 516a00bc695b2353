#include "train/learn.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/output.h"
#include "score/bootstrap.h"
#include "train/outputs.h"
#include "translate/model_file.h"

#include <errno.h>
#include <math.h>
#include <sha2.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char keep_targets_names[] = "given|own|probabilities";

enum {
    PASSES = 20, /* how often the training has each correction, if the limits allow it */
    LEAST_UPDATES = 40,
    LONG_UPDATES = 1000,
    MOST_UPDATES = 2000,
    WARM_UP = 20,        /* updates */
    MOST_OWN = 4000,     /* pairs of `keep`, if the model translates them */
    MOST_DRAWN = 200000, /* of `keep` */
    LEAST_LENGTH = 100   /* pieces; a longer limit of the model stays */
};
static const double smoothing = 0.0005; /* the model is an average over half of the updates, at most 2,000 */
static const double averaging_eta = 1;
static const double usual_rate = 0.2; /* of the model's learning rate */
/* Where the model is the teacher of the text to keep, the new one can learn more. The rate is that of LONG_UPDATES and
   more; for fewer ones, it falls with the square root of their number. */
static const double taught_rate = 0.8;
static const double pretrained_share = 0.25; /* of the model before, in the weights of the new one */
/* Few corrections are learned by heart with the dropout of the model's own training. */
static const double more_dropout = 5.0 / 3, most_dropout = 0.5;

#define WORK "training" /* the folder of the training, in the output */
/* Files in it. */
#define INPUTS  "inputs" /* what it was begun with */
#define TRAINED "model.safetensors"
#define ROUNDED "rounded.safetensors" /* with weights of 8 bits, if the model had them */

typedef struct Learning {
    const LearnJob *job;
    const TrainCallbacks *callbacks;
    const volatile sig_atomic_t *stop;
    Learned *learned;
    Threads *threads;
    Translator model;     /* before */
    TrainOptions options; /* of the training */
    TextPairs corrections, held_out, keep, dev;
    Sum sum;                /* of the corrections */
    char **translations[2]; /* stb_ds arrays, owned: of held_out, BEFORE and AFTER */
    char work[PATH_SIZE];   /* the folder of the training */
    int lock;               /* of the output; -1: none */
} Learning;

/* The training sets, in the order of their files. */
enum { SET_CORRECTIONS, SET_KEEP, SETS };
static const char *const set_files[SETS] = {"corrections.tsv", "keep.tsv"};
#define RESULT "learned.json" /* in the output, beside them */

static void note(const Learning *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void note(const Learning *l, const char *format, ...) {
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (l->callbacks->note) l->callbacks->note(l->callbacks->context, text);
}

/* ---- the output ------------------------------------------------------------------------------------------------- */

static void output_path(const Learning *l, const char *name, char path[PATH_SIZE]) {
    path_in(path, l->job->output, name);
}

/* Makes and locks the output. Refuses one that has a model. */
static int open_output(Learning *l, Err *err) {
    const char *output = l->job->output;
    enum { MOST = 400 /* bytes; leaves room for the names of files */ };
    static const char *const holds[] = {"model.safetensors", "checkpoint.safetensors"};
    char path[PATH_SIZE];
    Err warning;
    if (strlen(output) > MOST) return err_set(err, output, 0, "the path is longer than %d bytes", MOST);
    output_path(l, WORK, l->work);
    for (size_t i = 0; i < sizeof holds / sizeof *holds; i++) {
        output_path(l, holds[i], path);
        if (!access(path, F_OK)) return err_set(err, output, 0, "holds a model already; give another --output");
    }
    return directory_make(output, err) || (l->lock = directory_lock(output, &warning, err)) < 0 ? -1 : 0;
}

/* The SHA-256 of all texts of some pairs. */
static Sum sum_pairs(const TextPairs *pairs) {
    Sum sum;
    SHA2_CTX context;
    SHA256Init(&context);
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < text_pairs_count(pairs); i++)
            SHA256Update(&context, (const uint8_t *)pairs->text[side][i], strlen(pairs->text[side][i]) + 1);
    SHA256End(&context, sum.hex);
    return sum;
}

/* Describes everything that decides the bits of the new model; owned by the caller. NULL with *err filled if the model
   cannot be read. */
static char *describe_inputs(const Learning *l, Err *err) {
    char path[PATH_SIZE];
    Sum model;
    MemoryFile memory;
    if (model_find(l->job->model, path, err) || sum_file(&model, path, err)) return NULL;
    char *options = options_format(train_option_tables, &l->options);
    FILE *out = memory_open(&memory);
    fprintf(out, "model %s\ncorrections %s\nkeep %s %d\nshare %g\nupdates %d\n%s", model.hex, l->sum.hex,
            sum_pairs(&l->keep).hex, l->job->keep_targets, l->job->share, l->learned->updates, options);
    mem_free(options);
    return memory_close(&memory, NULL);
}

/* Removes the folder of the training. */
static void drop(const Learning *l) {
    char path[PATH_SIZE];
    path_in(path, l->work, ROUNDED);
    unlink(path);
    outputs_remove(l->work, INPUTS);
}

/* Begins the training, without what an earlier one left, or goes on with one of the same inputs. */
static int open_work(const Learning *l, Err *err) {
    char path[PATH_SIZE], keep[PATH_SIZE], learned[PATH_SIZE];
    char *inputs = describe_inputs(l, err), *before = NULL;
    if (!inputs) return -1;
    path_in(path, l->work, INPUTS);
    output_path(l, set_files[SET_KEEP], keep);
    output_path(l, RESULT, learned);
    int status = 0;
    if (access(path, F_OK)) {
        unlink(keep);
        unlink(learned);
        status = directory_make(l->work, err) || output_write(path, inputs, strlen(inputs), err) ? -1 : 0;
    } else if (!(before = file_read(path, NULL, err))) {
        status = -1;
    } else if (strcmp(before, inputs) != 0) {
        note(l, "an interrupted training with another model, other text or other options is dropped");
        drop(l);
        mem_free(before);
        mem_free(inputs);
        return open_work(l, err);
    }
    mem_free(before);
    mem_free(inputs);
    return status;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static Measurer measurer(const Learning *l, const Translator *translator) {
    return (Measurer){translator, l->threads, l->callbacks, l->stop};
}

/* The number of updates for so many corrections. */
static int choose_updates(const Learning *l) {
    const int asked = l->job->updates;
    const double of_an_update = l->job->share * l->options.mini_batch;
    const double updates = ceil(PASSES * text_pairs_count(&l->corrections) / of_an_update);
    return asked                     ? asked
           : updates < LEAST_UPDATES ? LEAST_UPDATES
           : updates > MOST_UPDATES  ? MOST_UPDATES
                                     : (int)updates;
}

/* The learning rate for so many updates. */
static double choose_rate(const Learning *l) {
    const LearnJob *j = l->job;
    const int updates = l->learned->updates;
    const double part = updates < LONG_UPDATES ? sqrt((double)updates / LONG_UPDATES) : 1;
    const double usual = j->keep_targets == KEEP_PROBABILITIES ? taught_rate * part : usual_rate;
    return j->learn_rate > 0 ? j->learn_rate : usual * l->options.learn_rate;
}

static void describe_corrections(const Learning *l) {
    const CorrectionCounts *c = &l->learned->counts;
    note(l, "%d corrections: %d to learn, %d held out to judge what was learned", c->read, c->learned, c->held_out);
    if (c->replaced) note(l, "  %d replaced by later ones of the same source", c->replaced);
    if (c->foreign) note(l, "  %d left out, of other languages", c->foreign);
    if (c->too_long) note(l, "  %d left out, of more than %d pieces", c->too_long, l->options.max_length);
    if (c->refused) note(l, "  %d refused; the first: %s", c->refused, l->learned->why.reason);
}

static int read_corrections(Learning *l, Err *err) {
    const LearnJob *j = l->job;
    Learned *found = l->learned;
    if (corrections_divide(j->corrections, j->correction_count, &l->model, l->options.max_length, &l->corrections,
                           &l->held_out, &found->counts, &found->why, err))
        return -1;
    const CorrectionCounts *c = &found->counts;
    l->sum = sum_pairs(&l->corrections);
    describe_corrections(l);
    if (c->learned && c->held_out) return 0;
    return err_set(err, j->corrections[0].path[0], 0,
                   "too few corrections: %d to learn and %d to judge what was learned%s%s", c->learned, c->held_out,
                   found->why.reason[0] ? "; refused: " : "", found->why.reason);
}

/* Draws the text that keeps what the model knows, as much as the training reads: text that is repeated is learned by
   heart, and protects little. So each set of corrections draws its own, too. */
static int read_keep(Learning *l, Err *err) {
    const double pairs = (1 - l->job->share) * l->learned->updates * l->options.mini_batch;
    const int most = l->job->keep_targets == KEEP_OWN ? MOST_OWN : MOST_DRAWN;
    const TextPairs *const without[] = {&l->corrections, &l->held_out};
    char first[17] = "";
    memcpy(first, l->sum.hex, sizeof first - 1);
    const uint64_t seed = (uint64_t)l->job->seed + (uint64_t)strtoull(first, NULL, 16);
    if (text_pairs_draw(&l->keep, &l->job->keep, &l->model, pairs < most ? (int)ceil(pairs) : most,
                        l->options.max_length, seed, without, 2, err))
        return -1;
    l->learned->kept = text_pairs_count(&l->keep);
    if (l->learned->kept) return 0;
    return err_set(err, l->job->keep.path[0], 0, "no pair of at most %d pieces", l->options.max_length);
}

static int read_dev(Learning *l, Err *err) {
    const char *const langs[] = {l->model.options.langs[SOURCE], l->model.options.langs[TARGET]};
    if (text_pairs_read(&l->dev, &l->job->valid, langs, err)) return -1;
    l->learned->valid = text_pairs_count(&l->dev);
    const Side *const sides[] = {&l->model.source, &l->model.target};
    const CorpusFiles *files = &l->job->valid;
    int status = 0;
    for (int side = 0; side < 2 && !status; side++)
        status = side_check_lengths(sides[side], l->dev.text[side], l->learned->valid, MOST_PIECES,
                                    files->path[files->form == FORM_LINES && side], err);
    return status;
}

/* Puts the model's translations in the place of the targets of `keep`, and drops pairs without one. */
static int translate_keep(Learning *l, Err *err) {
    char **texts = NULL;
    TextPairs own = {0};
    const Measurer m = measurer(l, &l->model);
    const int status = measurer_translate(&m, l->keep.text[SOURCE], "translating the text to keep", &texts, err);
    for (int i = 0; i < text_pairs_count(&l->keep) && !status; i++) {
        char *const pair[] = {l->keep.text[SOURCE][i], texts[i]};
        for (int side = 0; side < 2 && *texts[i]; side++) arrput(own.text[side], mem_strdup(pair[side]));
    }
    strings_free(texts);
    text_pairs_free(&l->keep);
    l->keep = own;
    if (!status && !text_pairs_count(&own))
        return err_set(err, l->job->model, 0, "the model translates no sentence of the text that keeps its knowledge");
    return status;
}

/* Writes the texts for the training. Translations of an interrupted one are used again. */
static int write_texts(Learning *l, Err *err) {
    char path[PATH_SIZE];
    output_path(l, set_files[SET_CORRECTIONS], path);
    if (text_pairs_write(&l->corrections, path, err)) return -1;
    output_path(l, "held-out.tsv", path);
    if (text_pairs_write(&l->held_out, path, err)) return -1;
    output_path(l, set_files[SET_KEEP], path);
    if (!access(path, F_OK)) return 0;
    const int status = l->job->keep_targets == KEEP_OWN ? translate_keep(l, err) : 0;
    return status ? status : text_pairs_write(&l->keep, path, err);
}

/* ---- the training ----------------------------------------------------------------------------------------------- */

static double raised(double dropout) {
    const double more = dropout * more_dropout;
    return more < most_dropout ? more : dropout < most_dropout ? most_dropout : dropout;
}

/* The options with which the model was trained, but for a short training at a constant rate. */
static int choose_options(Learning *l, Err *err) {
    TrainOptions *o = &l->options;
    const LearnJob *j = l->job;
    options_default(train_option_tables, o);
    if (options_read(train_option_tables, o, l->model.configuration, j->model, UNKNOWN_SKIP, err)) return -1;
    o->lr_decay = 1;
    o->lr_decay_inv_sqrt = 0;
    o->lr_warmup = WARM_UP;
    o->exponential_smoothing = smoothing;
    o->averaging_eta = averaging_eta;
    o->pretrained_share = j->keep_targets == KEEP_PROBABILITIES ? pretrained_share : 0;
    o->max_length = o->max_length ? larger(o->max_length, LEAST_LENGTH) : 0;
    o->seed = j->seed;
    o->early_stopping = 0;
    o->save_freq = 100;
    if (j->keep_targets != KEEP_PROBABILITIES) return 0;
    o->dropout.embedding = raised(o->dropout.embedding);
    o->dropout.annotation = raised(o->dropout.annotation);
    o->dropout.readout = raised(o->dropout.readout);
    return 0;
}

static int train_model(Learning *l, Err *err) {
    const double share = l->job->share, corrections = text_pairs_count(&l->corrections);
    char paths[SETS][PATH_SIZE];
    for (int set = 0; set < SETS; set++) output_path(l, set_files[set], paths[set]);
    TrainFiles sets[SETS] = {
        {.files = {.form = FORM_TSV, .path = {paths[SET_CORRECTIONS]}, .columns = {1, 2}},
         .weight = share / (1 - share) * l->learned->kept / corrections},
        {.files = {.form = FORM_TSV, .path = {paths[SET_KEEP]}, .columns = {1, 2}},
         .weight = 1,
         .distillation = l->job->keep_targets == KEEP_PROBABILITIES,
         .teacher = l->job->keep_targets == KEEP_OWN ? l->job->model : NULL},
    };
    const TrainJob job = {.files = {.train = sets, .train_count = SETS, .dir = l->work},
                          .model = l->work,
                          .pretrained = l->job->model,
                          .threads = l->job->threads,
                          .options = l->options};
    return train(&job, l->callbacks, l->stop, err);
}

/* ---- the judgement ---------------------------------------------------------------------------------------------- */

/* Measures a model on both sets. */
static int measure(Learning *l, const Translator *translator, int when, Err *err) {
    const Measurer m = measurer(l, translator);
    Learned *found = l->learned;
    char **texts = NULL;
    int status = measurer_measure(&m, &l->held_out, "the held-out corrections", &found->held_out[when],
                                  &l->translations[when], err);
    if (!status) status = measurer_measure(&m, &l->dev, "the development set", &found->dev[when], &texts, err);
    strings_free(texts);
    return status;
}

/* Measures what is served now, and the model itself on the development set. */
static int measure_before(Learning *l, Err *err) {
    Translator served;
    Measure own = {0};
    char **texts = NULL;
    char itself[PATH_SIZE], now[PATH_SIZE];
    const char *path = l->job->served ? l->job->served : l->job->model;
    if (model_find(l->job->model, itself, err) || model_find(path, now, err)) return -1;
    if (file_is_same(itself, now)) {
        const int status = measure(l, &l->model, BEFORE, err);
        l->learned->against = l->learned->dev[BEFORE].bleu;
        return status;
    }
    if (model_load(&served, path, err)) return -1;
    const Measurer m = measurer(l, &l->model);
    int status = measure(l, &served, BEFORE, err);
    if (!status) status = measurer_measure(&m, &l->dev, "the development set", &own, &texts, err);
    l->learned->against = own.bleu;
    strings_free(texts);
    translator_free(&served);
    return status;
}

/* A model of 8 bits that learned has 8 bits again, and is judged as such. */
static int round_new(const Learning *l, Err *err) {
    char path[PATH_SIZE];
    path_in(path, l->work, ROUNDED);
    return l->model.quantized ? model_copy(l->work, NULL, true, path, err) : 0;
}

static int measure_new(Learning *l, Err *err) {
    char path[PATH_SIZE];
    Translator made;
    path_in(path, l->work, l->model.quantized ? ROUNDED : TRAINED);
    if (round_new(l, err) || model_load(&made, path, err)) return -1;
    const int status = measure(l, &made, AFTER, err);
    translator_free(&made);
    return status;
}

/* Compares the BLEU of the held-out corrections before and after. */
static void compare(const Learning *l) {
    enum { SAMPLES = 1000 };
    char *const *const references[] = {l->held_out.text[TARGET]};
    const BleuOptions options = {.chinese = translator_writes_han(&l->model)};
    l->learned->p = bleu_compare(l->translations[AFTER], l->translations[BEFORE], (References){references, 1},
                                 text_pairs_count(&l->held_out), options, SAMPLES)
                        .p;
}

/* ---- the result ------------------------------------------------------------------------------------------------- */

/* Moves a file of the training to the output, under another name. */
static int move(const Learning *l, const char *name, const char *other, Err *err) {
    char from[PATH_SIZE], to[PATH_SIZE];
    path_in(from, l->work, name);
    output_path(l, other, to);
    if (access(from, F_OK) && !access(to, F_OK)) return 0; /* before an interruption */
    if (file_rename(from, to)) return err_set(err, to, 0, "cannot be written: %s", strerror(errno));
    return 0;
}

/* Writes the result. The model comes last. */
static int finish(const Learning *l, Err *err) {
    char path[PATH_SIZE];
    output_path(l, RESULT, path);
    if (learned_write(l->learned, path, err) || move(l, "train.jsonl", "train.jsonl", err)) return -1;
    if (l->learned->accepted &&
        (l->model.quantized ? move(l, TRAINED, "float.safetensors", err) || move(l, ROUNDED, TRAINED, err)
                            : move(l, TRAINED, TRAINED, err)))
        return -1;
    if (directory_sync(l->job->output))
        return err_set(err, l->job->output, 0, "cannot be written: %s", strerror(errno));
    drop(l);
    return 0;
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

/* Checks that the model translates between the languages of the starter corpus, if that is read. */
static int check_starter(const Learning *l, Err *err) {
    const char *const langs[] = {l->model.options.langs[SOURCE], l->model.options.langs[TARGET]};
    const int english = english_side(langs);
    if (!l->job->starter || (english >= 0 && chinese_language(langs[!english]))) return 0;
    return err_set(
        err, l->job->model, 0,
        "translates other languages than the starter corpus has: give the text to keep and a development set");
}

static int prepare(Learning *l, Err *err) {
    if (model_load(&l->model, l->job->model, err) || check_starter(l, err) || choose_options(l, err) ||
        read_corrections(l, err) || read_dev(l, err))
        return -1;
    l->learned->updates = l->options.after_batches = choose_updates(l);
    l->learned->learn_rate = l->options.learn_rate = choose_rate(l);
    return read_keep(l, err) || open_output(l, err) || open_work(l, err) ? -1 : 0;
}

static int run(Learning *l, Err *err) {
    int status = prepare(l, err);
    if (!status) status = measure_before(l, err);
    if (!status) status = write_texts(l, err);
    if (!status) status = train_model(l, err);
    if (!status) status = measure_new(l, err);
    if (status) return status;
    compare(l);
    learned_judge(l->learned);
    learned_choose_examples(l->learned, &l->held_out, l->translations);
    return finish(l, err);
}

int learn(const LearnJob *job, const TrainCallbacks *callbacks, const volatile sig_atomic_t *stop, Learned *learned,
          Err *err) {
    *learned =
        (Learned){.seed = job->seed, .learn_rate = job->learn_rate, .share = job->share, .most_loss = job->most_loss};
    Learning l = {.job = job,
                  .callbacks = callbacks,
                  .stop = stop,
                  .learned = learned,
                  .threads = threads_new(job->threads),
                  .lock = -1};
    TextPairs *const texts[] = {&l.corrections, &l.held_out, &l.keep, &l.dev};
    const int status = run(&l, err);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) text_pairs_free(texts[i]);
    for (int when = BEFORE; when <= AFTER; when++) strings_free(l.translations[when]);
    translator_free(&l.model);
    threads_free(l.threads);
    if (l.lock >= 0) close(l.lock);
    return status;
}
