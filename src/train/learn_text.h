/* learn_text.h: the text from which a model learns corrections: pairs to learn, pairs held out to judge what was
   learned, and text whose translations should stay as they are. */
#ifndef TIDE_LEARN_TEXT_H
#define TIDE_LEARN_TEXT_H

#include "corpus/reader.h"
#include "translate/translator.h"

/* Normalised pairs: stb_ds arrays of owned strings. All zero: none. */
typedef struct TextPairs {
    char **text[2]; /* source and target */
} TextPairs;
int text_pairs_count(const TextPairs *pairs);
void text_pairs_free(TextPairs *pairs);
/* Reads a corpus, without pairs that have an empty side. Returns 0, or -1 with *err filled: an error of the reader,
   text that is not UTF-8, or no pair. The caller calls text_pairs_free, also after an error. */
int text_pairs_read(TextPairs *pairs, const CorpusFiles *files, const char *const langs[2], Err *err);
/* Writes lines of source, tab, target, completely or not at all. Returns 0, or -1 with *err filled. */
int text_pairs_write(const TextPairs *pairs, const char *path, Err *err);

/* What was done with the corrections that were read. */
typedef struct CorrectionCounts {
    int read;
    int foreign;  /* of other languages than the model's */
    int refused;  /* by correction_check */
    int too_long; /* more pieces on a side than the limit */
    int replaced; /* a later correction has the same source */
    int learned, held_out;
} CorrectionCounts;

/* Reads files of corrections: FORM_JSONL is a file of corpus/corrections.h, and each pair of other forms is a
   correction. Of corrections of the same source the last one counts. A fifth of the first 500 and a twentieth of the
   others are held out, chosen by a hash of the source: none changes sides when others follow. most: the limit of
   pieces. why: its reason receives that of the first correction that correction_check refused, or "". Returns 0, or -1
   with *err filled. Release `learned` and `held_out` in both cases. */
int corrections_divide(const CorpusFiles *files, int count, const Translator *translator, int most, TextPairs *learned,
                       TextPairs *held_out, CorrectionCounts *counts, Err *why, Err *err);

/* Draws n pairs of a corpus, all if it has fewer; the seed decides which. Leaves out empty and broken texts, pairs with
   more than `most` pieces on a side, and sources that `without` [count] contains. Returns 0, or -1 with *err filled.
   Release *pairs in both cases. */
int text_pairs_draw(TextPairs *pairs, const CorpusFiles *files, const Translator *translator, int n, int most,
                    uint64_t seed, const TextPairs *const without[], int count, Err *err);

#endif
