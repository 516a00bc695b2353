/* data.h: the data of a training. The corpus need not fit into memory: it is read once into a temporary file in the
   model's directory, then encoded as ids into a second one. */
#ifndef TIDE_DATA_H
#define TIDE_DATA_H

#include "train/guides.h"
#include "train/train_options.h"
#include "translate/recipe.h"
#include "translate/translator.h"

/* A training set. */
typedef struct TrainFiles {
    CorpusFiles files;
    double weight;       /* how often an epoch has each of its pairs */
    const char *tag;     /* of its source sentences, see vocab_add_tag; NULL: none */
    bool quiet;          /* its source sentences get no noise */
    double distillation; /* see TrainSet */
    const char *teacher; /* a model that translated one of the sides; only the recipe knows it; NULL: none */
} TrainFiles;

typedef struct DataFiles {
    const TrainFiles *train; /* [train_count] */
    int train_count;
    CorpusFiles valid;  /* path[0] NULL: no validation */
    const char *guides; /* word links of the training pairs, one pair per line, to guide the attention; NULL: none */
    const char *dir;    /* the model's directory, where temporary files are made */
} DataFiles;
bool data_has_validation(const DataFiles *files);
/* The file that errors name as the training corpus: the first one. */
const char *data_name(const DataFiles *files);
const char *train_files_name(const TrainFiles *files);
/* The path of the corpus file that contains a training pair, in line pairs->line[pair]. */
const char *data_name_of(const DataFiles *files, const Pairs *pairs, int pair);

typedef struct Data {
    /* set by the caller, before data_read */
    const DataFiles *files;
    bool reads;                                    /* whether this process reads the training corpus */
    ProgressFn *progress;                          /* called while the training corpus is read */
    void (*note)(void *context, const char *text); /* called with each message about a corpus; NULL: not called */
    void *context;                                 /* the argument of both */

    const char *stage; /* the current work, for `progress` */
    DiskCorpus valid;  /* with the text in memory */
    Pairs pairs, valid_pairs;
    Guides guides;
    DiskCorpus text;             /* the training corpus, until it is encoded */
    TrainSet *sets;              /* stb_ds array: the training sets in it */
    RecipeCorpus *corpora, *dev; /* stb_ds arrays: what was read, for the recipe */
} Data;

/* Reads the text of both corpora, and describes them; if !data->reads, only that of the validation corpus. This is the
   first of three steps: data_read, data_learn (for a new model only), data_encode. Release with data_free, also after
   an error. Returns 0, or -1 with *err filled: a reader fails, the disk is full, or `progress` cancels. */
int data_read(Data *data, const ModelOptions *options, Err *err);
/* Learns merges and vocabularies from the training text, in which every set counts once, and adds the tags. Fills the
   sides of the translator, whose options must be set. Returns 0, or -1 with *err filled. */
int data_learn(Data *data, Translator *translator, Err *err);
/* Encodes the text that was read as ids, and the guiding word links as links between pieces. Returns 0, or -1 with *err
   filled, also if no pair is left. */
int data_encode(Data *data, const TrainOptions *options, const Translator *translator, Err *err);
void data_free(Data *data);

/* A hash of all ids and guiding links of the training pairs. A checkpoint stores it, so that a training cannot be
   resumed with other data. */
uint64_t data_hash(const Data *data);

#endif
