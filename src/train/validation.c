#include "train/validation.h"
#include "text/ds.h"
#include "text/files.h"

#include <stdio.h>
#include <stdlib.h>

enum { BATCH = 64 };

double validation_loss(Tape *tape, const Model *model, const Pairs *pairs) {
    double sum = 0, tokens = 0, nats;
    tape->recording = false;
    for (int first = 0; first < pairs->n; first += BATCH) {
        int which[BATCH], n = 0;
        for (int i = first; i < pairs->n && n < BATCH; i++) which[n++] = i;
        tape_reset(tape);
        Batch batch = pairs_fold(&tape->arena, pairs, which, n);
        Forced forced = model_force(tape, model, &batch);
        cross_entropy(tape, model_logits(tape, model, &forced), batch.target.ids, 0, &nats);
        sum += nats;
        tokens += batch.target.rows;
    }
    tape_reset(tape);
    return sum / tokens;
}

static void print_alignments(FILE *out, const Translations *found, const Translator *translator) {
    const char *comma = "\n";
    for (int i = 0; i < found->n; i++) {
        const Hypothesis *h = found->nbest[i].list;
        if (!found->nbest[i].count || !h->alpha) continue;
        Alignment alignment = translation_alignment(found, translator, i, h);
        fputs(comma, out);
        alignment_json(out, &alignment);
        alignment_free(&alignment);
        comma = ",\n";
    }
}

int alignments_write(const char *dir, long update, Tape *tape, const Translator *translator, char *const *sentences,
                     Err *err) {
    char path[512], *text = NULL;
    size_t size = 0;
    snprintf(path, sizeof path, "%s/align", dir);
    if (directory_make(path, err)) return -1;
    BeamOptions beam = translator_beam_options(translator);
    Translations found = translate(tape, translator, sentences, (int)arrlen(sentences), &beam, BATCH, NULL, NULL);
    FILE *out = open_memstream(&text, &size);
    CHECK(out, "alignments_write: no memory stream");
    fprintf(out, "{\"update\": %ld, \"alignments\": [", update);
    print_alignments(out, &found, translator);
    fputs("\n]}\n", out);
    fclose(out);
    snprintf(path, sizeof path, "%s/align/%08ld.json", dir, update);
    int status = file_replace(path, (const void *[]){text}, &size, 1, err);
    free(text);
    translations_free(&found);
    return status;
}
