#include "translate/model_file.h"
#include "io/ds.h"
#include "io/files.h"
#include "tide.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Writes one key of a side; the value is empty if the side lacks it. The caller owns the value. */
static Meta side_meta(const Side *side, int which, int key) {
    const char *name = model_side_keys[which][key];
    if (side && key == MODEL_VOCAB) return (Meta){name, vocab_format(side->vocab)};
    if (side && key == MODEL_MERGES && side->tokenizer.bpe) return (Meta){name, bpe_format(side->tokenizer.bpe)};
    return (Meta){name, mem_strdup(key == MODEL_OPEN && side && side->tokenizer.bpe ? "1" : "")};
}

void model_meta(const Translator *translator, const char *configuration, const char *recipe, Meta meta[MODEL_META]) {
    const Side *sides[MODEL_SIDES] = {&translator->source, &translator->target, translator->source.subwords};
    meta[0] = (Meta){"config", mem_strdup(configuration)};
    for (int i = 0; i < MODEL_SIDES; i++)
        for (int key = 0; key < MODEL_SIDE_KEYS; key++)
            meta[1 + MODEL_SIDE_KEYS * i + key] = side_meta(sides[i], i, key);
    for (int i = 0; i < ABOUTS; i++) {
        const char *text = translator->about.text[i];
        meta[1 + MODEL_SIDE_KEYS * MODEL_SIDES + i] = (Meta){about_names[i], text ? mem_strdup(text) : NULL};
    }
    meta[MODEL_META - 1] = (Meta){"recipe", recipe ? mem_strdup(recipe) : NULL};
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

int model_save(const Translator *translator, const char *configuration, const Recipe *recipe, const char *path,
               Err *err) {
    Meta meta[MODEL_META];
    Tensor *tensors = model_tensors(translator);
    QuantizedMatrix *quantized = translator->quantized ? quantize_tensors(translator, &tensors) : NULL;
    char *text = NULL;
    if (recipe) {
        Recipe complete = *recipe;
        complete.weights = sum_tensors(tensors, (int)arrlen(tensors));
        text = recipe_format(&complete);
    }
    model_meta(translator, configuration, text, meta);
    mem_free(text);
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

/* ---- a copy with other options of the search ----------------------------------------------------------------------
 */

/* The configuration with other values of the options of the search; owned by the caller. */
static char *with_search(const char *configuration, const ModelOptions *search) {
    const bool fitted = search->confidence[0] != 0 || search->confidence[1] != 0;
    const Option *const all[] = {search_option_table, fitted_option_table, NULL};
    const Option *const written[] = {search_option_table, fitted ? fitted_option_table : NULL, NULL};
    char *own = options_format(written, search);
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    for (const char *line = configuration; *line;) {
        const size_t length = strcspn(line, "\n") + (strchr(line, '\n') != NULL);
        char name[OPTION_TEXT_SIZE] = "";
        snprintf(name, sizeof name, "%.*s", (int)strcspn(line, " =\n"), line);
        if (!option_find(all, name)) fwrite(line, 1, length, out);
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
    Recipe recipe = {.kind = quantized ? RECIPE_QUANTIZE : RECIPE_TUNE,
                     .version = mem_strdup(TIDE_VERSION),
                     .arithmetic = ARITHMETIC};
    int status = recipe_model_read(&recipe.parent, path, err);
    if (!status) status = model_save(&copy, configuration, &recipe, to, err);
    recipe_clear(&recipe);
    mem_free(configuration);
    translator_free(&copy);
    return status;
}
