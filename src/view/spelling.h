/* spelling.h: pieces and their characters as people read them. Takes any bytes. */
#ifndef TIDE_SPELLING_H
#define TIDE_SPELLING_H

#include <stdbool.h>
#include <stdint.h>

/* The character at *text, which moves behind it: a space for a tab or a line's end, and U+FFFD for what is not UTF-8 or
   what XML forbids. */
int32_t char_display(const char **text);
int32_t char_peek(const char *text); /* the same, and stays */
/* A text with each character as char_display gives it, in UTF-8; owned by the caller. */
char *text_display(const char *text);
bool char_is_wide(int32_t c); /* square, as Chinese characters are */
bool char_in_word(int32_t c); /* a letter, its marks or a number, in scripts that put spaces between words */
bool char_closes(int32_t c);  /* punctuation that belongs to what is before it, so that it never starts a line */

/* The first and the last character of text; spaces where it is empty. */
void text_ends(const char *text, int32_t *first, int32_t *last);
bool text_has_wide(const char *text);

/* A piece without the tokeniser's spelling: "▁" is a space, "\_" a literal ▁, "\\" a backslash. No space at the start.
   Owned by the caller. */
char *piece_text(const char *spelled);
/* Whether a space stands before each of n pieces; owned by the caller. Where the pieces do not tell, spaces are put as
   the language would have them. There is none before the first piece, and none before </s>. */
bool *pieces_spaced(char *const *pieces, int n);
/* The sentence that the pieces came from, without </s>; owned by the caller. */
char *pieces_sentence(char *const *pieces, int n);

#endif
