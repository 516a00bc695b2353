/* corpus.h: readers of parallel corpora: two line-aligned files (Moses) and TSV (manythings/Anki). */
#ifndef TIDE_CORPUS_H
#define TIDE_CORPUS_H

#include "core/base.h"

/* Normalised sentence pairs. Lines that could not be used are counted by reason. */
typedef struct Corpus {
    char **source, **target; /* stb_ds arrays of equal length, each string owned */
    long read;               /* lines read */
    long dropped_empty;      /* nothing on one side or both */
} Corpus;

/* The readers append to a corpus, which starts as {0}. CRLF and a byte order mark are accepted. Broken UTF-8,
   a NUL byte, an unreadable file and one without a usable pair are errors that name file and line; after an
   error the corpus is as it was before. "-" is not special. */

/* Two line-aligned files. Unequal line counts are an error, at the first line that has no partner. */
int corpus_read_lines(Corpus *corpus, const char *source_path, const char *target_path, Err *err);

/* A TSV file: English, tab, Chinese, and whatever follows a further tab is ignored. source_is_english says
   which column is the source. A line without a tab is an error, unless it is blank. */
int corpus_read_tsv(Corpus *corpus, const char *path, int source_is_english, Err *err);

int corpus_size(const Corpus *corpus);
void corpus_free(Corpus *corpus);

/* One text file as normalised lines (stb_ds array of owned strings, empty lines kept); NULL with *err filled.
   path NULL or "-" reads standard input. An empty file gives an error, or if allow_empty an array of none,
   which is not NULL. */
char **lines_read(const char *path, int allow_empty, Err *err);
/* The same, but lines as they stand (without \r), and a file may be empty. */
char **lines_read_raw(const char *path, Err *err);
void lines_free(char **lines);

/* A whole file as bytes with a NUL behind them; owned by the caller; NULL with *err filled. size may be NULL. */
char *file_read(const char *path, size_t *size, Err *err);

#endif
