#include "model/model.h"
#include "core/choice.h"

/* A new decoder needs one new file, and its name in these three lists, in the same order. */
extern const Arch arch_rnnsearch, arch_transformer;
static const Arch *const kinds[] = {&arch_rnnsearch, &arch_transformer};
const char arch_names[] = "rnnsearch|transformer";

const Arch *arch_at(int index) { return index < 0 ? NULL : kinds[index]; }
const Arch *arch_named(const char *name) { return arch_at(choice_find(arch_names, name)); }

void model_init(Model *model, const ModelConfig *config) {
    *model = (Model){.config = *config, .arch = config->arch ? config->arch : kinds[0]};
    ModelConfig *c = &model->config;
    if (!c->encoder) c->encoder = encoder_kind("bigru");
    if (model->arch->configure) model->arch->configure(c);
    encoder_declare(&model->encoder, &model->params, c);
    model->decoder = model->arch->declare(c, &model->params, model->encoder.width);
}

void model_free(Model *model) {
    mem_free(model->decoder);
    encoder_free(&model->encoder);
    params_free(&model->params);
}

Alignments model_alignments(const Model *model) { return model->arch->alignments(model); }

bool model_aligns(const Model *model) { return model_alignments(model).heads > 0; }

const Var *model_target_embedding(const Model *model) { return model->arch->target_embedding(model); }

Forced model_force(Tape *tape, const Model *model, const Batch *batch, const PassOptions *options) {
    return model->arch->force(tape, model, batch, encode(tape, &model->encoder, &batch->source, &options->dropout),
                              options);
}

OutputLayer model_output(Tape *tape, const Model *model, const Forced *forced) {
    return model->arch->output(tape, model, forced);
}

Var *model_loss(Tape *tape, const Model *model, const Forced *forced, Objective o, double *nats) {
    const RowShards *shards = tape->shards;
    const int rows = o.target->rows;
    double *of_row = arena_alloc(&tape->arena, (size_t)rows * sizeof *of_row);
    const OutputLayer output = model_output(tape, model, forced);
    Var *loss = distilled_cross_entropy(tape, output, o.target->ids, o.rows, o.smoothing, o.teacher, of_row);
    for (int s = 0; s < (shards ? shards->count : 1); s++) nats[s] = 0;
    for (int i = 0; i < rows; i++) nats[shards ? shards->of[i] : 0] += of_row[i];
    return loss;
}

DecoderState *model_begin(Tape *tape, const Model *model, const Source *source, int most, const PassOptions *options) {
    CHECK(!tape->recording, "model_begin: the tape records");
    return model->arch->begin(tape, model, encode(tape, &model->encoder, source, &options->dropout), source->x.n, most,
                              options);
}

Step model_step(Tape *tape, const Model *model, DecoderState *state, Hypotheses hypotheses) {
    return model->arch->step(tape, model, state, hypotheses);
}

void model_reorder(const Model *model, DecoderState *state, const int *parent, int rows) {
    model->arch->reorder(state, parent, rows);
}

void model_end(const Model *model, DecoderState *state) { model->arch->end(state); }
