#include "model/encoder.h"

#include <string.h>

/* The table: whoever writes one more kind names it in these three. */
extern const EncoderKind encoder_bigru, encoder_gru;
static const EncoderKind *const kinds[] = {&encoder_bigru, &encoder_gru};
const char encoder_names[] = "bigru|gru";

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

void encoder_free(Encoder *encoder) { mem_free(encoder->weights); }

Annotations encode(Tape *tape, const Encoder *m, const Source *source) {
    Var *x = gather(tape, m->E, source->x.ids, source->x.rows);
    Annotations H = m->kind->read(tape, m, source, dropout(tape, x, m->dropout_embedding));
    H.H = dropout(tape, H.H, m->dropout_annotation);
    H.spans = source->spans;
    return H;
}
