/* options.h: everything that a training can be told, described once: the table drives presets, the command line, --help
   and the configuration that a model carries. */
#ifndef TIDE_OPTIONS_H
#define TIDE_OPTIONS_H

#include "core/base.h"

#include <stdbool.h>

typedef struct Options {
    /* the model; 0 source, 1 target */
    char langs[2][16], tokenizer[2][16];
    int dim_vocabs[2], bpe_merges[2];
    char merges[16], source_words[16];
    int dim_emb, dim_rnn, dim_att, dim_maxout, heads;
    int enc_depth, dec_depth, dim_ffn, window;
    char arch[16], encoder[16], attention[16], readout_state[16], tied_embeddings[16];
    /* the arithmetic of training */
    char init[16], optimizer[16];
    double learn_rate, lr_decay, clip_norm, label_smoothing, exponential_smoothing;
    int lr_decay_start, lr_warmup, lr_decay_inv_sqrt;
    double dropout_emb, dropout_annotation, dropout_readout;
    char guided_cost[16];
    double guided_weight;
    int mini_batch, maxi_batch, max_length, workspace;
    int seed;
    /* when to stop, look and save; not part of a model's configuration */
    double after_epochs, after_minutes;
    int after_batches, early_stopping, valid_freq, save_freq, disp_freq;
    /* translation, at validation too */
    int beam_size;
    double normalize;
} Options;

typedef enum { OPTION_INT, OPTION_REAL, OPTION_TEXT } OptionKind;

/* Whether a training that goes on may be told another value: as it likes; only by name, for the arithmetic is another
   one from there on; never, for nothing would fit. */
typedef enum { FREE, NAMED, BOUND } OptionHold;

typedef struct Option {
    const char *name; /* as in `--name` and in `name = value` */
    OptionKind kind;
    int values;           /* 1, or 2 for source and target */
    size_t offset;        /* in Options */
    double least, most;   /* of a number */
    const char *choices;  /* of a text, separated by '|'; NULL: any */
    OptionHold hold;      /* what is not FREE changes the arithmetic, and is a model's configuration */
    const char *fallback; /* the value without preset or flag */
    const char *help;
} Option;

extern const Option option_table[];
extern const int option_count;
const Option *option_find(const char *name);

/* Whether value is one of the names in choices, which '|' separates. */
bool is_choice(const char *choices, const char *value);

/* Whether the code of a language is one of these, after which there is a NULL. Of zh-Hant or en_US the first part
   counts; case does not. */
bool language_is(const char *code, const char *const *codes);
/* The side that is English by its code, 0 source or 1 target; -1 where neither is, or both are. */
int options_english(const Options *options);
/* Whether both sides share one list of merges. */
bool options_join_merges(const Options *options);
/* Whether a source's pieces are read together with the words that they are in. */
bool options_tell_words(const Options *options);

/* Whether the model's options go together, each of them being as it may be. Returns -1 with *err's reason filled. */
int options_check(const Options *options, Err *err);

void options_default(Options *options);
/* Sets one option from its values as text. Returns -1 with *err's reason filled. */
int option_set(Options *options, const Option *option, const char *const *values, Err *err);
/* Reads `key = value` lines; '#' begins a comment. path names the text in errors. */
int options_read(Options *options, const char *text, const char *path, Err *err);
/* The configuration as `key = value` lines; owned by the caller. */
char *options_configuration(const Options *options);
/* The first option of the configuration behind `after` (NULL: of all) in which the two differ, or NULL; with both
   values as text. */
const Option *options_differ(const Option *after, const Options *a, const Options *b, char left[64], char right[64]);

#endif
