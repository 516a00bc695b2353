/* lexicons.h: makes lexicons from strings. Requires cmocka.h. */
#ifndef TIDE_TESTS_LEXICONS_H
#define TIDE_TESTS_LEXICONS_H

#include "scratch.h"
#include "text/lexicon.h"

/* Writes the text to a file and reads it as a lexicon. Returns NULL with *err filled if the file is not valid. */
static inline Lexicon *lexicon_of(const char *text, Err *err) {
    char path[SCRATCH_SIZE];
    scratch_text(path, text);
    Lexicon *lexicon = lexicon_read(path, err);
    if (!lexicon) assert_string_equal(err->path, path);
    unlink(path);
    return lexicon;
}

#endif
