/* The only file that compiles the functions of stb_ds.h; they give warnings about conversions. */
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#define STB_DS_IMPLEMENTATION
#include "io/ds.h"

#include <string.h>

void strings_free(char **strings) {
    for (ptrdiff_t i = 0; i < arrlen(strings); i++) mem_free(strings[i]);
    arrfree(strings);
}

bool strings_same(char *const *a, int n, char *const *b, int m) {
    for (int i = 0; i < n && n == m; i++)
        if (strcmp(a[i], b[i]) != 0) return false;
    return n == m;
}
