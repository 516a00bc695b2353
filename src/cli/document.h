/* document.h: `tide translate` with a document instead of lines. */
#ifndef TIDE_DOCUMENT_H
#define TIDE_DOCUMENT_H

#include "cli/args.h"
#include "text/passage.h"
#include "translate/translator.h"

/* A document: its sentences and what stands between them. */
typedef struct Document {
    bool given; /* a flag asks for a document; else input is one sentence per line */
    PassageFormat format;
    Passage passage;
    long refused;        /* number of sentences that are too long: each is empty, and has a message on standard error */
    char **translations; /* stb_ds array, owned: of the first sentences */
} Document;

/* Reads --split-sentences and --format. Returns 0, or -1 with *err filled. */
int document_flags(const Args *args, Document *document, Err *err);
/* Reads standard input and splits it. Returns 0, or -1 with *err filled: the text is not UTF-8 or has no times where
   subtitles must have some, or, in HTML, a sentence has more than `most` pieces. */
int document_read(Document *document, const Translator *translator, int most, Err *err);
/* Writes the document, with all translations, to standard output. */
void document_write(const Document *document, bool spaced);
/* Releases what the document owns. */
void document_free(Document *document);

#endif
