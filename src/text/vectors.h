/* vectors.h: vectors of words from a text file. */
#ifndef TIDE_VECTORS_H
#define TIDE_VECTORS_H

#include "core/base.h"

typedef struct Vectors {
    int rows, cols;
    float *numbers; /* stb_ds array: [rows, cols] */
    char **words;   /* stb_ds array of owned strings: one a row */
} Vectors;

/* Reads a file with one vector on each line: a word, then its numbers, separated by white space; or the numbers alone.
   The first line decides: where it begins with a word, every line does, and "2008" or "nan" can be a word. A first line
   "rows cols" that fits the line behind it is a header, as word2vec and fastText write it; then lines begin with words
   too. A word may contain spaces, as in GloVe's files, if no part after a space is a number. A word that is white space
   is called "␣". A vector without a word is called by its number, from 1; blank lines are skipped. path NULL or "-"
   reads standard input. Returns -1 with *err filled if the file cannot be read, has no vector, or has a different
   number of vectors than its header says; or if a line is not UTF-8, has no numbers, has a field that is not a finite
   number, or has a different number of numbers than the first line. Release with vectors_free. */
int vectors_read(Vectors *vectors, const char *path, Err *err);
/* Adds a row; the first one sets the number of columns. Both are copied. */
void vectors_add(Vectors *vectors, const char *word, const float *numbers, int cols);
/* The first row of a word, or -1. */
int vectors_find(const Vectors *vectors, const char *word);
void vectors_free(Vectors *vectors);

/* A whole text as a number that is finite in single precision: 1, or 0 where it is no number, -1 where not finite. */
int number_parse(const char *text, float *number);

#endif
