#include "model/encoder.h"
#include "core/choice.h"
#include "core/notes.h"

/* A new kind needs one new file, and its name in these three lists, in the same order. */
extern const EncoderKind encoder_bigru, encoder_deep_bigru, encoder_gru, encoder_cnn, encoder_self_attention;
static const EncoderKind *const kinds[] = {&encoder_bigru, &encoder_deep_bigru, &encoder_gru, &encoder_cnn,
                                           &encoder_self_attention};
const char encoder_names[] = "bigru|deep-bigru|gru|cnn|self-attention";

const EncoderKind *encoder_kind_at(int index) { return index < 0 ? NULL : kinds[index]; }
const EncoderKind *encoder_kind(const char *name) { return encoder_kind_at(choice_find(encoder_names, name)); }

void encoder_declare(Encoder *encoder, Params *params, const ModelConfig *c) {
    *encoder = (Encoder){.kind = c->encoder, .config = *c};
    encoder->E = params_add_table(params, "encoder.E", c->source_vocab, c->emb, INIT_EMBEDDING, 0.01);
    if (c->source_words)
        encoder->E_word = params_add_table(params, "encoder.E_word", c->source_words, c->emb, INIT_NORMAL, 0.01);
    c->encoder->declare(encoder, params);
}

Var *encoder_mean(Tape *tape, Var *H, const Spans *spans, int n) {
    const int longest = spans->longest;
    real *weights = arena_zalloc(&tape->arena, (size_t)n * (size_t)longest * sizeof *weights);
    for (int s = 0; s < n; s++)
        for (int j = 0; j < spans->length[s]; j++)
            weights[(size_t)s * (size_t)longest + (size_t)j] = 1 / (real)spans->length[s];
    return weighted_sum(tape, var_constant(tape, n, longest, weights), H, spans, NULL);
}

void encoder_free(Encoder *encoder) { mem_free(encoder->weights); }

/* x_j = E y_j, or E y_j + E_word w_j. E_word has small initial values: a subword that is not in the training data keeps
   its initial row, and this row should change x_j little. */
static Var *embed(Tape *tape, const Encoder *m, const Sequences *x) {
    if (!m->E_word) return gather(tape, m->E, x->ids, x->rows);
    const size_t size = (size_t)x->rows * sizeof(int);
    int *piece = arena_alloc(&tape->arena, size), *word = arena_alloc(&tape->arena, size);
    for (int i = 0; i < x->rows; i++) {
        piece[i] = x->ids[i] % m->E->rows;
        word[i] = x->ids[i] / m->E->rows;
    }
    return add_scaled(tape, gather(tape, m->E, piece, x->rows), 1, gather(tape, m->E_word, word, x->rows));
}

Annotations encode(Tape *tape, const Encoder *m, const Source *source, const Dropout *rates) {
    tape_shard_rows(tape, source->word_shards);
    Var *x = embed(tape, m, &source->x);
    Annotations H =
        m->kind->annotate(tape, m, source, dropout(tape, x, (Drop){rates->embedding, source->words}), rates);
    tape_shard_rows(tape, source->annotation_shards);
    H.H = dropout(tape, H.H, (Drop){rates->annotation, source->annotations});
    tape_note_rows(tape, "encoder", "h", H.H);
    H.spans = source->spans;
    H.ids = source->annotations;
    return H;
}
