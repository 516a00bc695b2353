#include "model/model.h"

#include <string.h>

/* The table: whoever writes one more kind names it in these three. */
extern const Arch arch_rnnsearch, arch_transformer;
static const Arch *const kinds[] = {&arch_rnnsearch, &arch_transformer};
const char arch_names[] = "rnnsearch|transformer";

const Arch *arch_named(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i]->name, name)) return kinds[i];
    return NULL;
}

void model_dropout(Model *model, double embedding, double annotation, double readout) {
    model->config.dropout_embedding = embedding;
    model->config.dropout_annotation = annotation;
    model->config.dropout_readout = readout;
    model->encoder.dropout_embedding = model->state.dropout_embedding = embedding;
    model->encoder.dropout_annotation = model->attention.dropout = annotation;
    model->readout.dropout = readout;
}

void model_init(Model *model, const ModelConfig *c) {
    *model = (Model){.config = *c, .arch = c->arch ? c->arch : kinds[0]};
    if (!c->encoder) model->config.encoder = encoder_kind("bigru");
    const EncoderSizes sizes = model->arch->encoder(model);
    encoder_declare(&model->encoder, model->config.encoder, &model->params, c->source_vocab, c->source_words, sizes);
    model->arch->declare(model);
    model_dropout(model, c->dropout_embedding, c->dropout_annotation, c->dropout_readout);
}

void model_free(Model *model) {
    if (model->arch) model->arch->free(model); /* else it was never begun */
    encoder_free(&model->encoder);
    params_free(&model->params);
}

Alignments model_alignments(const Model *model) { return model->arch->alignments(model); }

bool model_aligns(const Model *model) { return model_alignments(model).heads > 0; }

Annotations model_read(Tape *tape, const Model *model, const Source *source) {
    Annotations H = encode(tape, &model->encoder, source);
    model->arch->prepare(tape, model, &H);
    return H;
}

Forced model_force(Tape *tape, const Model *model, const Batch *batch) {
    Annotations H = model_read(tape, model, &batch->source);
    return model->arch->force(tape, model, batch, &H);
}

Var *model_logits(Tape *tape, const Model *model, const Forced *forced) {
    return model->arch->logits(tape, model, forced);
}

Past model_begin(Tape *tape, const Model *model, const Annotations *H, int n, int most) {
    return model->arch->begin(tape, model, H, n, most);
}

Step model_step(Tape *tape, const Model *model, const Annotations *H, const int *previous, int rows, Past *past) {
    return model->arch->step(tape, model, H, previous, rows, past);
}

void model_follow(const Model *model, Past *past, const int *parent, int rows) {
    model->arch->follow(past, parent, rows);
}

void model_end(const Model *model, Past *past) { model->arch->end(past); }
