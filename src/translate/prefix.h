/* prefix.h: what a translation must begin with, from a text or from pieces. */
#ifndef TIDE_TRANSLATE_PREFIX_H
#define TIDE_TRANSLATE_PREFIX_H

#include "model/beam.h"
#include "translate/translator.h"

/* Makes the prefix of the translations that begin with a text, which is normalised first. It may end
   within a word: all words but the last have the pieces of side_encode, but the last may have any pieces that spell it,
   or a word that begins with it. If a space follows the last word, this word is complete. An empty text gives a prefix
   of 0 states. `side`: of the target language. Returns 0, or -1 with *err's reason filled if the text is not valid
   UTF-8, if the vocabulary cannot spell it, or if it has more than `most` pieces. Release with prefix_free in both
   cases. */
int prefix_of_text(Prefix *prefix, const Side *side, const char *text, int most, Err *err);
/* Makes the prefix of exactly n pieces, written as in the vocabulary; the last one may be </s>. Returns and errors as
   above. */
int prefix_of_pieces(Prefix *prefix, const Side *side, char *const *pieces, int n, int most, Err *err);
void prefix_free(Prefix *prefix);

/* The translation of an empty sentence with the prefix of a valid text: this text as people read it
   (translator_written). The caller owns it. */
char *prefix_alone(const Translator *translator, const char *text);

/* The prefixes of several sentences. */
typedef struct Prefixes {
    Prefix *own;         /* [n] */
    const Prefix **list; /* [n] for BeamOptions */
    int n;
} Prefixes;
/* Makes the prefixes of n texts, as prefix_of_text does; a text may be NULL: empty. Returns 0, or -1 with *err filled:
   `path` and the number of the text, from 1, as line. Release with prefixes_free in both cases. */
int prefixes_of_texts(Prefixes *prefixes, const Side *side, const char *const *texts, int n, int most, const char *path,
                      Err *err);
void prefixes_free(Prefixes *prefixes);

#endif
