/* random_model.h: writes small models with random weights to files. Requires cmocka.h. */
#ifndef TIDE_TESTS_RANDOM_MODEL_H
#define TIDE_TESTS_RANDOM_MODEL_H

#include "scratch.h"
#include "io/ds.h"
#include "translate/model_file.h"
#include "words.h"

#include <stdio.h>

static char *const source_texts[] = {"潮水退了。", "大家都在海边。", "谁没穿鞋?"};
static char *const target_texts[] = {"The tide went out.", "Everyone is by the sea.", "Who is not wearing shoes?"};

static inline int save(const Translator *t, const char *path, Err *err) {
    char *configuration = options_format(model_option_tables, &t->options);
    int status = model_save(t, configuration, NULL, path, err);
    mem_free(configuration);
    return status;
}

/* The default options, with small layer sizes. */
static inline ModelOptions small_options(const char *lang) {
    ModelOptions options = {0};
    options_default(model_option_tables, &options);
    snprintf(options.langs[1], sizeof options.langs[1], "%s", lang);
    options.dim_emb = 8;
    options.dim_rnn = 12;
    options.dim_att = 10;
    options.dim_maxout = 6;
    return options;
}

/* Makes a small translator with random weights and a tag (NULL: none) in *t, which the caller releases, and writes it
   to a file. */
static inline void write_tagged_model(Translator *t, const ModelOptions *options, char *const texts[3], const char *tag,
                                      uint64_t seed, const char *path) {
    Err err;
    *t = (Translator){.options = *options};
    side_learn(&t->source, TOKENIZER_CHAR, words_of(TOKENIZER_CHAR, source_texts, 3), 0, 0);
    if (tag) vocab_add_tag(t->source.vocab, tag);
    side_learn(&t->target, TOKENIZER_BPE, words_of(TOKENIZER_BPE, texts, 3), 20, 0);
    translator_init(t);
    params_allocate(&t->model.params);
    Rng rng = rng_seed(seed, 0);
    for (size_t i = 0; i < t->model.params.size; i++) t->model.params.values[i] = (real)(0.5 * rng_normal(&rng));
    assert_int_equal(save(t, path, &err), 0);
}

static inline void write_random_model(Translator *t, const ModelOptions *options, char *const texts[3], uint64_t seed,
                                      const char *path) {
    write_tagged_model(t, options, texts, NULL, seed, path);
}

static inline void write_model_into(Translator *t, const char *lang, char *const texts[3], uint64_t seed,
                                    const char *path) {
    const ModelOptions options = small_options(lang);
    write_random_model(t, &options, texts, seed, path);
}

/* Loads a translator with random weights from a file, into English and with the small options. The caller releases it.
 */
static inline void load_random_model(Translator *model, uint64_t seed) {
    char path[SCRATCH_SIZE];
    Err err;
    scratch_file(path);
    write_model_into(model, "en", target_texts, seed, path);
    translator_free(model);
    assert_int_equal(model_load(model, path, &err), 0);
    unlink(path);
}

#endif
