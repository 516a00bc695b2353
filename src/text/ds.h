/* ds.h: stb_ds.h's growing arrays and hash maps on tide's own allocator. Include this, never <stb_ds.h>.

   A map keeps its elements in the order of insertion while none is deleted. Several threads may make, fill and read
   maps of their own at the same time. Many threads may read one map if they use map_find, which works for string keys,
   or hmgeti_ts on a copy of the pointer: shget, shgeti, hmgeti and the like write the place that they found into the
   map. */
#ifndef TIDE_DS_H
#define TIDE_DS_H

#include "core/base.h"
#define STBDS_REALLOC(context, pointer, size) mem_realloc(pointer, size)
#define STBDS_FREE(context, pointer)          mem_free(pointer)
#include <stb_ds.h>

/* What stb_ds calls for a new map and for a new element: as its own functions do, without its global seed. */
void *map_new(size_t element, int mode);
void *map_put(void *map, size_t element, void *key, size_t key_size, int mode);
#undef stbds_shmode_func_wrapper
#define stbds_shmode_func_wrapper(map, element, mode) map_new(element, mode)
#undef stbds_hmput_key_wrapper
#define stbds_hmput_key_wrapper map_put

/* The place of a string key in a map whose elements have `element` bytes, or -1. Writes nothing. */
static inline ptrdiff_t map_find(const void *map, size_t element, const char *key) {
    ptrdiff_t at = -1;
    if (map) stbds_hmget_key_ts((void *)map, element, (void *)key, sizeof key, &at, STBDS_HM_STRING);
    return at;
}

/* Releases a stb_ds array of strings, which are owned. */
void strings_free(char **strings);

#endif
