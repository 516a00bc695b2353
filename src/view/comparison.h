/* comparison.h: what a report of two trainings compares, besides the data that each report has. */
#ifndef TIDE_COMPARISON_H
#define TIDE_COMPARISON_H

#include "core/base.h"

#include <stdio.h>

/* Writes the options in DIR/model.safetensors as a JSON array of lines "name = value"; null if it finds no such file.
   Returns 0, or -1 with *err filled if the file cannot be read or is not a model of tide. */
int comparison_options(FILE *out, const char *dir, Err *err);
/* Writes whether both DIR/valid have the same source.txt and the same reference.txt, true or false; null if it does not
   find a file. Returns 0, or -1 with *err filled if a file cannot be read. */
int comparison_dev_sets(FILE *out, const char *const dirs[2], Err *err);

#endif
