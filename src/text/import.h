/* import.h: from whatever files a person has to a clean parallel corpus in three parts. */
#ifndef TIDE_IMPORT_H
#define TIDE_IMPORT_H

#include "text/clean.h"
#include "text/partition.h"

#include <stdbool.h>

typedef enum InputKind { INPUT_LINES, INPUT_TSV, INPUT_MO } InputKind;

typedef struct Input {
    InputKind kind;
    const char *path[2]; /* Chinese and English for INPUT_LINES; else one */
} Input;

/* What to read and where to write. Paths are not owned. */
typedef struct ImportJob {
    const Input *inputs;
    int input_count;
    const char *output;  /* directory; made if missing */
    const char *dropped; /* NULL, or a file that is given what was dropped: reason, place, English, Chinese, by tabs */
    CleanLimits limits;
    bool keep_paragraphs; /* else paragraphs are split where both sides have as many sentences */
    bool simplify;        /* traditional characters to simplified on the Chinese side, by the program `opencc` */
    long dev, test;       /* pairs wanted, as partition takes them */
} ImportJob;

/* Every pair that was made is in `dropped` or in `parts`: messages + forms + sentences is their sum. */
typedef struct ImportReport {
    long messages;  /* lines, or messages of catalogues */
    long forms;     /* further pairs from plural forms */
    long sentences; /* further pairs from splitting paragraphs */
    long dropped[REASONS];
    long parts[PARTS];
    Err warning; /* the output directory could not be locked; reason "": it could */
} ImportReport;

typedef void ImportProgress(void *context, const char *what, long done, long all);

/* Reads all inputs and writes output/train.zh, train.en, dev.* and test.*, a sentence a line: dev and test sorted,
   train in the order of the input. One pair at a time is in memory, and some 80 bytes of each that was kept; temporary
   files in the output directory hold the rest. All files are complete and on the disk before the first one takes its
   place. Returns -1 with *err filled; files that stood there before are then as they were, unless the last step failed,
   which gives the new ones their names. */
int import(const ImportJob *job, ImportReport *report, ImportProgress *progress, void *context, Err *err);

#endif
