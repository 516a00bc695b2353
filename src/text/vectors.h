/* vectors.h: reads word vectors from a text file. */
#ifndef TIDE_VECTORS_H
#define TIDE_VECTORS_H

#include "core/base.h"

typedef struct Vectors {
    int rows, cols;
    float *numbers; /* stb_ds array: [rows, cols] */
    char **words;   /* stb_ds array of owned strings, one for each row */
} Vectors;

/* Reads a file with one vector per line: a word and its numbers, or only numbers, separated by white space. The first
   line decides: if it starts with a word, every line does, and then a word may also be "2008" or "nan". A first line
   "rows cols" that fits the next line is a header (word2vec, fastText), and then every line starts with a word. A word
   may contain spaces, as in GloVe's files, if no part after a space is a number. A word that is white space gets the
   name "␣". A vector without a word gets its number, from 1, as its name. Blank lines are skipped. path NULL or "-"
   reads standard input. Returns 0, or -1 with *err filled: the file cannot be read, has no vectors, or has more or
   fewer vectors than its header says; a line is not valid UTF-8, has no numbers, has a field that is not a finite
   number, or has more or fewer numbers than the first line. Release with vectors_free. */
int vectors_read(Vectors *vectors, const char *path, Err *err);
/* Appends a row with copies of `word` and numbers[0..cols-1]. The first row sets the number of columns; the others must
   have the same. */
void vectors_add(Vectors *vectors, const char *word, const float *numbers, int cols);
/* The index of the first row with this word, or -1. */
int vectors_find(const Vectors *vectors, const char *word);
void vectors_free(Vectors *vectors);

/* Parses all of `text` as a float. Returns 1, 0 if it is not a number, or -1 if the number is not finite in single
   precision. */
int number_parse(const char *text, float *number);

#endif
