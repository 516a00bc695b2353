#include "aligner/bitext.h"

#include "io/ds.h"

Bitext bitext_new(Units *source, Units *target) { return (Bitext){.side = {{.units = source}, {.units = target}}}; }

void bitext_free(Bitext *bitext) {
    for (int i = 0; i < 2; i++) {
        BitextSide *side = &bitext->side[i];
        units_free(side->units);
        arrfree(side->unit);
        arrfree(side->word);
        arrfree(side->spaced);
        arrfree(side->end);
    }
    arrfree(bitext->number);
    *bitext = (Bitext){0};
}

long bitext_pairs(const Bitext *bitext) { return arrlen(bitext->number); }

size_t bitext_cells(const Bitext *bitext, long pair) {
    return (size_t)bitext_length(&bitext->side[SOURCE], pair) * (size_t)bitext_length(&bitext->side[TARGET], pair);
}

/* Reports every 1000 pairs. Returns 0, or -1 with *err filled if the caller cancels. */
static int report(ProgressFn *progress, void *context, long done, long all, Err *err) {
    if (!progress || done % 1000 || !progress(context, done, all)) return 0;
    return err_set(err, NULL, 0, "stopped after %ld pairs", done);
}

static int learn_merges(Bitext *bitext, DiskCorpus *corpus, const int merges[2], ProgressFn *progress, void *context,
                        Err *err) {
    WordCounts words[2] = {0};
    bool learns[2];
    DiskPair pair;
    for (int i = 0; i < 2; i++) {
        const Units *units = bitext->side[i].units;
        learns[i] = units->kind == UNIT_PIECE && !units->merges;
    }
    if (!learns[SOURCE] && !learns[TARGET]) return 0;
    int status = disk_corpus_rewind(corpus, err), more = 0;
    for (long n = 1; !status && (more = disk_corpus_next(corpus, &pair, err)) > 0; n++) {
        for (int i = 0; i < 2; i++)
            if (learns[i]) words_count(&words[i], TOKENIZER_BPE, pair.text[i]);
        status = report(progress, context, n, corpus->n, err);
    }
    for (int i = 0; i < 2; i++) {
        if (learns[i] && !status && !more) bitext->side[i].units->merges = merges_learn(&words[i], 1, merges[i]);
        words_free(&words[i]);
    }
    return status || more < 0 ? -1 : 0;
}

static void add_side(BitextSide *side, const Token *tokens) {
    for (ptrdiff_t i = 0; i < arrlen(tokens); i++) {
        arrput(side->unit, tokens[i].unit);
        arrput(side->word, (uint16_t)tokens[i].word);
        arrput(side->spaced, tokens[i].spaced);
    }
    arrput(side->end, arrlenu(side->unit));
}

static void add_pair(Bitext *bitext, const DiskPair *pair, int longest) {
    Token *tokens[2];
    bool empty = false, is_long = false;
    for (int i = 0; i < 2; i++) {
        tokens[i] = units_encode(bitext->side[i].units, pair->text[i]);
        empty |= !arrlen(tokens[i]);
        is_long |= arrlen(tokens[i]) > longest;
    }
    if (empty) bitext->dropped_empty++;
    else if (is_long) bitext->dropped_long++;
    else {
        for (int i = 0; i < 2; i++) add_side(&bitext->side[i], tokens[i]);
        arrput(bitext->number, pair->number);
    }
    for (int i = 0; i < 2; i++) arrfree(tokens[i]);
}

int bitext_read(Bitext *bitext, DiskCorpus *corpus, const int merges[2], int longest, ProgressFn *progress,
                void *context, Err *err) {
    DiskPair pair;
    CHECK(longest <= MOST_UNITS, "a limit of %d units", longest);
    if (learn_merges(bitext, corpus, merges, progress, context, err) || disk_corpus_rewind(corpus, err)) return -1;
    int more, status = 0;
    for (long n = 1; !status && (more = disk_corpus_next(corpus, &pair, err)) > 0; n++) {
        add_pair(bitext, &pair, longest);
        status = report(progress, context, n, corpus->n, err);
    }
    bitext->read = corpus->read;
    bitext->dropped_empty += corpus->dropped_empty;
    if (status || more < 0) return -1;
    if (!bitext_pairs(bitext))
        return err_set(err, NULL, 0, "no pair has text on both sides and at most %d units on each", longest);
    return 0;
}
