/* translator.h: a model with its languages. It is immutable once it is loaded: what changes while it is used is in a
   session (session.h). */
#ifndef TIDE_TRANSLATOR_H
#define TIDE_TRANSLATOR_H

#include "model/beam.h"
#include "text/side.h"
#include "translate/model_options.h"

typedef struct Translator {
    ModelOptions options;
    Side source, target;
    Model model;
    int *banned;             /* stb_ds array: target ids that a search does not write; see translator_init */
    char *configuration;     /* of a loaded model, as its file has it, with options of its training; owned */
    double checksum_seconds; /* of loading */
    const char *warning;     /* of loading, for the user; NULL: none */
} Translator;

/* Sets up what follows from the options and the two sides: the model, without weights, and the list of target pieces
   that are banned from translations: the specials but </s>, and those that hold Han if the target language is not
   written with it. */
void translator_init(Translator *translator);
void translator_free(Translator *translator);
/* Whether the target language is one that is written with Han: zh, zho, chi, cmn, yue, lzh, wuu, ja, jpn, ko or kor,
   with or without a suffix after a hyphen (zh-Hant). */
bool translator_writes_han(const Translator *translator);

/* The search as the model's options have it. The list of banned ids stays the translator's. */
BeamOptions translator_beam_options(const Translator *translator);
/* The number of pieces that are banned for the Han in them. */
int translator_banned_han(const Translator *translator);
/* Lifts bans from the options of a search: that of <unk>, or that of all pieces that hold Han. */
void translator_allow(const Translator *translator, bool unknown, bool han, BeamOptions *options);

#endif
