/* pinyin.h: how Chinese is read, from a dictionary in the form of CC-CEDICT. */
#ifndef TIDE_PINYIN_H
#define TIDE_PINYIN_H

#include "core/base.h"

typedef struct Pinyin Pinyin;

/* Longer words of a dictionary are left out, because all words that may begin at a character are looked up. */
enum { PINYIN_WORD_BYTES = 96 };

/* Reads a dictionary, plain or compressed. A line is a word in traditional characters, the same word in simplified
   ones, its syllables with the numbers of their tones, and meanings: `傳統 传统 [chuan2 tong3] /tradition/`. Blank
   lines and lines that begin with # are skipped. An entry whose number of syllables is not that of its characters is
   left out. The caller owns the result. NULL with *err filled if the file cannot be read, has no entry, or has a line
   of another form or one that is not valid UTF-8. */
Pinyin *pinyin_read(const char *path, Err *err);
void pinyin_free(Pinyin *pinyin);

/* The readings of a text of valid UTF-8: a stb_ds array of owned strings, one for each character; NULL for an empty
   text. From left to right, a character is read as in the longest word of the dictionary that begins there. If this
   word has several entries, a character has all its different readings, in the order of the file: "liǎo/le". "" for
   what is not in the dictionary. Only reads the dictionary: threads may share it. */
char **pinyin_of(const Pinyin *pinyin, const char *text);

#endif
