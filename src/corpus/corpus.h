/* corpus.h: parallel corpora in a temporary file, because their size is unknown. */
#ifndef TIDE_CORPUS_H
#define TIDE_CORPUS_H

#include "io/lines.h"
#include "corpus/reader.h"

/* Normalised sentence pairs in a temporary file, read in order, as often as needed. A small corpus also keeps them in
   memory. */
typedef struct DiskCorpus {
    char *dir;        /* directory of the file, for errors */
    LineReader lines; /* the file, and the position of reading */
    long n;
    long read;                                        /* pairs read, with those dropped */
    long dropped_empty;                               /* pairs dropped because one side or both are empty */
    long dropped_fuzzy;                               /* as reader_fuzzy */
    void (*seen)(void *context, const RawPair *pair); /* set by the caller; called with each pair that is read */
    void *context;                                    /* the argument of `seen` */
    bool keep;
    char **text[2]; /* stb_ds arrays of the sources and targets, if they are kept in memory */
} DiskCorpus;

/* A pair of a disk corpus. The texts are valid until the next call of disk_corpus_next. */
typedef struct DiskPair {
    char *text[2]; /* source and target */
    long line;     /* in its input file, from 1 */
    long number;   /* the number of the pair, from 1, if all pairs that were read are counted, also dropped ones */
} DiskPair;

/* Called every 1000 pairs of long work with the work done and the total in the same unit (total 0: unknown). Returns
   non-zero to cancel. */
typedef int ProgressFn(void *context, long done, long all);

/* Makes an empty disk corpus with a temporary file in `dir`. keep: its texts will also stay in memory. Returns 0, or -1
   with *err filled if the file cannot be created; call disk_corpus_close even then. */
int disk_corpus_open(DiskCorpus *corpus, const char *dir, bool keep, Err *err);
/* Adds the pairs of a reader and closes the reader. reader NULL: it could not be opened, and *err is filled already.
   Returns 0, or -1 with *err filled (file and line); the corpus then has the pairs before the error.
   Errors: text that is not valid UTF-8 or contains a NUL; a row of a table that has too few columns and is not blank;
   an error of reader_next; no pair with text on both sides; a full disk; a cancel by `progress` (NULL: none).
   corpus->seen, if it is not NULL, gets each pair before it is normalised. */
int disk_corpus_read(DiskCorpus *corpus, Reader *reader, const char *path, ProgressFn *progress, void *context,
                     Err *err);
/* Goes back to the first pair. Returns 0, or -1 with *err filled. */
int disk_corpus_rewind(DiskCorpus *corpus, Err *err);
/* Reads the next pair. Returns 1, or 0 at the end, or -1 with *err filled. */
int disk_corpus_next(DiskCorpus *corpus, DiskPair *pair, Err *err);
/* Releases the pairs. The numbers of pairs that were read and dropped stay. */
void disk_corpus_close(DiskCorpus *corpus);

#endif
