/* import.h: reads parallel corpora, cleans them and splits them into training, development and test set. */
#ifndef TIDE_IMPORT_H
#define TIDE_IMPORT_H

#include "corpus/clean.h"
#include "corpus/partition.h"
#include "corpus/reader.h"

#include <stdbool.h>

/* The forms of corpora from which pairs with placeholders are kept. */
typedef enum Placeholders { PLACEHOLDERS_OF_CATALOGUES, PLACEHOLDERS_OF_ALL, PLACEHOLDERS_OF_NONE } Placeholders;

/* Input, output and options of an import. Paths are not owned. */
typedef struct ImportJob {
    const CorpusFiles *inputs; /* the source is Chinese, the target English */
    int input_count;
    const char *output;  /* directory; created if it does not exist */
    const char *dropped; /* file for dropped pairs: reason, place, English, Chinese, separated by tabs; NULL: none */
    CleanLimits limits;
    Placeholders placeholders; /* instead of limits.placeholders, which is not read */
    bool keep_paragraphs; /* false: paragraphs are split into sentences if both sides have the same number of them */
    bool simplify;        /* the program `opencc` converts the Chinese side to simplified characters */
    long dev, test;       /* sizes of dev and test in pairs, as for `partition` */
    void (*note)(void *context, const char *text); /* called with each message for people; NULL: not called */
} ImportJob;

/* Counts of pairs. messages + forms + sentences is the number of all pairs, and also the sum of `dropped` and
   `parts`. */
typedef struct ImportReport {
    long messages;  /* lines of text files, units of translation memories, messages of catalogues */
    long forms;     /* additional pairs from plural forms and variants */
    long sentences; /* additional pairs from splitting paragraphs */
    long dropped[REASONS];
    long parts[PARTS];
    long traditional; /* kept pairs with traditional characters (text/traditional.h) */
    Err warning;      /* the output directory could not be locked; reason "": no warning */
} ImportReport;

typedef void ImportProgress(void *context, const char *what, long done, long all);

/* Reads all inputs and writes output/train.zh, train.en, dev.* and test.*, one sentence per line: dev and test sorted,
   train in the order of the input. Memory holds one pair at a time and about 80 bytes for each pair that is kept;
   temporary files in the output directory hold the rest. All new files are complete and on the disk before the first of
   them replaces an old file. Returns 0, or -1 with *err filled; then old files have not changed, unless the error
   occurred while the new files replaced them. */
int import(const ImportJob *job, ImportReport *report, ImportProgress *progress, void *context, Err *err);

#endif
