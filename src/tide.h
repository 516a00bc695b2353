/* tide.h: the public C API: load a model, translate, get alignments. Everything else in src/ is private. */
#ifndef TIDE_H
#define TIDE_H

#include <stddef.h>

#define TIDE_VERSION "0.1"

typedef struct TideModel TideModel;

/* Loads a model: `path` is a directory with model.safetensors, or such a file; `threads` is at least 1. The model is
   read into memory: later changes of the file do not matter, nor does the locale of the host. Release with
   tide_free. Returns NULL on failure and writes one line with the reason to `error`. On success `error` is empty, or
   it has a warning: the file has no checksum (another program rewrote it), so damage to it would not be noticed. */
TideModel *tide_load(const char *path, int threads, char *error, size_t error_size);
void tide_free(TideModel *model);

/* A translation and its alignment. */
typedef struct TideTranslation {
    char *text;                       /* UTF-8; no Han characters if the target language is not written with them */
    double log_probability;           /* nats */
    int source_pieces, target_pieces; /* with </s>; a translation cut at the length limit has no target </s> */
    char **source, **target;          /* the pieces; "▁" stands for a space */
    float *alignment; /* [target_pieces][source_pieces], each row sums to 1; NULL: the model has no attention */
} TideTranslation;

/* Translates one sentence of UTF-8 by beam search; beam 0 means the beam size of the model. Release *out with
   tide_translation_free. Two threads must not use one model at the same time. Returns 0, or -1 if the text is not
   valid UTF-8 or has more than 1000 pieces; then *out is empty. */
int tide_translate(TideModel *model, const char *sentence, int beam, TideTranslation *out);
void tide_translation_free(TideTranslation *translation);

#endif
