#include "model/model.h"

void model_dropout(Model *model, double embedding, double annotation, double readout) {
    model->encoder.dropout_embedding = model->state.dropout_embedding = embedding;
    model->encoder.dropout_annotation = model->attention.dropout = annotation;
    model->readout.dropout = readout;
}

void model_init(Model *model, const ModelConfig *c) {
    *model = (Model){.config = *c};
    Params *params = &model->params;
    const EncoderKind *encoder = c->encoder ? c->encoder : encoder_kind("bigru");
    encoder_declare(&model->encoder, encoder, params, c->source_vocab,
                    (EncoderSizes){c->emb, c->rnn, c->depth, c->heads, c->ffn, c->window});
    const int annotation = model->encoder.width;
    attention_declare(&model->attention, c->attention, params, (AttentionSizes){c->rnn, annotation, c->att, c->heads});
    state_declare(&model->state, params, c->target_vocab, c->emb, c->rnn, annotation);
    CHECK(!c->tied_embeddings || c->maxout == c->emb, "tied: maxout %d, emb %d", c->maxout, c->emb);
    Var *tied = c->tied_embeddings ? model->state.E : NULL;
    readout_declare(&model->readout, params, tied, c->target_vocab, c->emb, c->rnn, annotation, c->maxout);
    model_dropout(model, c->dropout_embedding, c->dropout_annotation, c->dropout_readout);
}

void model_free(Model *model) {
    encoder_free(&model->encoder);
    params_free(&model->params);
}

Annotations model_read(Tape *tape, const Model *model, const Source *source) {
    Annotations H = encode(tape, &model->encoder, source);
    attention_prepare(tape, &model->attention, &H);
    return H;
}

/* c and f step by step, for s_i feeds back into both. */
Forced model_force(Tape *tape, const Model *model, const Batch *batch) {
    const Sequences *y = &batch->target;
    Annotations H = model_read(tape, model, &batch->source);
    Var *Ey = state_embed(tape, &model->state, batch->previous, y->rows);
    Var *WEy = state_enter(tape, &model->state, Ey), *s = state_begin(tape, &model->state, &H);

    Var *all_s = var_new(tape, y->rows, s->cols), *all_c = var_new(tape, y->rows, H.H->cols);
    Var **states = arena_alloc(&tape->arena, (size_t)y->steps * sizeof *states);
    Var **contexts = arena_alloc(&tape->arena, (size_t)y->steps * sizeof *contexts);
    Var **alpha = arena_alloc(&tape->arena, (size_t)y->steps * sizeof *alpha);
    for (int i = 0; i < y->steps; i++) {
        int first = y->offset[i], live = sequences_live(y, i);
        Var *s_prev = slice(tape, s, 0, live);
        Context c = attend(tape, &model->attention, &H, s_prev, slice(tape, all_c, first, live));
        s = advance(tape, &model->state, slice(tape, WEy, first, live), s_prev, c.c, slice(tape, all_s, first, live));
        states[i] = model->config.readout_prev ? s_prev : s;
        contexts[i] = c.c;
        alpha[i] = c.alpha;
    }
    Var *S = stack(tape, states, y->steps), *C = stack(tape, contexts, y->steps);
    return (Forced){alpha, Ey, S, C};
}

Var *model_logits(Tape *tape, const Model *model, const Forced *forced) {
    return readout(tape, &model->readout, forced->Ey, forced->s, forced->c);
}

Step model_step(Tape *tape, const Model *model, const Annotations *H, const int *previous, Var *s_prev) {
    Var *Ey = state_embed(tape, &model->state, previous, s_prev->rows);
    Context c = attend(tape, &model->attention, H, s_prev, NULL);
    Var *s = advance(tape, &model->state, state_enter(tape, &model->state, Ey), s_prev, c.c, NULL);
    Var *logits = readout(tape, &model->readout, Ey, model->config.readout_prev ? s_prev : s, c.c);
    return (Step){s, logits, c.alpha};
}
