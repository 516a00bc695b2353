/* ds.h: the dynamic arrays and hash maps of stb_ds.h with tide's allocator. Include this file, never <stb_ds.h>.

   While no element is deleted, a map keeps its elements in the order of insertion. Threads may use different maps at
   the same time. Several threads may read one map with map_find (string keys) or with hmgeti_ts on a copy of the
   pointer; shget, shgeti, hmget and the like write to the map. */
#ifndef TIDE_DS_H
#define TIDE_DS_H

#include "core/base.h"
#define STBDS_REALLOC(context, pointer, size) mem_realloc(pointer, size)
#define STBDS_FREE(context, pointer)          mem_free(pointer)
#include <stb_ds.h>

/* stb_ds calls these for a new map and for a new element. Unlike its own functions, they do not use its global seed. */
void *map_new(size_t element, int mode);
void *map_put(void *map, size_t element, void *key, size_t key_size, int mode);
#undef stbds_shmode_func_wrapper
#define stbds_shmode_func_wrapper(map, element, mode) map_new(element, mode)
#undef stbds_hmput_key_wrapper
#define stbds_hmput_key_wrapper map_put

/* The index of a string key in a map with elements of `element` bytes, or -1. Does not write to the map. */
static inline ptrdiff_t map_find(const void *map, size_t element, const char *key) {
    ptrdiff_t at = -1;
    if (map) stbds_hmget_key_ts((void *)map, element, (void *)key, sizeof key, &at, STBDS_HM_STRING);
    return at;
}

/* Releases a stb_ds array of owned strings. */
void strings_free(char **strings);

#endif
