/* translator.h: a model with its languages: what model.safetensors holds, and what translates text. */
#ifndef TIDE_TRANSLATOR_H
#define TIDE_TRANSLATOR_H

#include "model/beam.h"
#include "text/batches.h"
#include "text/side.h"
#include "train/alignment.h"
#include "train/options.h"
#include "train/safetensors.h"

typedef struct Translator Translator;
struct Translator {
    Options options;
    Side source, target;
    Model model;
    int *banned;       /* stb_ds array: target ids that a search does not write; see translator_begin */
    Safetensors *file; /* kept where the model reads its weights from it; else NULL */
    Translator *mates; /* stb_ds array: those that translate with it; see translator_join */
};

/* Sets up what follows from the options and the two sides: the model, without weights, and the list of target pieces
   that are banned from translations: the specials but </s>, and those that hold Han where the target language is not
   written with it. The list is the translator's own; it refers to nothing of the sides. */
void translator_begin(Translator *translator);
/* Whether the target language is one that is written with Han: zh, zho, chi, cmn, yue, lzh, wuu, ja, jpn, ko or kor,
   whatever follows behind a hyphen (zh-Hant). */
bool translator_writes_han(const Translator *translator);

/* Whether what it translates has an alignment: one model's, or those of some that translate together. */
bool translator_aligns(const Translator *translator);

/* The metadata that makes a model complete in itself: configuration, merges and vocabularies. Values are owned by the
   caller (translator_meta_free). */
enum { TRANSLATOR_META = 8 };
void translator_meta(const Translator *translator, Meta meta[TRANSLATOR_META]);
void translator_meta_free(Meta meta[TRANSLATOR_META]);
/* The weights as named tensors: a stb_ds array. */
Tensor *translator_tensors(const Translator *translator);

/* Reads options and languages and sets up the model, which borrows its weights from the file. */
int translator_read(Translator *translator, const Safetensors *file, const char *path, Err *err);
/* Opens MODEL, a directory with model.safetensors or such a file itself. The weights stay in the mapped file, which is
   closed by translator_free; until then it may be replaced or deleted, but not written to. */
int translator_load(Translator *translator, const char *path, Err *err);
/* Opens another MODEL, of the same source and target pieces, for translate() to let decide on every word too; see
   Ensemble. Everything else is as the first model has it. On failure the translator is what it was. */
int translator_join(Translator *translator, const char *path, Err *err);
int translator_save(const Translator *translator, const char *path, Err *err);
void translator_free(Translator *translator);

/* The search as the model's options have it; the list of banned ids stays the translator's. */
BeamOptions translator_beam_options(const Translator *translator);
/* How many pieces are banned for the Han in them. */
int translator_banned_han(const Translator *translator);
/* Takes <unk>, or all that holds Han, out of what such a search does not write. */
void translator_allow(const Translator *translator, bool unknown, bool han, BeamOptions *options);

/* What became of n sentences; everything but those is owned by it. */
typedef struct Translations {
    int n;
    char *const *sentences; /* [n] the caller's */
    int **source;           /* [n] ids, stb_ds arrays */
    Nbest *nbest;           /* [n]; an empty sentence has none */
    Arena arena;
    Timing timing;
} Translations;

/* Pieces of a sentence where nobody sets another limit. What a search keeps grows with the square of their number. */
enum { MOST_PIECES = 1000 };

/* How many of n sentences, from the first on, may be translated in one go, so that what is kept of their hypotheses
   stays within some hundreds of megabytes; 1 at least. */
int translate_most(char *const *sentences, int n, int beam);

/* Called now and then with how many sentences are done. */
typedef void Counter(void *context, long done, long all);

/* Translates n normalised sentences, at most `batch` at a time by length: fewer where they are long or the
   beam is wide. The tape is taken back to where it was, and its
   recording is off afterwards; weights stay packed on it for the next call. Where they have changed since they were
   packed, or records are on the tape, it must be reset before. */
Translations translate(Tape *tape, const Translator *translator, char *const *sentences, int n,
                       const BeamOptions *options, int batch, Counter *counter, void *context);
void translations_free(Translations *translations);
/* The text of hypothesis k of sentence i ("" where there is none); owned by the caller. */
char *translation_text(const Translations *translations, const Translator *translator, int i, int k);

/* The best hypothesis of every sentence: a stb_ds array, for lines_free. */
char **translations_text(const Translations *translations, const Translator *translator);

/* The alignment of a hypothesis of sentence i as the heatmap and the formats take it, without weights where the model
   has none: the source's pieces as they are in the sentence, the target's as the model wrote them. Release with
   alignment_free. */
Alignment translation_alignment(const Translations *translations, const Translator *translator, int i,
                                const Hypothesis *hypothesis);

/* Leads the decoder along n normalised pairs at once and fills in their alignments, by piece; release each with
   alignment_free. The tape, which does not record, is taken back to where it was. */
void translator_align(Tape *tape, const Translator *translator, char *const *source, char *const *target, int n,
                      Alignment *alignments);

#endif
