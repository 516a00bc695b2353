/* reader.h: parallel corpora, pair by pair, as their files hold them: two line-aligned files (Moses), TSV
   (manythings/Anki) and gettext catalogues. */
#ifndef TIDE_READER_H
#define TIDE_READER_H

#include "core/base.h"

#include <stdbool.h>

enum { SOURCE, TARGET };

/* A pair as it stands, neither normalised nor checked. The texts are valid until the next one is read. */
typedef struct RawPair {
    const char *text[2]; /* source and target: size bytes, which may be anything */
    size_t size[2];
    const char *path[2]; /* where they come from, */
    long line;           /* and their line or message, from 1 */
    size_t byte[2];      /* where in the line they begin, from 0 */
    bool no_tab;         /* the line has no tab: one text, and the other is empty */
    bool same_message;   /* of the same message as the pair before: another plural form */
} RawPair;

typedef struct Reader Reader;

/* Paths are not copied. NULL with *err filled where a file cannot be opened; release with reader_close. */
Reader *reader_lines(const char *source, const char *target, Err *err);
/* Lines of English, tab, Chinese; whatever follows a further tab is ignored. english is the side of the English:
   SOURCE or TARGET. "-" reads standard input. */
Reader *reader_tsv(const char *path, int english, Err *err);
/* A catalogue of English messages; a message without its context, the singular with the first form of the translation,
   and where there is a plural, that with the last form. The header is a pair whose English is empty. */
Reader *reader_mo(const char *path, int english, Err *err);

/* Goes to the next pair: 1, or 0 at the end, or -1 with *err filled: a file cannot be read, is no catalogue, or one of
   two files is longer, which is an error at the first line that has no partner. */
int reader_next(Reader *reader, RawPair *pair, Err *err);
/* How far it is, as bytes read and bytes in all; 0 where that is not known. */
void reader_progress(const Reader *reader, long *done, long *all);
void reader_close(Reader *reader);

#endif
