/* kinds.h: configures a model that differs from the paper's in one component, given the name of this component. */
#ifndef TIDE_TESTS_KINDS_H
#define TIDE_TESTS_KINDS_H

#include "model/model.h"

#include <string.h>

/* Sets the attention, the encoder or the architecture called `name`, and two layers where layers can be stacked. With
   "tied " before the name, the output layer is tied to the target embedding. */
static void choose_kind(ModelConfig *config, const char *name) {
    config->tied_embeddings = strncmp(name, "tied ", 5) == 0;
    if (config->tied_embeddings) {
        name += 5;
        config->maxout = config->emb;
    }
    const AttentionKind *attention = attention_kind(name);
    config->attention = attention ? attention : attention_kind("additive");
    config->encoder = encoder_kind(name);
    config->arch = arch_named(name);
    config->depth = config->decoder_depth = 2;
    config->ffn = 35;
    config->window = 3;
    CHECK(attention || config->encoder || config->arch, "no attention, encoder or architecture is called %s", name);
}

#endif
