/* kinds.h: models by the name of the one thing in which they are not the paper's. */
#ifndef TIDE_TESTS_KINDS_H
#define TIDE_TESTS_KINDS_H

#include "coverage_attention.h"
#include "model/model.h"

#include <string.h>

/* Chooses an attention, an encoder or a decoder, and how many layers those have that have any. */
static void choose_kind(ModelConfig *config, const char *name) {
    const AttentionKind *attention = strcmp(name, "coverage") ? attention_kind(name) : &coverage_attention;
    config->attention = attention ? attention : attention_kind("additive");
    config->encoder = encoder_kind(name);
    config->arch = arch_named(name);
    config->depth = config->decoder_depth = 2;
    config->ffn = 35;
    config->window = 3;
    CHECK(attention || config->encoder || config->arch, "no kind of anything is called %s", name);
}

#endif
