#include "translate/recipe.h"
#include "core/choice.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "io/utf8.h"
#include "translate/model_file.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <sha2.h>
#include <stdio.h>
#include <string.h>

const char recipe_kind_names[] = "train|quantize|tune";

enum { RECIPE_FORMAT = 1 };
_Static_assert(sizeof(Sum) == SHA256_DIGEST_STRING_LENGTH, "a sum is SHA-256 in hex digits and a NUL");

/* ---- sums ------------------------------------------------------------------------------------------------------- */

int sum_file(Sum *sum, const char *path, Err *err) {
    errno = 0;
    if (SHA256File(path, sum->hex)) return 0;
    return err_set(err, path, 0, "%s", errno ? strerror(errno) : "cannot be read");
}

Sum sum_tensors(const Tensor *tensors, int n) {
    Sum sum;
    SHA2_CTX state;
    SHA256Init(&state);
    for (int i = 0; i < n; i++) SHA256Update(&state, tensors[i].data, tensor_bytes(&tensors[i]));
    SHA256End(&state, sum.hex);
    return sum;
}

char *recipe_name(const char *path) {
    const char *slash = strrchr(path, '/');
    char *name = mem_strdup(slash ? slash + 1 : path);
    int32_t c;
    for (char *at = name; *at;) {
        const size_t n = utf8_read(at, strlen(at), &c);
        if (!n) *at = '?';
        at += n ? n : 1;
    }
    return name;
}

/* The same JSON without white space, so that a recipe inside another one is always the same text. */
static char *compact(const cJSON *json) {
    char *text = cJSON_PrintUnformatted(json);
    if (!text) mem_refused(0);
    char *copy = mem_strdup(text);
    cJSON_free(text);
    return copy;
}

int recipe_model_read(RecipeModel *model, const char *path, Err *err) {
    char full[PATH_SIZE];
    if (model_find(path, full, err) || sum_file(&model->file, full, err)) return -1;
    Safetensors *file = safetensors_open(full, err);
    if (!file) return -1;
    const char *text = safetensors_meta(file, "recipe");
    Recipe *recipe = text ? recipe_parse(text, full, err) : NULL;
    cJSON *json = recipe ? json_parse(text, strlen(text)) : NULL;
    if (recipe && !json) mem_refused(0);
    if (json) model->recipe = compact(json);
    cJSON_Delete(json);
    recipe_free(recipe);
    return safetensors_close(file, text && !model->recipe ? -1 : 0, err);
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static void write_text(FILE *out, const char *key, const char *text) {
    fprintf(out, ", \"%s\": ", key);
    json_string(out, text);
}

/* Writes the lines `name = value` of a configuration as an object. */
static void write_options(FILE *out, const char *configuration) {
    const char *comma = "";
    fputs(", \"options\": {", out);
    for (const char *line = configuration; *line; line += strcspn(line, "\n") + 1) {
        const char *equals = strstr(line, " = ");
        char *name = mem_strndup(line, (size_t)(equals - line));
        char *value = mem_strndup(equals + 3, strcspn(equals + 3, "\n"));
        fputs(comma, out);
        json_string(out, name);
        fputs(": ", out);
        json_string(out, value);
        comma = ", ";
        mem_free(name);
        mem_free(value);
    }
    fputc('}', out);
}

static void write_model(FILE *out, const char *key, const RecipeModel *model) {
    if (!*model->file.hex) return;
    fprintf(out, ", \"%s\": {\"sha256\": \"%s\"", key, model->file.hex);
    if (model->recipe) fprintf(out, ", \"recipe\": %s", model->recipe);
    fputc('}', out);
}

static void write_corpora(FILE *out, const char *key, const RecipeCorpus *corpora) {
    fprintf(out, ", \"%s\": [", key);
    for (ptrdiff_t i = 0; i < arrlen(corpora); i++) {
        const RecipeCorpus *c = &corpora[i];
        int length;
        const char *form = choice_name(corpus_form_names, (int)c->form, &length);
        fputs(i ? ", {\"files\": " : "{\"files\": ", out);
        json_strings(out, c->name, c->name[1] ? 2 : 1, ", ");
        fprintf(out, ", \"form\": \"%.*s\"", length, form);
        fprintf(out, ", \"sha256\": [\"%s\", \"%s\"], \"pairs\": %ld", c->side[0].hex, c->side[1].hex, c->pairs);
        if (c->weight != 1) fprintf(out, ", \"weight\": %.17g", c->weight);
        if (c->tag) write_text(out, "tag", c->tag);
        if (c->quiet) fputs(", \"noise\": false", out);
        if (c->distillation > 0) fprintf(out, ", \"distillation\": %.17g", c->distillation);
        write_model(out, "teacher", &c->teacher);
        fputc('}', out);
    }
    fputc(']', out);
}

static void write_training(FILE *out, const Recipe *r) {
    write_options(out, r->configuration);
    write_corpora(out, "corpora", r->corpora);
    write_corpora(out, "dev", r->dev);
    if (r->guides) {
        fputs(", \"guides\": {\"file\": ", out);
        json_string(out, r->guides);
        fprintf(out, ", \"sha256\": \"%s\"}", r->guides_sum.hex);
    }
    fputs(", \"changes\": [", out);
    for (ptrdiff_t i = 0; i < arrlen(r->changes); i++) {
        fprintf(out, "%s{\"update\": %ld", i ? ", " : "", r->changes[i].update);
        write_text(out, "option", r->changes[i].option);
        write_text(out, "from", r->changes[i].from);
        write_text(out, "to", r->changes[i].to);
        fputc('}', out);
    }
    fputs("], \"chain\": [", out);
    for (ptrdiff_t i = 0; i < arrlen(r->chain); i++)
        fprintf(out, "%s{\"update\": %ld, \"xxh3\": \"%s\"}", i ? ", " : "", r->chain[i].update, r->chain[i].hash);
    fprintf(out, "], \"update\": %ld", r->update);
}

char *recipe_format(const Recipe *r) {
    MemoryFile memory;
    int length;
    const char *kind = choice_name(recipe_kind_names, (int)r->kind, &length);
    FILE *out = memory_open(&memory);
    fprintf(out, "{\"recipe\": %d, \"made\": \"%.*s\"", RECIPE_FORMAT, length, kind);
    write_text(out, "tide", r->version);
    fprintf(out, ", \"arithmetic\": %d", r->arithmetic);
    write_model(out, "parent", &r->parent);
    if (r->kind == RECIPE_TRAIN) write_training(out, r);
    if (*r->weights.hex) fprintf(out, ", \"weights\": \"%s\"", r->weights.hex);
    fputc('}', out);
    return memory_close(&memory, NULL);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

/* Each of these functions returns 0, or -1 with *err filled if the key is missing or its value is wrong. The error
   names the key. */

/* The path in *err stays. */
static int bad(const char *key, Err *err) {
    snprintf(err->reason, sizeof err->reason, "the recipe has a bad '%s'", key);
    return -1;
}

static const cJSON *member(const cJSON *json, const char *key) { return cJSON_GetObjectItemCaseSensitive(json, key); }

static int read_number(const cJSON *json, const char *key, double least, double most, double *number, Err *err) {
    const cJSON *value = member(json, key);
    if (!cJSON_IsNumber(value) || !(value->valuedouble >= least) || value->valuedouble > most) return bad(key, err);
    *number = value->valuedouble;
    return 0;
}

static int read_count(const cJSON *json, const char *key, long *count, Err *err) {
    double number;
    if (read_number(json, key, 0, 1e12, &number, err)) return -1;
    *count = (long)number;
    return (double)*count == number ? 0 : bad(key, err);
}

static int read_text(const cJSON *json, const char *key, char **text, Err *err) {
    const cJSON *value = member(json, key);
    if (!cJSON_IsString(value)) return bad(key, err);
    *text = mem_strdup(value->valuestring);
    return 0;
}

/* Reads `size` - 1 lower-case hex digits. */
static int read_hex(const cJSON *value, const char *key, char *hex, size_t size, Err *err) {
    if (!cJSON_IsString(value) || strlen(value->valuestring) != size - 1 ||
        strspn(value->valuestring, "0123456789abcdef") != size - 1)
        return bad(key, err);
    memcpy(hex, value->valuestring, size);
    return 0;
}

static int read_sum(const cJSON *value, const char *key, Sum *sum, Err *err) {
    return read_hex(value, key, sum->hex, sizeof sum->hex, err);
}

/* A model without a recipe of its own has NULL. */
static int read_model(const cJSON *json, const char *key, RecipeModel *model, Err *err) {
    const cJSON *value = member(json, key);
    if (!value) return 0;
    if (read_sum(member(value, "sha256"), key, &model->file, err)) return -1;
    const cJSON *recipe = member(value, "recipe");
    if (!recipe) return 0;
    if (!cJSON_IsObject(recipe)) return bad(key, err);
    model->recipe = compact(recipe);
    return 0;
}

/* A line of a configuration has one option; so neither name nor value can break a line. */
static int read_options(const cJSON *json, char **configuration, Err *err) {
    const cJSON *options = member(json, "options"), *value;
    if (!cJSON_IsObject(options)) return bad("options", err);
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    int status = 0;
    cJSON_ArrayForEach(value, options) {
        const bool good = cJSON_IsString(value) && !strpbrk(value->string, " =\n") && !strchr(value->valuestring, '\n');
        if (good) fprintf(out, "%s = %s\n", value->string, value->valuestring);
        else status = bad("options", err);
    }
    *configuration = memory_close(&memory, NULL);
    return status;
}

static int read_corpus(const cJSON *json, RecipeCorpus *c, Err *err) {
    const cJSON *files = member(json, "files"), *sums = member(json, "sha256"), *name = member(json, "form");
    const int n = cJSON_GetArraySize(files),
              form = cJSON_IsString(name) ? choice_find(corpus_form_names, name->valuestring) : -1;
    c->weight = 1;
    if (form < 0) return bad("form", err);
    c->form = (CorpusForm)form;
    if (!cJSON_IsArray(files) || n != (c->form == FORM_LINES ? 2 : 1)) return bad("files", err);
    for (int i = 0; i < n; i++) {
        if (!cJSON_IsString(cJSON_GetArrayItem(files, i))) return bad("files", err);
        c->name[i] = mem_strdup(cJSON_GetArrayItem(files, i)->valuestring);
    }
    for (int i = 0; i < 2; i++)
        if (read_sum(cJSON_GetArrayItem(sums, i), "sha256", &c->side[i], err)) return -1;
    if (read_count(json, "pairs", &c->pairs, err) ||
        (member(json, "weight") && read_number(json, "weight", 0.001, 1000, &c->weight, err)) ||
        (member(json, "distillation") && read_number(json, "distillation", 0, 1, &c->distillation, err)) ||
        (member(json, "tag") && read_text(json, "tag", &c->tag, err)))
        return -1;
    c->quiet = cJSON_IsFalse(member(json, "noise"));
    return read_model(json, "teacher", &c->teacher, err);
}

static int read_corpora(const cJSON *json, const char *key, RecipeCorpus **corpora, Err *err) {
    const cJSON *list = member(json, key), *value;
    if (!cJSON_IsArray(list)) return bad(key, err);
    cJSON_ArrayForEach(value, list) {
        arrput(*corpora, (RecipeCorpus){0});
        if (read_corpus(value, &arrlast(*corpora), err)) return -1;
    }
    return 0;
}

static int read_changes(const cJSON *json, RecipeChange **changes, Err *err) {
    const cJSON *list = member(json, "changes"), *value;
    long before = 0;
    if (!cJSON_IsArray(list)) return bad("changes", err);
    cJSON_ArrayForEach(value, list) {
        arrput(*changes, (RecipeChange){0});
        RecipeChange *c = &arrlast(*changes);
        if (read_count(value, "update", &c->update, err) || read_text(value, "option", &c->option, err) ||
            read_text(value, "from", &c->from, err) || read_text(value, "to", &c->to, err))
            return -1;
        if (c->update < before) return bad("changes", err);
        before = c->update;
    }
    return 0;
}

static int read_chain(const cJSON *json, Recipe *r, Err *err) {
    const cJSON *list = member(json, "chain"), *value;
    long before = 0;
    if (!cJSON_IsArray(list)) return bad("chain", err);
    cJSON_ArrayForEach(value, list) {
        RecipeLink link;
        if (read_count(value, "update", &link.update, err) ||
            read_hex(member(value, "xxh3"), "xxh3", link.hash, sizeof link.hash, err))
            return -1;
        if (link.update <= before || link.update > r->update) return bad("chain", err);
        before = link.update;
        arrput(r->chain, link);
    }
    return 0;
}

static int read_training(const cJSON *json, Recipe *r, Err *err) {
    const cJSON *guides = member(json, "guides");
    if (read_options(json, &r->configuration, err) || read_corpora(json, "corpora", &r->corpora, err) ||
        read_corpora(json, "dev", &r->dev, err) || read_count(json, "update", &r->update, err) ||
        read_changes(json, &r->changes, err) || read_chain(json, r, err))
        return -1;
    if (!arrlen(r->corpora)) return bad("corpora", err);
    for (ptrdiff_t i = 0; i < arrlen(r->corpora); i++)
        if (r->corpora[i].distillation > 0 && !*r->parent.file.hex) return bad("distillation", err);
    if (arrlen(r->dev) > 1) return bad("dev", err);
    if (guides && (read_text(guides, "file", &r->guides, err) ||
                   read_sum(member(guides, "sha256"), "guides", &r->guides_sum, err)))
        return -1;
    return 0;
}

static int read_recipe(const cJSON *json, Recipe *r, Err *err) {
    long format, arithmetic;
    if (read_count(json, "recipe", &format, err)) return -1;
    if (format != RECIPE_FORMAT) {
        snprintf(err->reason, sizeof err->reason, "the recipe has format %ld; this version of tide reads format %d",
                 format, RECIPE_FORMAT);
        return -1;
    }
    const cJSON *made = member(json, "made"), *weights = member(json, "weights");
    const int kind = cJSON_IsString(made) ? choice_find(recipe_kind_names, made->valuestring) : -1;
    if (kind < 0) return bad("made", err);
    r->kind = (RecipeKind)kind;
    if (read_text(json, "tide", &r->version, err) || read_count(json, "arithmetic", &arithmetic, err) ||
        read_model(json, "parent", &r->parent, err) || (weights && read_sum(weights, "weights", &r->weights, err)))
        return -1;
    if (arithmetic > INT_MAX) return bad("arithmetic", err);
    r->arithmetic = (int)arithmetic;
    if (r->kind == RECIPE_TRAIN) return read_training(json, r, err);
    return *r->parent.file.hex ? 0 : bad("parent", err);
}

Recipe *recipe_parse(const char *text, const char *path, Err *err) {
    err_set(err, path, 0, "has no recipe: a version of tide without recipes, or another program, wrote this file");
    if (!text) return NULL;
    cJSON *json = json_parse(text, strlen(text));
    if (!json && errno == ENOMEM) mem_refused(0);
    Recipe *recipe = mem_zalloc(sizeof *recipe);
    err_set(err, path, 0, "the recipe is not JSON");
    const int status = cJSON_IsObject(json) && !json_has_nul(text, strlen(text)) ? read_recipe(json, recipe, err) : -1;
    cJSON_Delete(json);
    if (!status) return recipe;
    recipe_free(recipe);
    return NULL;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

void recipe_corpora_free(RecipeCorpus *corpora) {
    for (ptrdiff_t i = 0; i < arrlen(corpora); i++) {
        for (int k = 0; k < 2; k++) mem_free(corpora[i].name[k]);
        mem_free(corpora[i].tag);
        mem_free(corpora[i].teacher.recipe);
    }
    arrfree(corpora);
}

void recipe_clear(Recipe *r) {
    for (ptrdiff_t i = 0; i < arrlen(r->changes); i++) {
        mem_free(r->changes[i].option);
        mem_free(r->changes[i].from);
        mem_free(r->changes[i].to);
    }
    arrfree(r->changes);
    arrfree(r->chain);
    recipe_corpora_free(r->corpora);
    recipe_corpora_free(r->dev);
    mem_free(r->version);
    mem_free(r->configuration);
    mem_free(r->guides);
    mem_free(r->parent.recipe);
    *r = (Recipe){0};
}

void recipe_free(Recipe *recipe) {
    if (!recipe) return;
    recipe_clear(recipe);
    mem_free(recipe);
}
