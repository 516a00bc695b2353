/* model.c: loading models, and facts about the library and about models. */
#include "api/api.h"
#include "core/kernels.h"
#include "io/ds.h"
#include "translate/model_file.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

const char *tide_version(void) { return TIDE_VERSION; }

const char *const *tide_capabilities(void) {
    static char set[64] = "";
    static const char *const list[] = {set,       "translate", "n-best",   "ensemble", "align", "score",
                                       "explain", "bleu",      "chrf",     "aer",      "svg",   "html",
                                       "pharaoh", "format-3",  "format-4", NULL};
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static const Kernels *named;
    pthread_mutex_lock(&lock);
    if (named != kernels) snprintf(set, sizeof set, "kernels-%s", kernels->name); /* in the first call */
    named = kernels;
    pthread_mutex_unlock(&lock);
    return list;
}

typedef struct LoadCall {
    Call call;
    const char *path;
    const void *bytes; /* [size] in memory; NULL: the model is at the path */
    size_t size;
    TideModel **model;
} LoadCall;

static void load(void *context) {
    LoadCall *c = context;
    Err err;
    if (!argument_given(&c->call, "model", c->model) || !argument_given(&c->call, "path", c->path)) return;
    TideModel *model = mem_zalloc(sizeof *model);
    if (c->bytes ? model_load_bytes(&model->translator, c->bytes, c->size, c->path, &err)
                 : model_load(&model->translator, c->path, &err)) {
        call_fail_err(&c->call, TIDE_BAD_FILE, NULL, &err);
        return;
    }
    model->name = mem_strdup(c->path);
    model->tags = vocab_tags(model->translator.source.vocab);
    arrput(model->tags, NULL);
    atomic_init(&model->references, 1);
    *c->model = model;
}

TideStatus tide_load(const char *path, TideModel **model, char *error, size_t error_size) {
    LoadCall c = {.call.keeps = true, .path = path, .model = model};
    if (model) *model = NULL;
    return call_once(&c.call, load, error, error_size);
}

TideStatus tide_load_memory(const void *bytes, size_t size, TideModel **model, char *error, size_t error_size) {
    LoadCall c = {.call.keeps = true, .path = bytes ? "memory" : NULL, .bytes = bytes, .size = size, .model = model};
    if (model) *model = NULL;
    return call_once(&c.call, load, error, error_size);
}

void tide_free(TideModel *model) {
    if (!model || atomic_fetch_sub(&model->references, 1) > 1) return;
    translator_free(&model->translator);
    mem_free(model->name);
    arrfree(model->tags);
    mem_free(model);
}

TideStatus tide_model_info(const TideModel *model, TideModelInfo *info) {
    if (!model || !info || !struct_size_valid(info->size)) return TIDE_BAD_ARGUMENT;
    const Translator *t = &model->translator;
    const Alignments alignments = model_alignments(&t->model);
    const size_t size = info->size < sizeof *info ? info->size : sizeof *info;
    const TideModelInfo all = {.size = info->size,
                               .source_language = t->options.langs[SOURCE],
                               .target_language = t->options.langs[TARGET],
                               .configuration = t->configuration,
                               .warning = t->warning,
                               .parameters = (long)params_weights(&t->model.params),
                               .source_pieces = vocab_size(t->source.vocab),
                               .target_pieces = vocab_size(t->target.vocab),
                               .heads = alignments.heads,
                               .layers = alignments.layers,
                               .beam = t->options.beam_size,
                               .normalize = t->options.normalize,
                               .word_penalty = t->options.word_penalty,
                               .tags = model->tags};
    memset(info, 0, info->size);
    memcpy(info, &all, size);
    return TIDE_OK;
}
