/* corpora.h: a corpus in memory, for tests that compare its pairs. */
#ifndef TIDE_TESTS_CORPORA_H
#define TIDE_TESTS_CORPORA_H

#include "corpus/corpus.h"
#include "io/ds.h"
#include "scratch.h"

typedef struct Corpus {
    char **source, **target; /* stb_ds arrays of equal length; strings are owned */
    long *line;              /* stb_ds array: line of each pair in its input file, from 1 */
    long read, dropped_empty;
} Corpus;

static inline int corpus_size(const Corpus *corpus) { return (int)arrlen(corpus->source); }

static inline void corpus_free(Corpus *corpus) {
    strings_free(corpus->source);
    strings_free(corpus->target);
    arrfree(corpus->line);
    *corpus = (Corpus){0};
}

/* disk_corpus_read, and then all pairs. After an error the corpus is empty. */
static inline int corpus_read(Corpus *corpus, Reader *reader, const char *path, Err *err) {
    DiskCorpus disk;
    DiskPair pair;
    Err broken;
    CHECK(!disk_corpus_open(&disk, scratch_folder(), true, &broken), "%s", broken.reason);
    *corpus = (Corpus){0};
    const int status = disk_corpus_read(&disk, reader, path, NULL, NULL, err);
    if (!status) {
        *corpus = (Corpus){disk.text[SOURCE], disk.text[TARGET], NULL, disk.read, disk.dropped_empty};
        disk.text[SOURCE] = disk.text[TARGET] = NULL;
        CHECK(!disk_corpus_rewind(&disk, &broken), "%s", broken.reason);
        while (disk_corpus_next(&disk, &pair, &broken) > 0) arrput(corpus->line, pair.line);
        CHECK(arrlen(corpus->line) == disk.n, "%td of %ld lines", arrlen(corpus->line), disk.n);
    }
    disk_corpus_close(&disk);
    return status;
}

#endif
