/* shortlist.h: for each sentence, the few words that its translation may contain (Jean et al. 2015, "On Using Very
   Large Target Vocabulary for Neural Machine Translation", section 3.2). The list of a sentence depends on this
   sentence only, so its translation does not depend on the other sentences of its batch. */
#ifndef TIDE_SHORTLIST_H
#define TIDE_SHORTLIST_H

#include "core/ops.h"
#include "io/string_table.h"
#include "text/side.h"

/* The likely translations of source texts; none if all zeros. Immutable: sessions may share it. */
typedef struct Shortlist {
    StringTable sources;
    struct Translated **translations; /* stb_ds array: of each source text, the most probable first: a stb_ds array */
    size_t longest;                   /* bytes of the longest source text */
    const Side *target;
    int first;
} Shortlist;

/* Reads a lexicon: lines of source, tab, target, tab, probability; see lexicon.h. The list of a sentence has the
   `first` most frequent pieces of the model, and the pieces of the `best` most probable translations of each text in
   the sentence. `target` is the model's target language and must live longer. Returns 0, or -1 with *err filled if the
   file is wrong. Release with shortlist_free in both cases. */
int shortlist_read(Shortlist *shortlist, const char *path, const Side *target, int first, int best, Err *err);
/* The same for the lines of a text of valid UTF-8; *err has no path. */
int shortlist_parse(Shortlist *shortlist, const char *text, const Side *target, int first, int best, Err *err);
void shortlist_free(Shortlist *shortlist);

/* The lists of n normalised sentences, owned by the caller; NULL if the shortlist was not read. Release with
   shortlist_sets_free. A text does not begin or end within a run of letters or of digits. */
ColumnSet *shortlist_sets(const Shortlist *shortlist, char *const *sentences, int n);
void shortlist_sets_free(ColumnSet *sets, int n);

#endif
