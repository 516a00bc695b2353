/* corpus.h: a parallel corpus in memory, read from two line-aligned files, TSV or a catalogue. */
#ifndef TIDE_CORPUS_H
#define TIDE_CORPUS_H

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

#endif
