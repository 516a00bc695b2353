/* ds.h: stb_ds.h's growing arrays and hash maps on tide's own allocator. Include this, never <stb_ds.h>.

   stb_ds notes a found place in the map itself, so shget, hmgeti and the like write even when they only look
   up. Where a map must be read by many threads, use map_find for string keys and hmgeti_ts (on a copy of the
   pointer) for others. */
#ifndef TIDE_DS_H
#define TIDE_DS_H

#include "core/base.h"
#define STBDS_REALLOC(context, pointer, size) mem_realloc(pointer, size)
#define STBDS_FREE(context, pointer)          mem_free(pointer)
#include <stb_ds.h>

/* The place of a string key in a map whose elements have `element` bytes, or -1. Writes nothing. */
static inline ptrdiff_t map_find(const void *map, size_t element, const char *key) {
    ptrdiff_t at = -1;
    if (map) stbds_hmget_key_ts((void *)map, element, (void *)key, sizeof key, &at, STBDS_HM_STRING);
    return at;
}

#endif
