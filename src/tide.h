/* tide.h: the public C API: load a model, translate, get alignments. Everything else in src/ is private. */
#ifndef TIDE_H
#define TIDE_H

#include <stddef.h>

#define TIDE_VERSION "0.1"

typedef struct TideModel TideModel;

/* Loads MODEL (a directory with model.safetensors, or such a file) for this many threads. Returns NULL on failure and
   writes one line that says why into `error`. On success `error` is empty, or warns: if another program rewrote the
   file and left out its checksum, damage to it would not be noticed. The model is read into memory: nothing that
   happens to the file afterwards changes it, and the locale of the host does not matter. Release with tide_free. */
TideModel *tide_load(const char *path, int threads, char *error, size_t error_size);
void tide_free(TideModel *model);

/* A translation and where each of its pieces was read from. */
typedef struct TideTranslation {
    char *text;                       /* UTF-8; without Han where the target language is not written with it */
    double log_probability;           /* nats */
    int source_pieces, target_pieces; /* </s> included; the target has none if it was cut at the length limit */
    char **source, **target;          /* the pieces; "▁" stands for a space */
    float *alignment; /* [target_pieces][source_pieces], rows sum to 1; NULL for a model without attention */
} TideTranslation;

/* Translates one sentence of UTF-8 by beam search (beam 0: the model's own). Returns 0, or -1 where the text is not
   valid UTF-8 or has more than 1000 pieces; then *out is empty. Release with tide_translation_free. Not for two threads
   at once on one model. */
int tide_translate(TideModel *model, const char *sentence, int beam, TideTranslation *out);
void tide_translation_free(TideTranslation *translation);

#endif
