/* The only file that compiles the functions of stb_ds.h; they give warnings about conversions. */
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#define STB_DS_IMPLEMENTATION
#include "io/ds.h"

void strings_free(char **strings) {
    for (ptrdiff_t i = 0; i < arrlen(strings); i++) mem_free(strings[i]);
    arrfree(strings);
}
