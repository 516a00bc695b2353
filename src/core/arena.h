/* arena.h: memory that is given back all at once. Values, gradients and records of one batch live here. */
#ifndef TIDE_ARENA_H
#define TIDE_ARENA_H

#include <stddef.h>

typedef struct ArenaChunk ArenaChunk;

/* Grows by chunks and keeps them: once an arena has seen its largest batch it calls the allocator no more. */
typedef struct Arena {
    ArenaChunk *first, *current;
} Arena;

/* A moment to which the arena can be taken back. */
typedef struct ArenaMark {
    ArenaChunk *chunk;
    size_t used;
} ArenaMark;

/* bytes of memory, 64-byte aligned, undefined content, valid until the arena is reset or rewound past it. */
void *arena_alloc(Arena *arena, size_t bytes);
void *arena_zalloc(Arena *arena, size_t bytes);

ArenaMark arena_mark(const Arena *arena);
void arena_rewind(Arena *arena, ArenaMark mark);
/* Gives back everything. Where more than one chunk was needed they become one, so that the next batch of
   this size fits without a seam. */
void arena_reset(Arena *arena);
void arena_free(Arena *arena);
/* Makes room for so many bytes, all in one piece. The arena must be reset. */
void arena_reserve(Arena *arena, size_t bytes);
/* Bytes given out, and bytes held from the allocator. */
size_t arena_used(const Arena *arena);
size_t arena_capacity(const Arena *arena);

#endif
