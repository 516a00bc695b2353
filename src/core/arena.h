/* arena.h: an allocator that frees all its memory at once. The values, gradients and records of a batch are in one. */
#ifndef TIDE_ARENA_H
#define TIDE_ARENA_H

#include <stddef.h>

typedef struct ArenaChunk ArenaChunk;

/* An arena grows by chunks and keeps them. After its largest batch, it does not allocate from the system again. */
typedef struct Arena {
    ArenaChunk *first, *current;
    size_t total; /* see arena_total */
} Arena;

/* A position in an arena, for arena_rewind. */
typedef struct ArenaMark {
    ArenaChunk *chunk;
    size_t used;
} ArenaMark;

/* Returns `bytes` of memory, 64-byte aligned, valid until the arena is reset, or rewound to an earlier mark. The
   content is undefined, or zero for arena_zalloc. */
void *arena_alloc(Arena *arena, size_t bytes);
void *arena_zalloc(Arena *arena, size_t bytes);

ArenaMark arena_mark(const Arena *arena);
void arena_rewind(Arena *arena, ArenaMark mark);
/* Frees everything. If the arena has several chunks, replaces them by one that is large enough for the next batch of
   this size. */
void arena_reset(Arena *arena);
void arena_free(Arena *arena);
/* Gives an empty arena one chunk of at least `bytes`. */
void arena_reserve(Arena *arena, size_t bytes);
/* The bytes in use; the bytes that were allocated since the last reset, also those before a rewind; the bytes of all
   chunks. */
size_t arena_used(const Arena *arena);
size_t arena_total(const Arena *arena);
size_t arena_capacity(const Arena *arena);

#endif
