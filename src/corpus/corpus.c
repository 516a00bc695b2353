#include "corpus/corpus.h"

#include "io/ds.h"
#include "io/files.h"
#include "text/normal_lines.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The file has lines `number TAB line TAB source TAB target`. Normalised text has no tabs and no newlines. */

int disk_corpus_open(DiskCorpus *corpus, const char *dir, bool keep, Err *err) {
    *corpus = (DiskCorpus){.dir = mem_strdup(dir), .keep = keep};
    FILE *file = file_temporary(dir, err);
    corpus->lines = (LineReader){.path = corpus->dir, .file = file, .stream = file, .keep_mark = true};
    return file ? 0 : -1;
}

/* Adds a pair, or drops it if a side is empty. Takes the texts that it keeps, and sets them to NULL. */
static int add_texts(DiskCorpus *corpus, char *text[2], long line, Err *err) {
    corpus->read++;
    if (!*text[SOURCE] || !*text[TARGET]) {
        corpus->dropped_empty++;
        return 0;
    }
    if (corpus->n == INT_MAX) return err_set(err, NULL, line, "more than %d pairs", INT_MAX);
    if (fprintf(corpus->lines.file, "%ld\t%ld\t%s\t%s\n", corpus->read, line, text[SOURCE], text[TARGET]) < 0)
        return file_temporary_broken(corpus->dir, err);
    corpus->n++;
    for (int side = 0; side < 2 && corpus->keep; side++) {
        arrput(corpus->text[side], text[side]);
        text[side] = NULL;
    }
    return 0;
}

/* Normalises and adds a pair. */
static int add_pair(DiskCorpus *corpus, const RawPair *pair, Err *err) {
    char *text[2] = {NULL};
    int failed = 0;
    for (int i = 0; i < 2 && !failed; i++) {
        text[i] = line_text(pair->text[i], pair->size[i], pair->path[i], pair->line, pair->byte[i], err);
        failed = text[i] ? 0 : -1;
    }
    if (!failed && pair->short_of && (*text[SOURCE] || *text[TARGET]))
        failed = err_set(err, pair->path[SOURCE], pair->line, "%s", pair->short_of);
    if (!failed) failed = add_texts(corpus, text, pair->line, err);
    for (int i = 0; i < 2; i++) mem_free(text[i]);
    return failed;
}

static int report(ProgressFn *progress, void *context, const Reader *reader, const DiskCorpus *corpus) {
    long done, all;
    if (!progress) return 0;
    reader_progress(reader, &done, &all);
    return progress(context, all ? done : corpus->read, all);
}

int disk_corpus_read(DiskCorpus *corpus, Reader *reader, const char *path, ProgressFn *progress, void *context,
                     Err *err) {
    enum { OFTEN = 1000 /* pairs */ };
    if (!reader) return -1;
    const long before = corpus->n;
    RawPair pair;
    int status;
    corpus->dropped_fuzzy += reader_fuzzy(reader);
    corpus->read += reader_fuzzy(reader);
    while ((status = reader_next(reader, &pair, err)) > 0) {
        if (corpus->seen) corpus->seen(corpus->context, &pair);
        if (add_pair(corpus, &pair, err)) break;
        if (corpus->read % OFTEN || !report(progress, context, reader, corpus)) continue;
        err_set(err, path, pair.line, "stopped while it was read");
        break;
    }
    reader_close(reader);
    if (status) return -1;
    return corpus->n == before ? err_set(err, path, 0, "no sentence pairs") : 0;
}

int disk_corpus_rewind(DiskCorpus *corpus, Err *err) {
    errno = 0;
    if (fflush(corpus->lines.file) || fseek(corpus->lines.file, 0, SEEK_SET))
        return file_temporary_broken(corpus->dir, err);
    return 0;
}

int disk_corpus_next(DiskCorpus *corpus, DiskPair *pair, Err *err) {
    const int status = line_reader_next(&corpus->lines, err);
    if (status <= 0) return status;
    char *end, *source, *target;
    pair->number = strtol(corpus->lines.line, &end, 10);
    pair->line = strtol(end, &source, 10);
    target = *source == '\t' ? strchr(source + 1, '\t') : NULL;
    CHECK(target, "a pair on the disk without tabs: %.100s", corpus->lines.line);
    *source++ = *target++ = '\0';
    pair->text[SOURCE] = source;
    pair->text[TARGET] = target;
    return 1;
}

void disk_corpus_close(DiskCorpus *corpus) {
    line_reader_close(&corpus->lines); /* also closes the file */
    for (int side = 0; side < 2; side++) strings_free(corpus->text[side]);
    mem_free(corpus->dir);
    *corpus = (DiskCorpus){
        .read = corpus->read, .dropped_empty = corpus->dropped_empty, .dropped_fuzzy = corpus->dropped_fuzzy};
}
