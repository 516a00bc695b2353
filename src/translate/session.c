#include "translate/session.h"
#include "core/exact.h"
#include "core/kernels.h"
#include "core/ops.h"
#include "io/ds.h"
#include "translate/reading.h"

#include <stdlib.h>
#include <string.h>

void session_init(Session *session, const Translator *const *members, int count, Threads *threads) {
    CHECK(count > 0, "a session with %d models", count);
    const size_t bytes = (size_t)count * sizeof *members;
    *session = (Session){.members = memcpy(mem_alloc(bytes), members, bytes), .count = count};
    tape_init(&session->tape, threads, rng_seed(0, 0));
}

void session_free(Session *session) {
    tape_free(&session->tape);
    mem_free(session->members);
    *session = (Session){0};
}

void session_begin(Session *session) {
    session->tape.recording = false;
    session->tape.products = session->products;
}

int **session_encode(const Session *session, char *const *sentences, int n) {
    const Side *side = &session->members[0]->source;
    const int tag = session->tag ? vocab_tag(side->vocab, session->tag) : ID_EOS;
    int **ids = side_encode_all(side, sentences, n);
    CHECK(tag >= 0, "a session with a tag that its model lacks: %s", session->tag);
    for (int i = 0; i < n; i++) ids[i][arrlen(ids[i]) - 1] += tag - ID_EOS;
    return ids;
}

static int *lengths_of(Arena *arena, int *const *ids, int n) {
    int *lengths = arena_alloc(arena, (size_t)n * sizeof *lengths);
    for (int i = 0; i < n; i++) lengths[i] = (int)arrlen(ids[i]);
    return lengths;
}

/* ---- translating ---------------------------------------------------------------------------------------------- */

/* How many of the next sentences are translated in one batch. The longest of them, which is the first, and the beam
   limit it, to bound the memory. */
static int batch_size(int longest, int left, int batch, int beam) {
    enum { MOST_ROWS = 2048, MOST_ANNOTATIONS = 8192 };
    int most = MOST_ANNOTATIONS / longest < MOST_ROWS / beam ? MOST_ANNOTATIONS / longest : MOST_ROWS / beam;
    if (most > batch) most = batch;
    if (most > left) most = left;
    return most > 0 ? most : 1;
}

/* The most hypotheses of a sentence. */
static int widest(const BeamOptions *options, int n) {
    int width = options->beam;
    for (int i = 0; i < n && options->constraints; i++) {
        const int own = beam_width(options, options->constraints[i]);
        if (own > width) width = own;
    }
    return width;
}

int translate_most(char *const *sentences, int n, int beam) {
    enum { MOST = 4096 };
    /* A rough limit: it counts bytes of text, not pieces, and ignores that most hypotheses end early. */
    const double most_weights = 4e8;
    double weights = 0;
    int i = 0;
    for (; i < n && i < MOST; i++) {
        const double length = (double)strlen(sentences[i]);
        weights += length * length * beam;
        if (i > 0 && weights > most_weights) break;
    }
    return i;
}

/* The models of the members: [count]. */
static const Model **models_of(Arena *arena, const Session *session) {
    const Model **models = arena_alloc(arena, (size_t)session->count * sizeof *models);
    for (int i = 0; i < session->count; i++) models[i] = &session->members[i]->model;
    return models;
}

/* Marks the sentences that are copied, whose lengths become those of empty ones. */
static void copy_unknown(const Session *session, const BeamOptions *options, Translations *t, int *lengths) {
    for (int i = 0; i < t->n && session->copies; i++) {
        const bool free =
            !(options->prefixes && options->prefixes[i]) && !(options->constraints && options->constraints[i]);
        t->copied[i] = free && reads_nothing(&t->translator->source, t->source[i]);
        if (t->copied[i]) lengths[i] = 1;
    }
}

Translations session_translate(Session *session, char *const *sentences, int n, const BeamOptions *options, int batch,
                               SessionProgress *progress, void *context) {
    Translations t = {.translator = session->members[0], .n = n, .sentences = sentences};
    t.source = session_encode(session, sentences, n);
    t.nbest = mem_zalloc((size_t)n * sizeof *t.nbest);
    t.copied = mem_zalloc((size_t)n * sizeof *t.copied);
    int *lengths = lengths_of(&t.arena, t.source, n);
    copy_unknown(session, options, &t, lengths);
    const int *order = order_by_length(&t.arena, lengths, n);
    const Ensemble ensemble = {models_of(&t.arena, session), session->count};
    const int **ids = arena_alloc(&t.arena, (size_t)batch * sizeof *ids);
    int *length = arena_alloc(&t.arena, (size_t)batch * sizeof *length), all = n;
    BeamOptions own = *options;
    const int width = widest(options, n);
    session_begin(session);
    while (all > 0 && lengths[order[all - 1]] == 1) all--; /* empty and copied sentences */
    for (int done = 0, size; done < all; done += size) {
        own.numbers = order + done;
        size = batch_size(lengths[order[done]], all - done, batch, width);
        for (int b = 0; b < size; b++) {
            ids[b] = t.source[own.numbers[b]];
            length[b] = lengths[own.numbers[b]];
        }
        Nbest *found = beam_search(&session->tape, ensemble, ids, length, size, &own, &t.arena, &t.timing);
        t.cancelled = !found;
        if (t.cancelled) break;
        for (int b = 0; b < size; b++) t.nbest[own.numbers[b]] = found[b];
        if (progress) progress(context, done + size, all);
    }
    return t;
}

/* ---- given translations --------------------------------------------------------------------------------------- */

int align_most(char *const *source, char *const *target, int n) {
    enum { BYTES = 1 << 15 };
    size_t longest = 1;
    for (int i = 0; i < n && i < MOST_PAIRS; i++) {
        const size_t x = strlen(source[i]), y = strlen(target[i]), length = x > y ? x : y;
        if (length > longest) longest = length;
        if (i > 0 && longest * (size_t)(i + 1) > BYTES) return i;
    }
    return n < MOST_PAIRS ? n : MOST_PAIRS;
}

/* α [target, source] of the sentence at position b of the decoder's batch, in the arena. */
static const float *alpha_of(Arena *arena, const Batch *batch, const Forced *forced, int b) {
    const int n_target = batch->target.length[b];
    const size_t n_source = (size_t)batch->source.spans.length[b];
    float *alpha = arena_alloc(arena, (size_t)n_target * n_source * sizeof *alpha);
    for (int i = 0; i < n_target; i++)
        memcpy(alpha + (size_t)i * n_source, var_row_values(forced->alpha[i], b), n_source * sizeof *alpha);
    return alpha;
}

/* A batch of n pairs in the tape's arena. */
static Batch forced_batch(Session *session, char *const *source, char *const *target, int n) {
    Arena *arena = &session->tape.arena;
    int **x = session_encode(session, source, n), **y = side_encode_all(&session->members[0]->target, target, n);
    const int *x_length = lengths_of(arena, x, n), *y_length = lengths_of(arena, y, n);
    const Batch batch =
        batch_fold(arena, (const int *const *)x, x_length, (const int *const *)y, y_length, n, NULL, ID_BOS);
    side_ids_free(x, n);
    side_ids_free(y, n);
    return batch;
}

void session_align(Session *session, char *const *source, char *const *target, int n, AttentionOptions attention,
                   Alignment *alignments) {
    Tape *tape = &session->tape;
    const Translator *translator = session->members[0];
    session_begin(session);
    TapeMark mark = tape_mark(tape);
    const Batch batch = forced_batch(session, source, target, n);
    Forced forced = model_force(tape, &translator->model, &batch, &(PassOptions){.attention = attention});
    for (int b = 0; b < n; b++) {
        const int i = batch.target.order[b];
        char **from = side_spell(&translator->source, source[i]), **to = side_spell(&translator->target, target[i]);
        alignments[i] =
            alignment_new(from, (int)arrlen(from), to, (int)arrlen(to), alpha_of(&tape->arena, &batch, &forced, b));
        strings_free(from);
        strings_free(to);
    }
    tape_rewind(tape, mark);
}

int score_most(char *const *source, char *const *target, int n) {
    enum { BYTES = 2048 }; /* of the target: each piece has logits for the whole vocabulary */
    const int most = align_most(source, target, n);
    size_t bytes = 0;
    for (int i = 0; i < most; i++)
        if ((bytes += strlen(target[i])) > BYTES && i > 0) return i;
    return most;
}

/* The logits of a member for a batch: [target.rows, V]. */
static Var *logits_of(Session *session, int member, const Batch *pairs, AttentionOptions attention) {
    const Model *model = &session->members[member]->model;
    const Forced forced = model_force(&session->tape, model, pairs, &(PassOptions){.attention = attention});
    return output_logits(&session->tape, model_output(&session->tape, model, &forced), NULL, NULL);
}

Var *session_logits(Session *session, const Batch *pairs, AttentionOptions attention) {
    Var *mean = logits_of(session, 0, pairs, attention);
    const int size = (int)var_size(mean);
    for (int m = 1; m < session->count; m++) {
        const TapeMark mark = tape_mark(&session->tape);
        kernels->add(size, mean->v, logits_of(session, m, pairs, attention)->v);
        tape_rewind(&session->tape, mark);
    }
    if (session->count > 1) kernels->divide(size, mean->v, (real)session->count);
    return mean;
}

double logits_log_sum(int V, const real *x) {
    real sum;
    const double max = (double)kernels->exp_sum(V, x, &sum, NULL);
    return max + exact_log(sum);
}

/* Sets nats [target.rows] to -ln p of each target word. One model computes it without keeping the logits. */
static void word_losses(Session *session, const Batch *batch, AttentionOptions attention, double *nats) {
    const Sequences *y = &batch->target;
    if (session->count == 1) {
        Tape *tape = &session->tape;
        const Model *model = &session->members[0]->model;
        const Forced forced = model_force(tape, model, batch, &(PassOptions){.attention = attention});
        linear_cross_entropy(tape, model_output(tape, model, &forced), y->ids, y->rows, 0, nats);
        return;
    }
    const Var *logits = session_logits(session, batch, attention);
    for (int row = 0; row < y->rows; row++) {
        const real *x = var_row_values(logits, row);
        nats[row] = logits_log_sum(logits->cols, x) - (double)x[y->ids[row]];
    }
}

void session_scores(Session *session, char *const *source, char *const *target, int n, AttentionOptions attention,
                    PairScore *scores, double **by_piece) {
    Tape *tape = &session->tape;
    session_begin(session);
    TapeMark mark = tape_mark(tape);
    const Batch batch = forced_batch(session, source, target, n);
    const Sequences *y = &batch.target;
    double *nats = arena_alloc(&tape->arena, (size_t)y->rows * sizeof *nats);
    word_losses(session, &batch, attention, nats);
    for (int b = 0; b < n; b++) {
        const int i = y->order[b], length = y->length[b];
        double *pieces = by_piece ? by_piece[i] = mem_alloc((size_t)length * sizeof *pieces) : NULL, sum = 0;
        for (int t = 0; t < length; t++) {
            const double own = nats[sequences_row(y, t, b)];
            sum += own;
            if (pieces) pieces[t] = -own;
        }
        scores[i] = (PairScore){-sum, length};
    }
    tape_rewind(tape, mark);
}

PairScore session_score(Session *session, char *source, char *target, AttentionOptions attention) {
    PairScore score;
    session_scores(session, &source, &target, 1, attention, &score, NULL);
    return score;
}
