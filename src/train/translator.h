/* translator.h: a model with its languages: what model.safetensors holds, and what translates text. */
#ifndef TIDE_TRANSLATOR_H
#define TIDE_TRANSLATOR_H

#include "model/beam.h"
#include "text/batches.h"
#include "text/side.h"
#include "train/alignment.h"
#include "train/options.h"
#include "train/safetensors.h"

typedef struct Translator {
    Options options;
    Side source, target;
    Model model;
    Safetensors *file; /* kept where the model reads its weights from it; else NULL */
} Translator;

/* The model that the options describe, for the two vocabularies. */
ModelConfig translator_model_config(const Options *options, const Side *source, const Side *target);

/* The metadata that makes a model complete in itself: configuration, merges and vocabularies. Values are owned by the
   caller (translator_meta_free). */
enum { TRANSLATOR_META = 6 };
void translator_meta(const Translator *translator, Meta meta[TRANSLATOR_META]);
void translator_meta_free(Meta meta[TRANSLATOR_META]);
/* The weights as named tensors: a stb_ds array. */
Tensor *translator_tensors(const Translator *translator);

/* Reads options and languages and sets up the model, which borrows its weights from the file. */
int translator_read(Translator *translator, const Safetensors *file, const char *path, Err *err);
/* Opens MODEL, a directory with model.safetensors or such a file itself. The weights stay in the mapped file, which is
   closed by translator_free; until then it may be replaced or deleted, but not written to. */
int translator_load(Translator *translator, const char *path, Err *err);
int translator_save(const Translator *translator, const char *path, Err *err);
void translator_free(Translator *translator);

BeamOptions translator_beam_options(const Translator *translator);

/* What became of n sentences; everything is owned by it. */
typedef struct Translations {
    int n;
    int **source; /* [n] ids, stb_ds arrays */
    Nbest *nbest; /* [n]; an empty sentence has none */
    Arena arena;
    Timing timing;
} Translations;

/* Called now and then with how many sentences are done. */
typedef void Counter(void *context, long done, long all);

/* Translates n normalised sentences, `batch` at a time by length. The tape is taken back to where it was, and its
   recording is off afterwards; weights stay packed on it for the next call. Where they have changed since they were
   packed, or records are on the tape, it must be reset before. */
Translations translate(Tape *tape, const Translator *translator, char *const *sentences, int n,
                       const BeamOptions *options, int batch, Counter *counter, void *context);
void translations_free(Translations *translations);
/* The text of hypothesis k of sentence i ("" where there is none); owned by the caller. */
char *translation_text(const Translations *translations, const Translator *translator, int i, int k);

/* The best hypothesis of every sentence: a stb_ds array, for lines_free. */
char **translations_text(const Translations *translations, const Translator *translator);

/* The alignment of a pair of sentences as the heatmap and the formats take it; free the pieces with alignment_free. */
Alignment alignment_of(const Translator *translator, const int *source, int n_source, const int *target, int n_target,
                       const float *weight);
void alignment_free(Alignment *alignment);

#endif
