/* vectors.h: vectors of words from a text file. */
#ifndef TIDE_VECTORS_H
#define TIDE_VECTORS_H

#include "core/base.h"

typedef struct Vectors {
    int rows, cols;
    float *numbers; /* stb_ds array: [rows, cols] */
    char **words;   /* stb_ds array of owned strings: one a row */
} Vectors;

/* Reads a file of a vector a line: perhaps a word, then its numbers, separated by white space. A vector without a word
   is called by its number, from 1; blank lines are skipped. path NULL or "-" reads standard input. Returns -1 with *err
   filled where the file cannot be read or holds no vector, where a line is not UTF-8, holds no number or what is none
   or not finite, or not as many as the first. Release with vectors_free. */
int vectors_read(Vectors *vectors, const char *path, Err *err);
/* Adds a row; the first one sets the number of columns. Both are copied. */
void vectors_add(Vectors *vectors, const char *word, const float *numbers, int cols);
/* The first row of a word, or -1. */
int vectors_find(const Vectors *vectors, const char *word);
void vectors_free(Vectors *vectors);

/* A whole text as a number that is finite in single precision: 1, or 0 where it is no number, -1 where not finite. */
int number_parse(const char *text, float *number);

#endif
