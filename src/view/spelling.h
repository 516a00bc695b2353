/* spelling.h: converts pieces and their characters to text for people. All functions accept any bytes, not only valid
   UTF-8. */
#ifndef TIDE_SPELLING_H
#define TIDE_SPELLING_H

#include <stdbool.h>
#include <stdint.h>

/* Returns the character at *text and advances *text to the next one. A tab or a line break becomes a space. A byte that
   is not valid UTF-8, or a character that XML forbids (such as a control character), becomes U+FFFD. */
int32_t char_display(const char **text);
int32_t char_peek(const char *text); /* the same, without advancing */
/* Returns the text with char_display applied to each character, in UTF-8; owned by the caller. */
char *text_display(const char *text);
bool char_is_wide(int32_t c); /* two terminal columns wide, like a Chinese character */
bool char_in_word(int32_t c); /* a letter, a combining mark or a number, and not wide */
bool char_closes(int32_t c);  /* punctuation such as ) ” . ? that must not start a line */

/* Finds the first and the last character of text; both are spaces if text is empty. */
void text_ends(const char *text, int32_t *first, int32_t *last);
bool text_has_wide(const char *text);

/* Returns for each of n pieces whether a space precedes it; owned by the caller. If no piece holds "▁", spaces are
   guessed from the characters, as Chinese or English puts them. No space precedes the first piece or </s>. */
bool *pieces_spaced(char *const *pieces, int n);
/* Returns the sentence that the pieces spell, without </s>; owned by the caller. */
char *pieces_sentence(char *const *pieces, int n);

#endif
