/* lexicons.h: lexicons from text that is in memory. Needs cmocka.h. */
#ifndef TIDE_TESTS_LEXICONS_H
#define TIDE_TESTS_LEXICONS_H

#include "scratch.h"
#include "text/lexicon.h"

/* The lexicon of a file with this text; NULL with *err filled if it is refused. */
static inline Lexicon *lexicon_of(const char *text, Err *err) {
    char path[SCRATCH_SIZE];
    scratch_text(path, text);
    Lexicon *lexicon = lexicon_read(path, err);
    if (!lexicon) assert_string_equal(err->path, path);
    unlink(path);
    return lexicon;
}

#endif
