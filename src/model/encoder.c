#include "model/encoder.h"

#include <string.h>

/* The table: whoever writes one more kind names it in these three. */
extern const EncoderKind encoder_bigru, encoder_deep_bigru, encoder_gru, encoder_cnn, encoder_self_attention;
static const EncoderKind *const kinds[] = {&encoder_bigru, &encoder_deep_bigru, &encoder_gru, &encoder_cnn,
                                           &encoder_self_attention};
const char encoder_names[] = "bigru|deep-bigru|gru|cnn|self-attention";

const EncoderKind *encoder_kind(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i]->name, name)) return kinds[i];
    return NULL;
}

void encoder_declare(Encoder *encoder, const EncoderKind *kind, Params *params, int vocab, int words,
                     EncoderSizes sizes) {
    *encoder = (Encoder){.kind = kind, .sizes = sizes};
    encoder->E = params_add(params, "encoder.E", vocab, sizes.emb, INIT_EMBEDDING, 0.01);
    if (words > 0) encoder->E_word = params_add(params, "encoder.E_word", words, sizes.emb, INIT_NORMAL, 0.01);
    kind->declare(encoder, params);
}

Var *encoder_mean(Tape *tape, Var *H, const Spans *spans, int n) {
    Var *even = zeros(tape, n, spans->longest);
    for (int s = 0; s < n; s++)
        for (int j = 0; j < spans->length[s]; j++) even->v[s * spans->longest + j] = 1 / (real)spans->length[s];
    return weighted_sum(tape, even, H, spans, NULL);
}

void encoder_free(Encoder *encoder) { mem_free(encoder->weights); }

/* x_j = E y_j, or E y_j + E_word w_j, where what the word adds begins small: a word that no sentence has stays so. */
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

Annotations encode(Tape *tape, const Encoder *m, const Source *source) {
    Var *x = embed(tape, m, &source->x);
    Annotations H = m->kind->read(tape, m, source, dropout(tape, x, m->dropout_embedding));
    H.H = dropout(tape, H.H, m->dropout_annotation);
    H.spans = source->spans;
    return H;
}
