/* numbered.h: files that are named after a number, for example DIR/00000012.json. */
#ifndef TIDE_NUMBERED_H
#define TIDE_NUMBERED_H

#include "io/files.h"

/* Writes DIR/NUMBER and the ending (".json") to `path`; the number has at least eight digits. Requires that it fits. */
void numbered_path(char path[PATH_SIZE], const char *dir, long number, const char *ending);
/* Returns in *numbers the numbers from 0 on that have a file in `dir`, ascending: a stb_ds array, owned by the caller.
   A directory that does not exist has none. Returns 0, or -1 with *err filled. */
int numbered_list(const char *dir, const char *ending, long **numbers, Err *err);
/* The index of the k-th of `most` evenly spaced items among n; n ≥ most ≥ 2. */
long spaced_index(long k, long n, long most);
/* Deletes from a stb_ds array of numbers all but `most` evenly spaced ones and `keep`. Requires most ≥ 2. */
void numbers_thin(long *numbers, long most, long keep);

#endif
