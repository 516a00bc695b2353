/* data.h: what a training reads. Its corpus need not fit into memory: it is read once, into a temporary file in the
   model's directory, and from there turned into ids, in another. */
#ifndef TIDE_DATA_H
#define TIDE_DATA_H

#include "train/guides.h"
#include "train/train_options.h"

/* Where a corpus is; NULL where there is no such file. */
typedef struct CorpusFiles {
    const char *sets[2]; /* source and target, line by line */
    const char *tsv, *mo;
} CorpusFiles;

typedef struct DataFiles {
    CorpusFiles train;
    CorpusFiles valid;  /* none: no validation */
    const char *guides; /* links of the training pairs, line by line, to guide the attention; NULL: none */
    const char *dir;    /* of the model: where temporary files are made */
} DataFiles;
bool data_has_validation(const DataFiles *files);
/* The training corpus's file, as errors name it. */
const char *data_name(const DataFiles *files);

typedef struct Data {
    Corpus valid;
    Pairs pairs, valid_pairs;
    Guides guides;
    long read, dropped_empty; /* of the training corpus, as in Corpus */
    DiskCorpus text;          /* of the training corpus, until it is encoded */
} Data;

/* As ProgressFn; `stage` names the work: reading, counting words, encoding. */
typedef struct DataProgress {
    int (*report)(void *context, const char *stage, long done, long all);
    void *context;
} DataProgress;

/* The steps, in this order; the second one only where there is no model yet. Reads the text of both corpora. -1 with
 *err filled: what the readers refuse, no pairs, a full disk. Release the data even then. */
int data_read(Data *data, const DataFiles *files, const ModelOptions *options, const DataProgress *progress, Err *err);
/* Learns merges and vocabularies from the training text. */
int data_learn(Data *data, const ModelOptions *options, Side *source, Side *target, const DataProgress *progress,
               Err *err);
/* Turns the text into ids, and guides into links of pieces. */
int data_encode(Data *data, const DataFiles *files, const TrainOptions *options, const Side *source, const Side *target,
                const DataProgress *progress, Err *err);
void data_free(Data *data);

/* A hash of every id of every pair, and of every link, so that a checkpoint is not continued on other data. */
uint64_t data_hash(const Data *data);

#endif
