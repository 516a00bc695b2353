/* translation_memory.h: sentences with their translations, of one direction: finds the translation of a sentence, and
   the sentences that are most similar to it, among a million.

   Similarity is 1 − distance / length: the distance is that of text/edit_distance.h, the length that of the longer
   sentence; both in characters (code points) of the normalised texts. Sentences of one length lie on a shelf, each with
   a signature of 384 bits, of which an edit changes few. So signatures exclude most sentences, and give an order in
   which the others are compared: the most promising first.

   Threads may share a memory: many read it while none writes. A memory belongs to no scope (core/scope.h): if a call
   is refused memory, it has released the lock and changed nothing, and the owner still frees the memory. */
#ifndef TIDE_TRANSLATION_MEMORY_H
#define TIDE_TRANSLATION_MEMORY_H

#include "corpus/reader.h"

enum { TM_LONGEST = 2000 }; /* characters; a longer source is found by tm_find only */

typedef struct TranslationMemory TranslationMemory;

TranslationMemory *tm_new(void);
/* Does nothing for NULL. No other thread may use the memory. */
void tm_free(TranslationMemory *tm);
/* The number of pairs. */
long tm_count(TranslationMemory *tm);

/* The sources below are normalised here (text_normalise). A source or target that is not valid UTF-8 is a bug of the
   caller, and so is a source of blanks in tm_put. */

/* Adds a pair. It takes the place of a pair with the same source. id: any number of the caller's. */
void tm_put(TranslationMemory *tm, const char *source, const char *target, long id);
/* Removes the pair of this source if it has this id. Returns whether there was one. */
bool tm_remove(TranslationMemory *tm, const char *source, long id);
/* A copy of the target of this source, which the caller owns; NULL if there is none. *id, if not NULL, receives its
   id. */
char *tm_find(TranslationMemory *tm, const char *source, long *id);

typedef struct Similar {
    char *source, *target; /* owned; the source is normalised */
    long id;
    double similarity; /* 1: the same source */
} Similar;

/* The `most` pairs whose sources are most similar to `source`, with a similarity of at least `least`, from 0 to 1: a
   stb_ds array, the most similar first, and of equal ones the one that was put last; NULL if there is none. Release
   with tm_similar_free. The result equals that of a comparison with all pairs, except for two bounds of the work:
   - A source of more than TM_LONGEST characters has no similar ones.
   - The signatures of sources whose length allows the similarity are all read, some milliseconds for a million. But
     comparisons end after 2^22 steps (edit_distance.h); the list then has the best of what was compared. Sentences of
     120 letters reach this limit if 20,000 of a memory may be similar to them.
   The same calls give the same result. */
Similar *tm_similar(TranslationMemory *tm, const char *source, int most, double least);
void tm_similar_free(Similar *similar);

/* How many pairs tm_read has added, and how many it has dropped: without a source or a target, or not UTF-8. */
typedef struct TmCounts {
    long added, dropped;
} TmCounts;
/* Adds the pairs of a corpus, with the ids first_id, first_id + 1, ...; *counts is filled in any case. Returns 0, or -1
   with *err filled as reader_open and reader_next do; pairs before the error have been added. */
int tm_read(TranslationMemory *tm, const CorpusFiles *files, const char *const langs[2], long first_id,
            TmCounts *counts, Err *err);

#endif
