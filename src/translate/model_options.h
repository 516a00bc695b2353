/* model_options.h: the options of a model and of its search. */
#ifndef TIDE_MODEL_OPTIONS_H
#define TIDE_MODEL_OPTIONS_H

#include "text/tokenizer.h"
#include "translate/options.h"

/* Arrays of two: source, target. */
typedef struct ModelOptions {
    char langs[2][OPTION_TEXT_SIZE];
    TokenizerKind tokenizer[2];
    int dim_vocabs[2], bpe_merges[2];
    bool source_words; /* see model_options_source_words */
    bool joint_merges; /* both sides share one list of merges */
    int dim_emb, dim_rnn, dim_att, dim_maxout, heads;
    int enc_depth, dec_depth, dim_ffn, window;
    int arch, encoder, attention; /* indices in arch_names, encoder_names and attention_names */
    bool readout_prev, tied_embeddings;
    /* search */
    int beam_size;
    double normalize;
} ModelOptions;

/* The table of a model, that of its search, and the list of both. */
extern const Option model_option_table[], search_option_table[];
extern const Option *const model_option_tables[];

/* Whether a language's code is in a list that NULL ends. Of zh-Hant or en_US the first part counts; case does not. */
bool language_is(const char *code, const char *const *codes);
/* The side that is English by its code, 0 source or 1 target; -1 if neither is, or both are. */
int model_options_english(const ModelOptions *options);
/* Whether the source has two factors, characters and the larger pieces that they are in: source-words is on and the
   source is read by character. */
bool model_options_source_words(const ModelOptions *options);
/* Whether the model has an alignment. */
bool model_options_align(const ModelOptions *options);

/* Checks that options, each of which is valid, fit together. Returns 0, or -1 with *err's reason filled. */
int model_options_check(const ModelOptions *options, Err *err);
/* Checks that no option that differs from its fallback has no effect, which is a mistake of the user. Returns 0, or -1
   with *err's reason filled. */
int model_options_check_effect(const ModelOptions *options, Err *err);

#endif
