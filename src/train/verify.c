#include "train/verify.h"
#include "io/ds.h"
#include "io/files.h"
#include "tide.h"
#include "train/outputs.h"
#include "train/training.h"

#include <errno.h>
#include <limits.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct Verification {
    const VerifyJob *job;
    const Recipe *recipe; /* of the model */
    const VerifyCallbacks *callbacks;
    const volatile sig_atomic_t *stop;
    long end;        /* updates to make */
    ptrdiff_t links; /* of the chain that are compared */
} Verification;

/* ---- the model -------------------------------------------------------------------------------------------------- */

/* The sum of the data of a file's tensors, which follow its header. */
static int sum_data(Sum *sum, const char *path, Err *err) {
    uint64_t header = 0;
    struct stat info;
    FILE *file = file_open(path, "rb", err);
    if (!file) return -1;
    const bool read = fread(&header, sizeof header, 1, file) == 1 && !fstat(fileno(file), &info);
    fclose(file);
    const off_t from = (off_t)(header + sizeof header);
    errno = 0;
    if (read && SHA256FileChunk(path, sum->hex, from, info.st_size - from)) return 0;
    return err_set(err, path, 0, "%s", errno ? strerror(errno) : "cannot be read");
}

Recipe *verify_recipe(const char *model, Err *err) {
    char path[PATH_SIZE];
    Translator translator;
    Sum sum;
    if (model_find(model, path, err) || model_load(&translator, path, err)) return NULL;
    Recipe *recipe = recipe_parse(translator.recipe, path, err);
    translator_free(&translator);
    if (recipe && !sum_data(&sum, path, err)) {
        if (!strcmp(sum.hex, recipe->weights.hex)) return recipe;
        err_set(err, path, 0, "the weights are not those of its recipe: their SHA-256 is %s, and the recipe has %s",
                sum.hex, *recipe->weights.hex ? recipe->weights.hex : "none");
    }
    recipe_free(recipe);
    return NULL;
}

/* Whether two configurations are the same. An option that one of them lacks, because its version of tide did, has its
   default. */
static bool same_configuration(const char *a, const char *b) {
    TrainOptions options[2];
    char left[OPTION_FORMAT_SIZE], right[OPTION_FORMAT_SIZE];
    Err err;
    for (int i = 0; i < 2; i++) {
        options_default(stored_option_tables, &options[i]);
        if (options_read(stored_option_tables, &options[i], i ? b : a, "", UNKNOWN_ERROR, &err)) return false;
    }
    return !options_differ(stored_option_tables, NULL, &options[0], &options[1], left, right);
}

/* Compares what both files say besides the weights: configuration, vocabularies, merges. */
static int compare_metadata(const char *path, const char *made, Err *err) {
    Err unread;
    Safetensors *a = safetensors_open(path, err), *b = a ? safetensors_open(made, err) : NULL;
    int status = a && b ? 0 : -1;
    const char *keys[1 + MODEL_SIDES * MODEL_SIDE_KEYS] = {"config"};
    for (int i = 0; i < MODEL_SIDES * MODEL_SIDE_KEYS; i++)
        keys[1 + i] = model_side_keys[i / MODEL_SIDE_KEYS][i % MODEL_SIDE_KEYS];
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !status; i++) {
        const char *has = safetensors_meta(a, keys[i]), *should = safetensors_meta(b, keys[i]);
        if (!has || !should || !(i ? !strcmp(has, should) : same_configuration(has, should)))
            status =
                err_set(err, path, 0, "the weights have the same bits, but '%s' is not what the recipe gives", keys[i]);
    }
    if (a) safetensors_close(a, 0, &unread);
    if (b) safetensors_close(b, 0, &unread);
    return status;
}

/* Compares the file of the model with the one that was made in `work`. */
static int compare_models(const Verification *v, Err *err) {
    char path[PATH_SIZE], made[PATH_SIZE];
    Sum sum;
    path_in(made, v->job->work, "model.safetensors");
    if (model_find(v->job->model, path, err) || sum_data(&sum, made, err)) return -1;
    if (strcmp(sum.hex, v->recipe->weights.hex) != 0)
        return err_set(err, path, 0, "the weights differ: those of the recipe have SHA-256 %s, those in the file %s",
                       sum.hex, v->recipe->weights.hex);
    return compare_metadata(path, made, err);
}

/* ---- the working directory -------------------------------------------------------------------------------------- */

#define MARK "verifies" /* a file with the sum of the weights that are verified */

/* Creates the working directory. Refuses one that already holds anything but a verification of this model. */
static int open_work(const Verification *v, Err *err) {
    char path[PATH_SIZE], model[PATH_SIZE], text[sizeof(Sum)] = "";
    const char *work = v->job->work;
    enum { MOST = 450 /* bytes, as for the directory of a training */ };
    if (strlen(work) > MOST) return err_set(err, work, 0, "the path is longer than %d bytes", MOST);
    path_in(path, work, "model.safetensors");
    if (model_find(v->job->model, model, err)) return -1;
    if (file_is_same(path, model)) return err_set(err, work, 0, "is the folder of the model itself");
    if (directory_make(work, err)) return -1;
    path_in(path, work, MARK);
    FILE *file = fopen(path, "r");
    if (file) {
        const char *line = fgets(text, sizeof text, file);
        fclose(file);
        if (line && !strcmp(line, v->recipe->weights.hex)) return 0;
        return err_set(err, work, 0, "holds the verification of another model; remove it, or give another --work");
    }
    static const char *const own[] = {"model.safetensors", "checkpoint.safetensors", "train.jsonl"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        path_in(path, work, own[i]);
        if (!access(path, F_OK)) return err_set(err, work, 0, "holds a training; give another --work");
    }
    path_in(path, work, MARK);
    if (!(file = file_open(path, "w", err))) return -1;
    const int failed = fputs(v->recipe->weights.hex, file) < 0;
    return fclose(file) || failed ? err_set(err, path, 0, "cannot be written: %s", strerror(errno)) : 0;
}

/* ---- the comparison ------------------------------------------------------------------------------------------- */

/* Compares a text that was read with that of the recipe. */
static int compare_corpus(const Verification *v, int k, const RecipeCorpus *read, Err *err) {
    const RecipeCorpus *has = &v->recipe->corpora[k];
    const CorpusFiles *files = &v->job->corpora[k];
    for (int side = 0; side < 2; side++) {
        if (!strcmp(read->side[side].hex, has->side[side].hex)) continue;
        const char *name = has->name[side] && has->name[1] ? has->name[side] : has->name[0];
        return err_set(err, files->path[files->form == FORM_LINES && side], 0,
                       "the %s text is not that of %s, on which the model was trained: %ld pairs with SHA-256 %s, not "
                       "%ld with %s",
                       side ? "target" : "source", name, read->pairs, read->side[side].hex, has->pairs,
                       has->side[side].hex);
    }
    return 0;
}

/* Compares what is known of the new training so far. */
static int compare(void *context, const Recipe *made, Err *err) {
    Verification *v = context;
    const Recipe *has = v->recipe;
    const VerifyCallbacks *tell = v->callbacks;
    for (int k = 0; k < v->job->corpus_count && v->links == 0; k++)
        if (compare_corpus(v, k, &made->corpora[k], err)) return -1;
    for (; v->links < arrlen(made->chain); v->links++) {
        const RecipeLink *link = &made->chain[v->links];
        const RecipeLink *other = v->links < arrlen(has->chain) ? &has->chain[v->links] : NULL;
        if (!other || other->update != link->update)
            return err_set(err, v->job->model, 0, "the chain of the recipe has no link after update %ld", link->update);
        if (strcmp(other->hash, link->hash) != 0)
            return err_set(err, v->job->model, 0, "the bits differ after update %ld: %s, but the recipe has %s",
                           link->update, link->hash, other->hash);
        if (tell->linked) tell->linked(tell->context, link->update);
    }
    return 0;
}

/* Whether the recipe has a link that the training up to v->end did not make. */
static int compare_end(const Verification *v, Err *err) {
    if (v->links == arrlen(v->recipe->chain) || v->recipe->chain[v->links].update > v->end) return 0;
    return err_set(err, v->job->model, 0,
                   "the chain of the recipe has a link after update %ld, which no training makes",
                   v->recipe->chain[v->links].update);
}

/* ---- the training ----------------------------------------------------------------------------------------------- */

/* Sets an option to a value of the recipe. */
static int set_option(TrainOptions *options, const char *name, const char *value, const char *path, Err *err) {
    char line[2 * OPTION_FORMAT_SIZE];
    snprintf(line, sizeof line, "%s = %s\n", name, value);
    return options_read(train_option_tables, options, line, path, UNKNOWN_ERROR, err);
}

/* The options of a change, which may be none: another version of tide is no other training. */
static int apply_change(const Verification *v, const RecipeChange *change, TrainOptions *options, Err *err) {
    char before[OPTION_FORMAT_SIZE];
    if (!strcmp(change->option, "tide")) return 0;
    if (!strcmp(change->option, "arithmetic"))
        return err_set(err, v->job->model, 0,
                       "from update %ld on, a version of tide with arithmetic %s trained it; this one has %d",
                       change->update, change->to, ARITHMETIC);
    const Option *o = option_find(train_option_tables, change->option);
    if (!o || o->resume != RESUME_EXPLICIT)
        return err_set(err, v->job->model, 0, "the recipe changes '%.40s' after update %ld, which no training can",
                       change->option, change->update);
    option_format(o, options, before);
    if (strcmp(before, change->from) != 0)
        return err_set(err, v->job->model, 0, "the recipe changes %s from %.40s, but it was %s", o->name, change->from,
                       before);
    return set_option(options, o->name, change->to, v->job->model, err);
}

/* Trains up to the update `end` with these options; the names are those that changed. */
static int train_to(const Verification *v, TrainJob *job, long end, const char *const *names, int count, Err *err) {
    TrainCallbacks callbacks = v->callbacks->training;
    job->options.after_batches = (int)end;
    job->changes = names;
    job->change_count = count;
    if (ranks_own(job->ranks) == 0) {
        callbacks.traced = compare;
        callbacks.traced_context = (void *)v;
    }
    return train(job, &callbacks, v->stop, err);
}

/* Trains with the options at the beginning, then with those after each change. What an interrupted verification has
   done is not done again. */
static int train_again(const Verification *v, TrainJob *job, Err *err) {
    const RecipeChange *changes = v->recipe->changes;
    const char **names = NULL;
    const long done = checkpoint_update(v->job->work);
    ptrdiff_t k = 0;
    int status = 0;
    for (long end = 0; !status && end < v->end;) {
        for (; k < arrlen(changes) && changes[k].update == end && !status; k++) {
            status = apply_change(v, &changes[k], &job->options, err);
            if (strcmp(changes[k].option, "tide") != 0) arrput(names, changes[k].option);
        }
        end = k < arrlen(changes) && changes[k].update < v->end ? changes[k].update : v->end;
        if (status || (done >= end && end < v->end)) continue;
        status = train_to(v, job, end, names, (int)arrlen(names), err);
    }
    arrfree(names);
    return status;
}

static int verify_training(Verification *v, Err *err) {
    const VerifyJob *j = v->job;
    const Recipe *r = v->recipe;
    TrainFiles *sets = NULL;
    TrainJob job = {.files = {.train_count = j->corpus_count, .guides = j->guides, .dir = j->work},
                    .model = j->work,
                    .ranks = j->ranks,
                    .pretrained = j->parent,
                    .threads = j->threads};
    for (int k = 0; k < j->corpus_count; k++) {
        const RecipeCorpus *c = &r->corpora[k];
        Err why;
        if (c->tag && tag_check(c->tag, &why)) {
            arrfree(sets);
            return err_set(err, j->model, 0, "the recipe has a bad tag: %.400s", why.reason);
        }
        arrput(sets, ((TrainFiles){.files = j->corpora[k],
                                   .weight = c->weight,
                                   .tag = c->tag,
                                   .quiet = c->quiet,
                                   .distillation = c->distillation}));
    }
    job.files.train = sets;
    options_default(train_option_tables, &job.options);
    int status = options_read(train_option_tables, &job.options, r->configuration, j->model, UNKNOWN_ERROR, err);
    if (!status) status = train_again(v, &job, err);
    arrfree(sets);
    if (status || ranks_own(j->ranks)) return status;
    return compare_end(v, err) || (v->end == r->update && compare_models(v, err)) ? -1 : 0;
}

/* ---- copies -------------------------------------------------------------------------------------------------------
 */

/* Makes the copy again: a quantized model, or one with other options of the search. */
static int verify_copy(const Verification *v, Err *err) {
    char path[PATH_SIZE];
    Translator copy;
    if (model_load(&copy, v->job->model, err)) return -1;
    path_in(path, v->job->work, "model.safetensors");
    const bool quantized = v->recipe->kind == RECIPE_QUANTIZE;
    const int status = model_copy(v->job->parent, quantized ? NULL : &copy.options, quantized, path, err);
    translator_free(&copy);
    return status ? status : compare_models(v, err);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

/* Checks the file of the parent, of --guided-alignment, and the number of corpora. */
static int check_inputs(const Verification *v, Err *err) {
    char path[PATH_SIZE];
    const VerifyJob *j = v->job;
    const Recipe *r = v->recipe;
    const int corpora = (int)arrlen(r->corpora);
    Sum sum;
    if (j->corpus_count != corpora)
        return err_set(err, j->model, 0, "was trained on %d corpora%s, not %d; see `tide info --recipe`", corpora,
                       corpora ? "" : ": it is a copy of another model", j->corpus_count);
    if (!j->guides != !r->guides)
        return err_set(err, j->model, 0, "was trained with%s --guided-alignment", r->guides ? "" : "out");
    if (!j->parent != !*r->parent.file.hex)
        return err_set(err, j->model, 0,
                       r->parent.file.hex[0] ? "was made from another model; give it with --parent"
                                             : "was not made from another model; --parent is wrong");
    if (j->guides) {
        if (sum_file(&sum, j->guides, err)) return -1;
        if (strcmp(sum.hex, r->guides_sum.hex) != 0)
            return err_set(err, j->guides, 0, "is not the file of --guided-alignment: its SHA-256 is %s, not %s",
                           sum.hex, r->guides_sum.hex);
    }
    if (j->parent) {
        if (model_find(j->parent, path, err) || sum_file(&sum, path, err)) return -1;
        if (strcmp(sum.hex, r->parent.file.hex) != 0)
            return err_set(err, path, 0, "is not the model from which it was made: its SHA-256 is %s, not %s", sum.hex,
                           r->parent.file.hex);
    }
    return 0;
}

int verify(const VerifyJob *job, const Recipe *recipe, const VerifyCallbacks *callbacks,
           const volatile sig_atomic_t *stop, Err *err) {
    Verification v = {.job = job, .recipe = recipe, .callbacks = callbacks, .stop = stop, .end = recipe->update};
    if (job->updates && job->updates < v.end) v.end = job->updates;
    if (recipe->arithmetic != ARITHMETIC)
        return err_set(
            err, job->model, 0,
            "was made by tide %s, whose arithmetic has number %d; this version of tide (%s) has number %d and "
            "computes other bits",
            recipe->version, recipe->arithmetic, TIDE_VERSION, ARITHMETIC);
    if (recipe->kind == RECIPE_TRAIN && (v.end < 1 || v.end > INT_MAX))
        return err_set(err, job->model, 0, "the recipe has no updates");
    if (check_inputs(&v, err) || (ranks_own(job->ranks) == 0 && open_work(&v, err))) return -1;
    const int status = recipe->kind == RECIPE_TRAIN ? verify_training(&v, err) : verify_copy(&v, err);
    if (!status && ranks_own(job->ranks) == 0) outputs_remove(job->work, MARK);
    return status;
}
