#include "train/validation.h"
#include "core/exact.h"
#include "text/ds.h"
#include "text/files.h"

#include <math.h>
#include <stdio.h>

enum { BATCH = 64 };

/* ---- numbers -------------------------------------------------------------------------------------------------- */

/* Adds the cross-entropy of n pairs to *sum and the number of their target rows to *tokens. */
static int add_loss(Tape *tape, const Model *model, const Pairs *pairs, const int *which, int n, double *sum,
                    double *tokens, Err *err) {
    Batch batch;
    double nats;
    tape_reset(tape);
    if (pairs_fold(&tape->arena, pairs, which, NULL, n, &batch, err)) return -1;
    Forced forced = model_force(tape, model, &batch, &(PassOptions){0});
    cross_entropy(tape, model_logits(tape, model, &forced), batch.target.ids, batch.target.rows, 0, &nats);
    *sum += nats;
    *tokens += batch.target.rows;
    return 0;
}

int validation_loss(Tape *tape, const Model *model, const Pairs *pairs, const Workspace *workspace, double limit,
                    double *loss, Err *err) {
    double sum = 0, tokens = 0;
    int status = 0;
    tape->recording = false;
    for (int first = 0; first < pairs->n && !status; first += BATCH) {
        int which[BATCH], n = 0;
        for (int i = first; i < pairs->n && n < BATCH; i++) which[n++] = i;
        const int parts = workspace_parts(workspace, limit, pairs, which, n);
        for (int k = 0; k < parts && !status; k++) {
            const int begin = part_offset(n, parts, k);
            status =
                add_loss(tape, model, pairs, which + begin, part_offset(n, parts, k + 1) - begin, &sum, &tokens, err);
        }
    }
    tape_reset(tape);
    *loss = sum / tokens;
    return status;
}

static double entropy(const real *alpha, int n) {
    double sum = 0;
    for (int j = 0; j < n; j++)
        if (alpha[j] > 0) sum -= (double)alpha[j] * exact_log((double)alpha[j]);
    return sum;
}

static int largest(const real *alpha, int n) {
    int best = 0;
    for (int j = 1; j < n; j++)
        if (alpha[j] > alpha[best]) best = j;
    return best;
}

/* Whether a sentence has a translation with an alignment and a finite log-probability. */
static bool is_aligned(const Nbest *nbest) {
    return nbest->count && nbest->list->alpha && isfinite(nbest->list->log_probability);
}

AttentionStats attention_stats(const Translations *found) {
    AttentionStats stats = {0};
    double entropies = 0, evenness = 0;
    long rows_with_choice = 0, chosen = 0, choices = 0; /* rows_with_choice: rows of sentences with several pieces */
    for (int i = 0; i < found->n; i++) {
        const Hypothesis *h = found->nbest[i].list;
        const int n = found->nbest[i].source_length;
        if (!is_aligned(&found->nbest[i])) continue;
        bool *seen = mem_zalloc((size_t)n * sizeof *seen);
        for (int row = 0; row < h->length; row++) {
            const real *alpha = h->alpha + (size_t)row * (size_t)n;
            const double e = entropy(alpha, n);
            const int best = largest(alpha, n);
            entropies += e;
            if (n > 1) evenness += e / exact_log(n), rows_with_choice++;
            chosen += !seen[best];
            seen[best] = true;
        }
        mem_free(seen);
        stats.rows += h->length;
        choices += n < h->length ? n : h->length;
    }
    if (stats.rows == 0) return stats;
    stats.entropy = entropies / (double)stats.rows;
    stats.evenness = rows_with_choice ? evenness / (double)rows_with_choice : 0;
    stats.diversity = (double)chosen / (double)choices;
    return stats;
}

bool attention_degenerate(const AttentionStats *stats) {
    return stats->rows > 0 && (stats->diversity < 0.25 || stats->evenness > 0.95);
}

void bleu_by_length(const Translations *found, char *const *hypotheses, char *const *references, BleuOptions options,
                    LengthBleu lengths[LENGTHS]) {
    static const int most[LENGTHS] = {5, 10, 15, 20, 30, 40, 0};
    char **hypothesis = mem_alloc((size_t)found->n * sizeof *hypothesis);
    char **reference = mem_alloc((size_t)found->n * sizeof *reference);
    for (int k = 0; k < LENGTHS; k++) {
        int n = 0;
        for (int i = 0; i < found->n; i++) {
            const ptrdiff_t length = arrlen(found->source[i]) - 1;
            if ((k && length <= most[k - 1]) || (most[k] && length > most[k])) continue;
            hypothesis[n] = hypotheses[i];
            reference[n++] = references[i];
        }
        lengths[k] = (LengthBleu){most[k], n, n ? bleu_corpus(hypothesis, reference, n, options).score : 0};
    }
    mem_free(hypothesis);
    mem_free(reference);
}

/* ---- alignments ----------------------------------------------------------------------------------------------- */

static void print_alignments(FILE *out, const Translations *found) {
    const char *comma = "\n";
    for (int i = 0; i < found->n; i++) {
        const Hypothesis *h = found->nbest[i].list;
        if (!is_aligned(&found->nbest[i])) continue;
        Alignment alignment = translation_alignment(found, i, h);
        fputs(comma, out);
        alignment_json(out, &alignment);
        alignment_free(&alignment);
        comma = ",\n";
    }
}

int alignments_write(const char *dir, long update, Session *session, char *const *sentences, Err *err) {
    char path[512];
    size_t size;
    MemoryFile memory;
    snprintf(path, sizeof path, "%s/align", dir);
    if (directory_make(path, err)) return -1;
    BeamOptions beam = translator_beam_options(session->members[0]);
    Translations found = session_translate(session, sentences, (int)arrlen(sentences), &beam, BATCH, NULL, NULL);
    FILE *out = memory_open(&memory);
    fprintf(out, "{\"update\": %ld, \"alignments\": [", update);
    print_alignments(out, &found);
    fputs("\n]}\n", out);
    char *text = memory_close(&memory, &size);
    snprintf(path, sizeof path, "%s/align/%08ld.json", dir, update);
    int status = file_replace(path, (const void *[]){text}, &size, 1, err);
    mem_free(text);
    translations_free(&found);
    return status;
}
