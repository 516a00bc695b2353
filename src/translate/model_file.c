#include "translate/model_file.h"
#include "io/ds.h"
#include "io/files.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The sides source and target, and the subwords of the source, if it has two factors. */
enum { SUBWORDS = 2, SIDES };
enum { VOCAB, MERGES, OPEN, SIDE_KEYS };
/* "open" says that pieces which are not in the vocabulary are split (side.h): "1" with BPE. tide does not read it. */
static const char *const side_keys[SIDES][SIDE_KEYS] = {
    {"source.vocab", "source.merges", "source.open"},
    {"target.vocab", "target.merges", "target.open"},
    {"source.larger.vocab", "source.larger.merges", "source.larger.open"}};

/* Writes one key of a side; the value is empty if the side lacks it. The caller owns the value. */
static Meta side_meta(const Side *side, int which, int key) {
    const char *name = side_keys[which][key];
    if (side && key == VOCAB) return (Meta){name, vocab_format(side->vocab)};
    if (side && key == MERGES && side->tokenizer.bpe) return (Meta){name, bpe_format(side->tokenizer.bpe)};
    return (Meta){name, mem_strdup(key == OPEN && side && side->tokenizer.bpe ? "1" : "")};
}

void model_meta(const Translator *translator, const char *configuration, Meta meta[MODEL_META]) {
    const Side *sides[SIDES] = {&translator->source, &translator->target, translator->source.subwords};
    meta[0] = (Meta){"config", mem_strdup(configuration)};
    for (int i = 0; i < SIDES; i++)
        for (int key = 0; key < SIDE_KEYS; key++) meta[1 + SIDE_KEYS * i + key] = side_meta(sides[i], i, key);
    for (int i = 0; i < ABOUTS; i++) {
        const char *text = translator->about.text[i];
        meta[1 + SIDE_KEYS * SIDES + i] = (Meta){about_names[i], text ? mem_strdup(text) : NULL};
    }
}

void model_meta_free(Meta meta[MODEL_META]) {
    for (int i = 0; i < MODEL_META; i++) mem_free((char *)meta[i].value);
}

Tensor *model_tensors(const Translator *translator) {
    Tensor *tensors = NULL;
    const Params *params = &translator->model.params;
    for (int i = 0; i < params->count; i++) {
        const Param *p = params->list[i];
        arrput(tensors, ((Tensor){p->name, p->var.rows, p->var.cols, params_values(params, p), TENSOR_F32}));
    }
    return tensors;
}

/* ---- weights of 8 bits ------------------------------------------------------------------------------------------ */

enum { MOST_INT8 = 127 };

/* A matrix as integers and scales; owned. */
typedef struct QuantizedMatrix {
    char name[48]; /* of the scales */
    int8_t *bytes;
    float *scales;
} QuantizedMatrix;

/* The scale of a column or row whose largest weight is `most`: at least most / 127, with 16 significant bits. */
static float scale_of(float most) {
    enum { DROPPED_BITS = 8 };
    const float exact = most / MOST_INT8;
    uint32_t bits;
    memcpy(&bits, &exact, sizeof bits);
    bits = (bits + (1u << DROPPED_BITS) - 1) & ~((1u << DROPPED_BITS) - 1);
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

static void quantize(const float *values, int rows, int cols, bool by_row, QuantizedMatrix *to) {
    const int n = by_row ? rows : cols;
    to->bytes = mem_alloc((size_t)rows * (size_t)cols);
    to->scales = mem_zalloc((size_t)n * sizeof *to->scales);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            float *most = &to->scales[by_row ? i : j];
            *most = fmaxf(*most, fabsf(values[(size_t)i * (size_t)cols + (size_t)j]));
        }
    for (int i = 0; i < n; i++) to->scales[i] = scale_of(to->scales[i]);
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < cols; j++) {
            const size_t at = (size_t)i * (size_t)cols + (size_t)j;
            const float scale = to->scales[by_row ? i : j];
            to->bytes[at] = (int8_t)(scale > 0 ? lrintf(values[at] / scale) : 0);
        }
}

/* Turns the matrices among the tensors into integers: the scales take the place of a matrix, the integers come last.
   Returns the memory of both: a stb_ds array, which must not move. */
static QuantizedMatrix *quantize_tensors(const Translator *translator, Tensor **tensors) {
    const Params *params = &translator->model.params;
    QuantizedMatrix *all = NULL;
    arrsetcap(all, (size_t)params->count);
    for (int i = 0; i < params->count; i++) {
        Tensor *tensor = &(*tensors)[i];
        const bool by_row = params->list[i]->table;
        QuantizedMatrix matrix = {0};
        if (tensor->rows < 2 || tensor->cols < 2) continue;
        quantize(tensor->data, tensor->rows, tensor->cols, by_row, &matrix);
        snprintf(matrix.name, sizeof matrix.name, "%s.scale", tensor->name);
        arrput(all, matrix);
        Tensor bytes = {tensor->name, tensor->rows, tensor->cols, matrix.bytes, TENSOR_I8};
        *tensor = (Tensor){arrlast(all).name, by_row ? tensor->rows : 1, by_row ? 1 : tensor->cols, matrix.scales,
                           TENSOR_F32};
        arrput(*tensors, bytes);
    }
    return all;
}

int model_save(const Translator *translator, const char *configuration, const char *path, Err *err) {
    Meta meta[MODEL_META];
    model_meta(translator, configuration, meta);
    Tensor *tensors = model_tensors(translator);
    QuantizedMatrix *quantized = translator->quantized ? quantize_tensors(translator, &tensors) : NULL;
    int status = safetensors_write(path, tensors, (int)arrlen(tensors), meta, MODEL_META, err);
    for (ptrdiff_t i = 0; i < arrlen(quantized); i++) {
        mem_free(quantized[i].bytes);
        mem_free(quantized[i].scales);
    }
    arrfree(quantized);
    arrfree(tensors);
    model_meta_free(meta);
    return status;
}

static int read_side(Side *side, int which, TokenizerKind kind, const Safetensors *file, const char *path, Err *err) {
    const char *vocab = safetensors_meta(file, side_keys[which][VOCAB]),
               *merges = safetensors_meta(file, side_keys[which][MERGES]);
    if (!vocab || !merges)
        return err_set(err, path, 0, "the metadata has no %s", side_keys[which][vocab ? MERGES : VOCAB]);
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
    return read_side(source->subwords, SUBWORDS, TOKENIZER_BPE, file, path, err) ||
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
    char checkpoint[PATH_SIZE];
    struct stat info;
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

/* ---- a copy with other options of the search ----------------------------------------------------------------------
 */

/* The configuration with other values of the options of the search; owned by the caller. */
static char *with_search(const char *configuration, const ModelOptions *search) {
    const Option *const table[] = {search_option_table, NULL};
    char *own = options_format(table, search);
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    for (const char *line = configuration; *line;) {
        const size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        char name[OPTION_TEXT_SIZE] = "";
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " =\n"), line);
        if (!option_find(table, name)) fwrite(line, 1, length, out);
        line += length;
    }
    fputs(own, out);
    mem_free(own);
    return memory_close(&memory, NULL);
}

int model_copy(const char *path, const ModelOptions *search, bool quantized, const char *to, Err *err) {
    Translator copy;
    if (model_load_trained(&copy, path, err)) return -1;
    char *configuration = search ? with_search(copy.configuration, search) : mem_strdup(copy.configuration);
    copy.quantized |= quantized;
    const int status = model_save(&copy, configuration, to, err);
    mem_free(configuration);
    translator_free(&copy);
    return status;
}
