/* The only file that compiles the functions of stb_ds.h; they give warnings about conversions. */
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#define STB_DS_IMPLEMENTATION
#include "io/ds.h"

/* stb_ds gives a new index a seed from a global variable, which it then changes; an index made from a smaller one
   inherits the seed. So that no global is written, every index is made from this one, which has no slots. */
static const stbds_hash_index no_index = {.seed = 0x31415926};

static stbds_hash_index *index_new(int mode) {
    stbds_hash_index *index = stbds_make_hash_index(STBDS_BUCKET_LENGTH, (stbds_hash_index *)&no_index);
    index->string.mode = (unsigned char)mode;
    return index;
}

/* stb_ds keeps the default value of a map in an element before the first one. */
static void *map_without_index(size_t element) {
    void *map = stbds_arrgrowf(NULL, element, 0, 1);
    memset(map, 0, element);
    stbds_header(map)->length = 1;
    return STBDS_ARR_TO_HASH(map, element);
}

void *map_new(size_t element, int mode) {
    void *map = map_without_index(element);
    stbds_header(STBDS_HASH_TO_ARR(map, element))->hash_table = index_new(mode);
    return map;
}

void *map_put(void *map, size_t element, void *key, size_t key_size, int mode) {
    if (!map) map = map_without_index(element);
    stbds_array_header *header = stbds_header(STBDS_HASH_TO_ARR(map, element));
    if (!header->hash_table) header->hash_table = index_new(mode >= STBDS_HM_STRING ? STBDS_SH_DEFAULT : STBDS_SH_NONE);
    return stbds_hmput_key(map, element, key, key_size, mode);
}

void strings_free(char **strings) {
    for (ptrdiff_t i = 0; i < arrlen(strings); i++) mem_free(strings[i]);
    arrfree(strings);
}
