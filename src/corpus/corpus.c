#include "corpus/corpus.h"

#include "io/ds.h"
#include "io/files.h"
#include "text/normal_lines.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading -------------------------------------------------------------------------------------------------- */

/* The normalised text of one side. */
static char *side_text(const RawPair *pair, int side, Err *err) {
    return line_text(pair->text[side], pair->size[side], pair->path[side], pair->line, pair->byte[side], err);
}

/* The normalised texts of both sides. The caller owns them; after an error there is nothing to release. */
static int pair_text(const RawPair *pair, char *text[2], Err *err) {
    text[SOURCE] = side_text(pair, SOURCE, err);
    text[TARGET] = text[SOURCE] ? side_text(pair, TARGET, err) : NULL;
    int failed = text[TARGET] ? 0 : -1;
    if (!failed && pair->no_tab && (*text[SOURCE] || *text[TARGET]))
        failed = err_set(err, pair->path[SOURCE], pair->line, "line has no tab between English and Chinese");
    if (failed) mem_free(text[SOURCE]), mem_free(text[TARGET]);
    return failed;
}

/* Reads and normalises the next pair; returns as reader_next. */
static int next_text(Reader *reader, char *text[2], long *line, Err *err) {
    RawPair pair;
    const int status = reader_next(reader, &pair, err);
    if (status <= 0) return status;
    *line = pair.line;
    return pair_text(&pair, text, err) ? -1 : 1;
}

/* ---- in a file: `line TAB source TAB target`; normalised text has no tabs and no newlines ------------------------ */

static int broken(const DiskCorpus *corpus, Err *err) {
    return err_set(err, corpus->dir, 0, "cannot use the temporary file in this directory: %s", strerror(errno));
}

int disk_corpus_open(DiskCorpus *corpus, const char *dir, bool keep, Err *err) {
    *corpus = (DiskCorpus){.dir = mem_strdup(dir), .keep = keep};
    FILE *file = file_temporary(dir, err);
    corpus->lines = (LineReader){.path = corpus->dir, .file = file, .stream = file, .keep_mark = true};
    return file ? 0 : -1;
}

/* Takes ownership of both strings. */
static int disk_corpus_add(DiskCorpus *corpus, char *const text[2], long line, Err *err) {
    const bool usable = *text[SOURCE] && *text[TARGET];
    int failed = 0;
    corpus->read++;
    if (!usable) {
        corpus->dropped_empty++;
    } else if (corpus->n == INT_MAX) {
        failed = err_set(err, NULL, line, "more than %d pairs", INT_MAX);
    } else {
        failed = fprintf(corpus->lines.file, "%ld\t%s\t%s\n", line, text[SOURCE], text[TARGET]) < 0
                     ? broken(corpus, err)
                     : 0;
        corpus->n++;
    }
    for (int side = 0; side < 2; side++) {
        if (corpus->keep && usable) arrput(corpus->text[side], text[side]);
        else mem_free(text[side]);
    }
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
    char *text[2];
    long line;
    int status;
    corpus->dropped_fuzzy += reader_fuzzy(reader);
    corpus->read += reader_fuzzy(reader);
    while ((status = next_text(reader, text, &line, err)) > 0) {
        if (disk_corpus_add(corpus, text, line, err)) break;
        if (corpus->read % OFTEN || !report(progress, context, reader, corpus)) continue;
        err_set(err, path, line, "stopped while it was read");
        break;
    }
    reader_close(reader);
    if (status) return -1;
    return corpus->n == before ? err_set(err, path, 0, "no sentence pairs") : 0;
}

int disk_corpus_rewind(DiskCorpus *corpus, Err *err) {
    errno = 0;
    if (fflush(corpus->lines.file) || fseek(corpus->lines.file, 0, SEEK_SET)) return broken(corpus, err);
    return 0;
}

int disk_corpus_next(DiskCorpus *corpus, DiskPair *pair, Err *err) {
    const int status = line_reader_next(&corpus->lines, err);
    if (status <= 0) return status;
    char *source = strchr(corpus->lines.line, '\t'), *target = source ? strchr(source + 1, '\t') : NULL;
    CHECK(target, "a pair on the disk without tabs: %.100s", corpus->lines.line);
    *source++ = *target++ = '\0';
    *pair = (DiskPair){{source, target}, strtol(corpus->lines.line, NULL, 10)};
    return 1;
}

void disk_corpus_close(DiskCorpus *corpus) {
    line_reader_close(&corpus->lines); /* also closes the file */
    for (int side = 0; side < 2; side++) strings_free(corpus->text[side]);
    mem_free(corpus->dir);
    *corpus = (DiskCorpus){0};
}
