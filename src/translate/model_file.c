#include "translate/model_file.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/system.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *const model_side_keys[MODEL_SIDES][MODEL_SIDE_KEYS] = {
    {"source.vocab", "source.merges", "source.open"},
    {"target.vocab", "target.merges", "target.open"},
    {"source.larger.vocab", "source.larger.merges", "source.larger.open"}};

static int read_side(Side *side, int which, TokenizerKind kind, const Safetensors *file, const char *path, Err *err) {
    const char *vocab = safetensors_meta(file, model_side_keys[which][MODEL_VOCAB]),
               *merges = safetensors_meta(file, model_side_keys[which][MODEL_MERGES]);
    if (!vocab || !merges)
        return err_set(err, path, 0, "the metadata has no %s",
                       model_side_keys[which][vocab ? MODEL_MERGES : MODEL_VOCAB]);
    side->tokenizer = (Tokenizer){.kind = kind};
    if (kind == TOKENIZER_BPE && !(side->tokenizer.bpe = bpe_parse(merges, path, err))) return -1;
    return (side->vocab = vocab_parse(vocab, path, err)) ? 0 : -1;
}

static int read_sides(Translator *translator, const Safetensors *file, const char *path, Err *err) {
    const ModelOptions *o = &translator->options;
    Side *source = &translator->source;
    if (read_side(source, SOURCE, o->tokenizer[SOURCE], file, path, err) ||
        read_side(&translator->target, TARGET, o->tokenizer[TARGET], file, path, err))
        return -1;
    if (!model_options_source_words(o)) return 0;
    source->subwords = mem_zalloc(sizeof *source->subwords);
    return read_side(source->subwords, MODEL_SUBWORDS, TOKENIZER_BPE, file, path, err) ||
                   side_check_subwords(source, path, err)
               ? -1
               : 0;
}

int model_read(Translator *translator, const Safetensors *file, const char *path, Err *err) {
    *translator = (Translator){0};
    if (!safetensors_meta(file, "checksum"))
        translator->warning = "the file has no checksum, so that damage to it would not be noticed";
    options_default(model_option_tables, &translator->options);
    const char *config = safetensors_meta(file, "config");
    if (!config || !safetensors_format(file)) return err_set(err, path, 0, "not a model of tide");
    Err why;
    if (options_read(model_option_tables, &translator->options, config, path, UNKNOWN_SKIP, err)) return -1;
    if (model_options_check(&translator->options, &why)) return err_set(err, path, 0, "%s", why.reason);
    if (read_sides(translator, file, path, err)) return -1;
    translator_init(translator);
    translator->configuration = mem_strdup(config);
    const char *recipe = safetensors_meta(file, "recipe");
    translator->recipe = recipe ? mem_strdup(recipe) : NULL;
    translator->quantized = safetensors_is_quantized(file);
    const char *about[ABOUTS];
    for (int i = 0; i < ABOUTS; i++) about[i] = safetensors_meta(file, about_names[i]);
    about_set(&translator->about, about);
    return 0;
}

static void write_param(void *context, const TensorPart *part) {
    Param *param = context;
    if (param->int8) param_write(param, part->first, part->integers, part->scales, part->n);
    else param_write(param, part->first, tensor_part_values(part), NULL, part->n);
}

int params_find(Params *params, Safetensors *file, Err *err) {
    for (int i = 0; i < params->count; i++) {
        Param *p = params->list[i];
        if (safetensors_find(file, p->name, p->var.rows, p->var.cols, write_param, p, err)) return -1;
    }
    return 0;
}

/* Allocates the memory of a read-only model: int8 for the matrices that param_use_int8 accepts. */
static void share(Params *params, const Safetensors *file) {
    for (int i = 0; i < params->count; i++) {
        const TensorScales scales = safetensors_scales(file, params->list[i]->name);
        if (scales != SCALES_NONE) param_use_int8(params->list[i], scales == SCALES_OF_ROWS);
    }
    params_share(params);
}

/* Makes memory for the weights and reads them. */
static int read_values(Params *params, bool trained, Safetensors *file, Err *err) {
    if (params_find(params, file, err) || safetensors_all_found(file, err)) return -1;
    if (trained) params_allocate(params);
    else share(params, file);
    return safetensors_read(file, true, err);
}

bool model_installed(const char *name, char folder[PATH_SIZE]) {
    static const char *const places[] = {"../share/tide/models", "../../models", "models"};
    char relative[PATH_SIZE], file[PATH_SIZE + 32], self[PATH_SIZE];
    struct stat info;
    program_own_path(self, sizeof self);
    const char *slash = strrchr(self, '/');
    if (!slash || strncmp(slash + 1, "tide", 4) != 0) return false;
    if (!*name || strpbrk(name, "/\\") || !strcmp(name, ".") || !strcmp(name, "..") || !stat(name, &info)) return false;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        if (snprintf(relative, sizeof relative, "%s/%s", places[i], name) >= (int)sizeof relative) return false;
        program_path(folder, PATH_SIZE, relative);
        snprintf(file, sizeof file, "%s/model.safetensors", folder);
        if (!access(file, F_OK)) return true;
    }
    return false;
}

/* Sets the error for a path that does not exist; names the model that may be meant: models/demo for demo. */
static int no_model(const char *path, Err *err) {
    char other[PATH_SIZE];
    if (strchr(path, '\\')) return err_set(err, path, 0, "%s; write / in the place of \\", strerror(ENOENT));
    if (path[0] != '/' && snprintf(other, sizeof other, "models/%s", path) < (int)sizeof other && !access(other, F_OK))
        return err_set(err, path, 0, "%s; did you mean %s?", strerror(ENOENT), other);
    return err_set(err, path, 0, "%s; a model is a folder that `tide train` wrote, or its model.safetensors",
                   strerror(ENOENT));
}

static const char *const go_on =
    "the same `tide train` command continues from it and writes a model when it ends or stops";

int model_find(const char *path, char full[PATH_SIZE], Err *err) {
    char checkpoint[PATH_SIZE + 32], installed[PATH_SIZE];
    struct stat info;
    if (model_installed(path, installed)) path = installed;
    const int failed = stat(path, &info) ? errno : 0;
    const bool directory = !failed && S_ISDIR(info.st_mode);
    if (snprintf(full, PATH_SIZE, directory ? "%s/model.safetensors" : "%s", path) >= PATH_SIZE)
        return err_set(err, path, 0, "the path is too long");
    if (failed == ENOENT) return no_model(path, err);
    if (!directory || !access(full, F_OK)) return 0;
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.safetensors", path);
    if (!access(checkpoint, F_OK)) /* the training was interrupted before it wrote a model */
        return err_set(err, path, 0, "has a checkpoint, but no model: %s", go_on);
    return err_set(err, path, 0, "is a folder without a model: it has no model.safetensors");
}

/* Opens the file of a model. `full` receives its path. */
static Safetensors *open_model(const char *path, char full[PATH_SIZE], Err *err) {
    return model_find(path, full, err) ? NULL : safetensors_open(full, err);
}

/* Reads the model of an open file, and closes it; NULL: it could not be opened. */
static int load(Translator *translator, Safetensors *file, const char *path, bool trained, Err *err) {
    *translator = (Translator){0};
    if (!file) return -1;
    if (safetensors_meta(file, "state")) {
        safetensors_close(file, err_set(err, path, 0, "is a checkpoint, not a model: %s", go_on), err);
        return -1;
    }
    int status = model_read(translator, file, path, err);
    if (!status) status = read_values(&translator->model.params, trained, file, err);
    translator->checksum_seconds = safetensors_checksum_seconds(file);
    status = safetensors_close(file, status, err);
    if (status) translator_free(translator);
    return status;
}

int model_load(Translator *translator, const char *path, Err *err) {
    char full[PATH_SIZE];
    return load(translator, open_model(path, full, err), full, false, err);
}

int model_load_trained(Translator *translator, const char *path, Err *err) {
    char full[PATH_SIZE];
    return load(translator, open_model(path, full, err), full, true, err);
}

int model_load_bytes(Translator *translator, const void *bytes, size_t size, const char *name, Err *err) {
    return load(translator, safetensors_open_bytes(bytes, size, name, err), name, false, err);
}
