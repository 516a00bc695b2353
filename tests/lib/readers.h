/* readers.h: opens corpora of one form. */
#ifndef TIDE_TESTS_READERS_H
#define TIDE_TESTS_READERS_H

#include "corpus/reader.h"

/* Two line-aligned files. */
static inline Reader *open_line_corpus(const char *source, const char *target, Err *err) {
    return reader_open(&(CorpusFiles){FORM_LINES, {source, target}, {0}}, NULL, err);
}

/* A corpus in one file; `english` is the side of the English. */
static inline Reader *open_corpus(CorpusForm form, const char *path, int english, Err *err) {
    const char *langs[2] = {"zh", "zh"};
    langs[english] = "en";
    return reader_open(&(CorpusFiles){form, {path, NULL}, {0}}, langs, err);
}

#endif
