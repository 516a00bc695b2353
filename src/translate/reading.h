/* reading.h: what a model can read of a source sentence. The translation of what it cannot read is an invention, and
   its reader should know this. */
#ifndef TIDE_READING_H
#define TIDE_READING_H

#include "translate/translator.h"

/* A part of a sentence in code points: from `begin` up to `end`, which is not in it. */
typedef struct TextSpan {
    int begin, end;
} TextSpan;
/* The text of a span; owned by the caller. */
char *text_span(const char *sentence, TextSpan span);

typedef struct Reading {
    char **pieces;    /* as side_spell gives them, without </s>: a stb_ds array, owned */
    bool *unknown;    /* [arrlen(pieces)] the source vocabulary lacks the piece; owned */
    TextSpan *spans;  /* what the model cannot read: the whole sentence if it is foreign, otherwise the unknown pieces,
                         of which neighbours are joined: a stb_ds array, owned */
    bool foreign;     /* the sentence has letters, but no words in the source language that the model knows */
    bool traditional; /* an unknown piece has a character of traditional Chinese, and the source language has Han
                         characters */
} Reading;

/* Reads a normalised sentence. Release with reading_free. */
Reading reading_of(const Translator *translator, const char *sentence);
void reading_free(Reading *reading);
/* Whether a sentence, given by its ids with </s> or a tag, has unknown pieces, and no others but punctuation and
   spaces. */
bool reads_nothing(const Side *source, const int *ids);

#endif
