#include "model/encoder.h"

#include <string.h>

/* The table: whoever writes one more kind names it in these three. */
extern const EncoderKind encoder_bigru, encoder_gru, encoder_cnn, encoder_self_attention;
static const EncoderKind *const kinds[] = {&encoder_bigru, &encoder_gru, &encoder_cnn, &encoder_self_attention};
const char encoder_names[] = "bigru|gru|cnn|self-attention";

const EncoderKind *encoder_kind(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i]->name, name)) return kinds[i];
    return NULL;
}

void encoder_declare(Encoder *encoder, const EncoderKind *kind, Params *params, int vocab, EncoderSizes sizes) {
    *encoder = (Encoder){.kind = kind, .sizes = sizes};
    encoder->E = params_add(params, "encoder.E", vocab, sizes.emb, INIT_EMBEDDING, 0.01);
    kind->declare(encoder, params);
}

Var *encoder_mean(Tape *tape, Var *H, const Spans *spans, int n) {
    Var *even = zeros(tape, n, spans->longest);
    for (int s = 0; s < n; s++)
        for (int j = 0; j < spans->length[s]; j++) even->v[s * spans->longest + j] = 1 / (real)spans->length[s];
    return weighted_sum(tape, even, H, spans, NULL);
}

void encoder_free(Encoder *encoder) { mem_free(encoder->weights); }

Annotations encode(Tape *tape, const Encoder *m, const Source *source) {
    Var *x = gather(tape, m->E, source->x.ids, source->x.rows);
    Annotations H = m->kind->read(tape, m, source, dropout(tape, x, m->dropout_embedding));
    H.H = dropout(tape, H.H, m->dropout_annotation);
    H.spans = source->spans;
    return H;
}
