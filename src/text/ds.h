/* ds.h: stb_ds.h's growing arrays and hash maps on tide's own allocator. Include this, never <stb_ds.h>. */
#ifndef TIDE_DS_H
#define TIDE_DS_H

#include "core/base.h"
#define STBDS_REALLOC(context, pointer, size) mem_realloc(pointer, size)
#define STBDS_FREE(context, pointer) mem_free(pointer)
#include <stb_ds.h>

#endif
