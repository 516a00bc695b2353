/* translator.h: a model with the tokenizers and vocabularies of its two languages. A loaded translator is immutable;
   everything that changes while it is used is in a session (session.h). */
#ifndef TIDE_TRANSLATOR_H
#define TIDE_TRANSLATOR_H

#include "model/beam.h"
#include "text/codes.h"
#include "text/side.h"
#include "translate/about.h"
#include "translate/model_options.h"

typedef struct Translator {
    ModelOptions options;
    Side source, target;
    Model model;
    int *banned;         /* stb_ds array: target ids that a search never writes; see translator_init */
    char *configuration; /* the whole configuration in the file of a loaded model, also its training options; owned */
    About about;
    char *recipe;            /* of a loaded model, as JSON (recipe.h); NULL: the file has none; owned */
    bool quantized;          /* the file has weights of 8 bits; see model_copy */
    double checksum_seconds; /* spent on the checksum while loading */
    const char *warning;     /* for the user, about the loaded file; NULL: none */
} Translator;

/* Declares the model, without weights, and makes the list of banned target ids. Needs options, source and target.
   Banned are the special ids except </s> and, if the target language is not written with Han characters, all pieces
   that contain one. */
void translator_init(Translator *translator);
void translator_free(Translator *translator);
/* Whether the target language is written with Han characters (codes.h). */
bool translator_writes_han(const Translator *translator);
/* The same for the source language. */
bool translator_reads_han(const Translator *translator);
/* Whether a translation has a space between two sentences: not if the target language is Chinese or Japanese. */
bool translator_spaces_sentences(const Translator *translator);
/* Converts a translation in NFKC, as the model wrote it, to the text that people read: text_full_width if the target
   language is Chinese. A text that is tokenised already (TOKENIZER_NONE) stays as it is. Takes over `text`; the caller
   owns the result. */
char *translator_written(const Translator *translator, char *text);

/* The search options that the model stores. The list of banned ids belongs to the translator. */
BeamOptions translator_beam_options(const Translator *translator);
/* The number of pieces that are banned because they contain Han characters. */
int translator_banned_han(const Translator *translator);
/* Removes bans from search options: the ban of <unk> if `unknown`, the ban of pieces with Han characters if `han`. */
void translator_allow(const Translator *translator, bool unknown, bool han, BeamOptions *options);

#endif
