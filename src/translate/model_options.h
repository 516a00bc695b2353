/* model_options.h: the options of a model and of its search. */
#ifndef TIDE_MODEL_OPTIONS_H
#define TIDE_MODEL_OPTIONS_H

#include "text/tokenizer.h"
#include "io/options.h"

/* Arrays of two hold the values of source and target. */
typedef struct ModelOptions {
    char langs[2][OPTION_TEXT_SIZE];
    TokenizerKind tokenizer[2];
    int dim_vocabs[2], bpe_merges[2];
    bool source_words; /* see model_options_source_words */
    bool joint_merges; /* both sides share one list of merges */
    int dim_emb, dim_rnn, dim_att, dim_maxout, heads;
    int enc_depth, dec_depth, dim_ffn, window;
    int arch, encoder, attention; /* indices in arch_names, encoder_names and attention_names */
    bool conditional, readout_prev, tied_embeddings;
    /* options of the search */
    int beam_size;
    double normalize, word_penalty;
    double confidence[2]; /* see confidence_of; 0 0: there is none */
} ModelOptions;

/* The options of a model, those of its search, what `tide tune` fits besides, and the list of all tables. */
extern const Option model_option_table[], search_option_table[], fitted_option_table[];
extern const Option *const model_option_tables[];

/* Whether the source has two factors: characters, and the subwords that contain them. This needs source-words on and
   the tokenizer char for the source. */
bool model_options_source_words(const ModelOptions *options);
/* The name of the kind of attention, a value of --attention; that of a Transformer is "multi-head". */
const char *model_options_attention(const ModelOptions *options);
/* Whether the model has an alignment. */
bool model_options_align(const ModelOptions *options);

/* Checks that the options agree with each other, for example that heads divides dim_emb. The limits of each single
   option must hold already. Returns 0, or -1 with *err filled: a reason without path and line. */
int model_options_check(const ModelOptions *options, Err *err);
/* Checks that every option that differs from its default has an effect. Returns 0, or -1 with *err's reason filled. */
int model_options_check_effect(const ModelOptions *options, Err *err);

#endif
