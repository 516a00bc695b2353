/* corpus.h: parallel corpora, read from two line-aligned files, TSV or a catalogue: into memory, or, where it is not
   known how large they are, into a temporary file. */
#ifndef TIDE_CORPUS_H
#define TIDE_CORPUS_H

#include "text/lines.h"
#include "text/reader.h"

/* Normalised sentence pairs. Lines that could not be used are counted by reason. */
typedef struct Corpus {
    char **source, **target; /* stb_ds arrays of equal length, each string owned */
    long *line;              /* another: where each pair stood in its file, from 1 */
    long read;               /* pairs read: lines, or forms of messages */
    long dropped_empty;      /* nothing on one side or both */
} Corpus;

/* Appends what a reader gives, and closes the reader (NULL: it could not be opened, and *err says why). A corpus starts
   as {0}. Broken UTF-8, a NUL byte, a line without a tab that is not blank, what reader_next refuses, and no usable
   pair at all are errors that name file and line; after an error the corpus is as it was before. */
int corpus_read(Corpus *corpus, Reader *reader, const char *path, Err *err);

int corpus_size(const Corpus *corpus);
void corpus_free(Corpus *corpus);

/* Normalised sentence pairs in a temporary file, to be walked through again and again. */
typedef struct DiskCorpus {
    FILE *file;
    char *dir;        /* where it is, for errors */
    LineReader lines; /* the walk */
    long n;
    long read, dropped_empty; /* as in Corpus */
} DiskCorpus;

/* A pair of the walk; the texts are valid until the next one. */
typedef struct DiskPair {
    char *text[2]; /* source and target */
    long line;     /* as in Corpus */
} DiskPair;

/* Called now and then during long work, with how much of it is done (all 0: unknown); returns non-zero to cancel. */
typedef int ProgressFn(void *context, long done, long all);

/* An empty disk corpus, whose file is made in a directory. -1 with *err filled where that cannot be; release it even
 * then. */
int disk_corpus_open(DiskCorpus *corpus, const char *dir, Err *err);
/* Appends what a reader gives, as corpus_read does and with its errors; a full disk and a cancel by `progress` (NULL:
   none) are errors, too. */
int disk_corpus_read(DiskCorpus *corpus, Reader *reader, const char *path, ProgressFn *progress, void *context,
                     Err *err);
/* Begins the walk anew; -1 with *err filled. */
int disk_corpus_rewind(DiskCorpus *corpus, Err *err);
/* Goes to the next pair: 1, or 0 at the end, or -1 with *err filled. */
int disk_corpus_next(DiskCorpus *corpus, DiskPair *pair, Err *err);
void disk_corpus_close(DiskCorpus *corpus);

#endif
