#include "train/training.h"
#include "core/exact.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/numbered.h"
#include "io/output.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 64 };

/* ---- numbers -------------------------------------------------------------------------------------------------- */

/* The cross-entropy of a batch, and the number of its target rows. */
typedef struct BatchLoss {
    double sum, tokens;
} BatchLoss;

/* Adds the loss of n pairs. */
static int add_loss(Training *t, const int *which, int n, BatchLoss *loss, Err *err) {
    Tape *tape = &t->session.tape;
    const Model *model = &t->learner.translator.model;
    Batch batch;
    double nats;
    tape_reset(tape);
    if (pairs_fold(&tape->arena, &t->data.valid_pairs, which, NULL, n, NULL, &batch, err)) return -1;
    Forced forced = model_force(tape, model, &batch, &(PassOptions){0});
    model_loss(tape, model, &forced, (Objective){&batch.target, batch.target.rows, 0, NULL}, &nats);
    loss->sum += nats;
    loss->tokens += batch.target.rows;
    return 0;
}

/* Computes the losses of every count-th batch, from batch `own` on. */
static int own_losses(Training *t, int own, int count, BatchLoss *losses, Err *err) {
    const Pairs *pairs = &t->data.valid_pairs;
    int status = 0;
    for (int first = own * BATCH; first < pairs->n && !status; first += count * BATCH) {
        int which[BATCH], n = 0;
        for (int i = first; i < pairs->n && n < BATCH; i++) which[n++] = i;
        const int parts = workspace_parts(&t->memory.workspace, t->memory.batch, pairs, which, n);
        BatchLoss *loss = &losses[first / BATCH];
        for (int k = 0; k < parts && !status; k++) {
            const int begin = part_offset(n, parts, k);
            status = add_loss(t, which + begin, part_offset(n, parts, k + 1) - begin, loss, err);
        }
    }
    return status;
}

int validation_loss(Training *t, double *loss, Err *err) {
    const int count = ranks_count(t->ranks), batches = (t->data.valid_pairs.n + BATCH - 1) / BATCH;
    const size_t size = (size_t)batches * sizeof(BatchLoss);
    BatchLoss *own = mem_zalloc(size), *all = mem_zalloc((size_t)count * size), total = {0};
    t->session.tape.recording = false;
    int status = own_losses(t, ranks_own(t->ranks), count, own, err);
    tape_reset(&t->session.tape);
    if (!status) status = ranks_gather(t->ranks, own, all, size, true, err);
    for (int b = 0; b < batches; b++) {
        total.sum += all[b % count * batches + b].sum;
        total.tokens += all[b % count * batches + b].tokens;
    }
    *loss = total.sum / total.tokens;
    mem_free(own);
    mem_free(all);
    return status;
}

/* ---- translations ----------------------------------------------------------------------------------------------- */

/* The best hypothesis of a sentence in a message; the ids follow, then the weights. */
typedef struct Packed {
    double log_probability, score;
    int32_t found, length, source_length, weights; /* found: 0, or 1 if there is a hypothesis */
} Packed;

static char *pack_translations(const Translations *t, size_t *size) {
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    for (int i = 0; i < t->n; i++) {
        const Nbest *nbest = &t->nbest[i];
        const Hypothesis none = {0};
        const Hypothesis *h = nbest->count ? nbest->list : &none;
        const int n = nbest->source_length, weights = h->alpha ? h->length * n : 0;
        const Packed packed = {h->log_probability, h->score, nbest->count > 0, h->length, n, weights};
        fwrite(&packed, sizeof packed, 1, out);
        if (packed.found) fwrite(h->ids, sizeof *h->ids, (size_t)h->length, out);
        if (weights) fwrite(h->alpha, sizeof *h->alpha, (size_t)weights, out);
    }
    return memory_close(&memory, size);
}

static const void *take(Arena *arena, const char **text, size_t size) {
    const void *copy = memcpy(arena_alloc(arena, size), *text, size);
    *text += size;
    return copy;
}

/* Adds the translations of every count-th sentence, from sentence `rank` on. */
static void unpack_translations(Translations *t, int rank, int count, const char *text) {
    for (int i = rank; i < t->n; i += count) {
        Nbest *nbest = &t->nbest[i];
        Packed packed;
        memcpy(&packed, text, sizeof packed);
        text += sizeof packed;
        *nbest = (Nbest){.count = packed.found, .source_length = packed.source_length};
        if (!packed.found) continue;
        Hypothesis *h = nbest->list = arena_alloc(&t->arena, sizeof *h);
        *h = (Hypothesis){.length = packed.length, .log_probability = packed.log_probability, .score = packed.score};
        h->ids = take(&t->arena, &text, (size_t)packed.length * sizeof *h->ids);
        if (packed.weights) h->alpha = take(&t->arena, &text, (size_t)packed.weights * sizeof *h->alpha);
    }
}

/* Sends the translations of this rank to rank 0, which receives those of all ranks. */
static int collect_translations(const Translations *own, Ranks *ranks, Translations *all, Err *err) {
    const int count = ranks_count(ranks), rank = ranks_own(ranks);
    size_t size;
    char *text = pack_translations(own, &size);
    uint64_t own_size = size, *sizes = mem_alloc((size_t)count * sizeof *sizes);
    RankMessage *out = mem_zalloc(2 * (size_t)count * sizeof *out), *in = out + count;
    int status = ranks_gather(ranks, &own_size, sizes, sizeof own_size, true, err);
    out[0] = (RankMessage){text, rank ? size : 0};
    for (int r = 1; r < count && !rank && !status; r++) in[r] = (RankMessage){mem_alloc(sizes[r]), sizes[r]};
    if (!status) status = ranks_exchange(ranks, out, in, true, err);
    for (int r = 0; r < count && !rank && !status; r++) unpack_translations(all, r, count, r ? in[r].data : text);
    for (int r = 1; r < count; r++) mem_free(in[r].data);
    mem_free(out);
    mem_free(sizes);
    mem_free(text);
    return status;
}

/* Translates sentences with an alignment for their best hypothesis. */
static Translations translate(Training *t, char *const *sentences, int n, SessionProgress *progress) {
    BeamOptions beam = translator_beam_options(&t->learner.translator);
    beam.alignments = 1;
    return session_translate(&t->session, sentences, n, &beam, BATCH, progress, t);
}

int validation_translate(Training *t, SessionProgress *progress, Translations *found, Err *err) {
    const int count = ranks_count(t->ranks), rank = ranks_own(t->ranks), n = (int)t->data.valid.n;
    char *const *sentences = t->data.valid.text[SOURCE];
    *found = (Translations){0};
    if (count == 1) {
        *found = translate(t, sentences, n, progress);
        return 0;
    }
    char **own = mem_alloc(((size_t)n / (size_t)count + 1) * sizeof *own);
    int owned = 0;
    for (int i = rank; i < n; i += count) own[owned++] = sentences[i];
    Translations part = translate(t, own, owned, progress);
    if (rank == 0) {
        *found = (Translations){.translator = &t->learner.translator, .n = n, .sentences = sentences};
        found->source = side_encode_all(&found->translator->source, sentences, n);
        found->nbest = mem_zalloc((size_t)n * sizeof *found->nbest);
    }
    const int status = collect_translations(&part, t->ranks, found, err);
    translations_free(&part);
    mem_free(own);
    return status;
}

/* ---- statistics ------------------------------------------------------------------------------------------------- */

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

void bleu_by_length_print(FILE *out, const LengthBleu lengths[LENGTHS]) {
    const char *comma = "";
    fputs("\"bleu_by_length\": [", out);
    for (int k = 0; k < LENGTHS; k++) {
        if (!lengths[k].sentences) continue;
        fprintf(out, "%s{\"to\": ", comma);
        if (lengths[k].most) fprintf(out, "%d", lengths[k].most);
        else fputs("null", out);
        fprintf(out, ", \"sentences\": %d, \"bleu\": %.4f}", lengths[k].sentences, lengths[k].bleu);
        comma = ", ";
    }
    fputc(']', out);
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

int alignments_write(Training *t, char *const *sentences, Err *err) {
    char dir[PATH_SIZE], path[PATH_SIZE];
    size_t size;
    MemoryFile memory;
    path_in(dir, t->job->model, "align");
    numbered_path(path, dir, t->state.update, ".json");
    if (directory_make(dir, err)) return -1;
    Translations found = translate(t, sentences, (int)arrlen(sentences), NULL);
    FILE *out = memory_open(&memory);
    fprintf(out, "{\"update\": %ld, \"alignments\": [", t->state.update);
    print_alignments(out, &found);
    fputs("\n]}\n", out);
    char *text = memory_close(&memory, &size);
    int status = output_write(path, text, size, err);
    mem_free(text);
    translations_free(&found);
    return status;
}
