/* ds.h: the dynamic arrays of stb_ds.h with tide's allocator. Include this file, never <stb_ds.h>. In place of the hash
   maps of stb_ds.h, which have a global variable, tide has string_table.h and pair_table.h. */
#ifndef TIDE_DS_H
#define TIDE_DS_H

#include "core/base.h"
#define STBDS_REALLOC(context, pointer, size) mem_realloc(pointer, size)
#define STBDS_FREE(context, pointer)          mem_free(pointer)
#include <stb_ds.h>

#include <stdbool.h>

/* Releases a stb_ds array of owned strings. */
void strings_free(char **strings);
/* Whether n strings are the same as m others. */
bool strings_same(char *const *a, int n, char *const *b, int m);

#endif
