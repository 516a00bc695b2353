#include "text/corpus.h"

#include "text/ds.h"
#include "text/lines.h"

#include <limits.h>

int corpus_size(const Corpus *corpus) {
    CHECK(arrlen(corpus->source) <= INT_MAX, "a corpus of %td pairs", arrlen(corpus->source));
    return (int)arrlen(corpus->source);
}

void corpus_free(Corpus *corpus) {
    lines_free(corpus->source);
    lines_free(corpus->target);
    arrfree(corpus->line);
    *corpus = (Corpus){0};
}

/* One side of a pair, normalised. */
static char *side_text(const RawPair *pair, int side, Err *err) {
    return line_text(pair->text[side], pair->size[side], pair->path[side], pair->line, pair->byte[side], err);
}

/* Takes both strings over. */
static void add_pair(Corpus *corpus, char *source, char *target, long line) {
    corpus->read++;
    if (*source && *target) {
        arrput(corpus->source, source);
        arrput(corpus->target, target);
        arrput(corpus->line, line);
        return;
    }
    corpus->dropped_empty++;
    mem_free(source);
    mem_free(target);
}

static int read_pair(Corpus *corpus, const RawPair *pair, Err *err) {
    char *source = side_text(pair, SOURCE, err), *target = source ? side_text(pair, TARGET, err) : NULL;
    int failed = target ? 0 : -1;
    if (!failed && pair->lone && (*source || *target))
        failed = err_set(err, pair->path[SOURCE], pair->line, "line has no tab");
    if (!failed) add_pair(corpus, source, target, pair->line);
    else mem_free(source), mem_free(target);
    return failed;
}

/* Moves what was read to the corpus; an error if there are no pairs. */
static int corpus_take(Corpus *corpus, Corpus *fresh, const char *path, Err *err) {
    if (arrlen(fresh->source) == 0) return err_set(err, path, 0, "no sentence pairs");
    for (ptrdiff_t i = 0; i < arrlen(fresh->source); i++) {
        arrput(corpus->source, fresh->source[i]);
        arrput(corpus->target, fresh->target[i]);
        arrput(corpus->line, fresh->line[i]);
    }
    corpus->read += fresh->read;
    corpus->dropped_empty += fresh->dropped_empty;
    arrfree(fresh->source); /* the strings belong to the corpus now */
    arrfree(fresh->target);
    arrfree(fresh->line);
    return 0;
}

int corpus_read(Corpus *corpus, Reader *reader, const char *path, Err *err) {
    if (!reader) return -1;
    Corpus fresh = {0};
    RawPair pair;
    int status;
    while ((status = reader_next(reader, &pair, err)) > 0 && !(status = read_pair(&fresh, &pair, err))) continue;
    reader_close(reader);
    if (!status) status = corpus_take(corpus, &fresh, path, err);
    if (status) corpus_free(&fresh);
    return status;
}
