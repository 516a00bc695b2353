/* document.h: the flags of `tide translate` that translate a document instead of lines. */
#ifndef TIDE_DOCUMENT_H
#define TIDE_DOCUMENT_H

#include "cli/args.h"
#include "text/passage.h"
#include "translate/translator.h"

#define FLAGS_DOCUMENT                                                                                                 \
    FLAG_SWITCH("split-sentences", "translate each sentence of a line for itself, and join the translations"),         \
        FLAG_CHOICE("format", "translate a document; keeps the times of subtitles (also WebVTT), or the tags of HTML", \
                    "text|srt|html", "text")

/* A document: its sentences and what stands between them. */
typedef struct Document {
    bool given; /* a flag asks for a document; else input is one sentence per line */
    PassageFormat format;
    Passage passage;
    char **translations; /* stb_ds array, owned: of the first sentences */
} Document;

/* Reads the flags. Returns 0, or -1 with *err filled. */
int document_flags(const Args *args, Document *document, Err *err);
/* Reads standard input and splits it. Returns 0, or -1 with *err filled: the text is not UTF-8 or has no times where
   subtitles must have some, or a sentence has more than `most` pieces. */
int document_read(Document *document, const Translator *translator, int most, Err *err);
/* A copy of the sentences of the document: a stb_ds array of owned strings. */
char **document_sentences(const Document *document);
/* Writes the document, with all translations, to standard output. */
void document_write(const Document *document, bool spaced);
/* Releases what the document owns. */
void document_free(Document *document);

#endif
