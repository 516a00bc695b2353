#include "core/arena.h"
#include "core/base.h"

#include <string.h>

enum { ALIGN = 64, CHUNK = 1 << 22 };

struct ArenaChunk {
    ArenaChunk *next;
    size_t size, used; /* in bytes, without this header */
    char pad[ALIGN - 2 * sizeof(size_t) - sizeof(void *)];
};

static ArenaChunk *chunk_new(size_t size) {
    ArenaChunk *chunk = mem_alloc_aligned(sizeof *chunk + size);
    *chunk = (ArenaChunk){.size = size};
    return chunk;
}

void *arena_alloc(Arena *arena, size_t bytes) {
    size_t need = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    CHECK(need >= bytes, "arena_alloc: %zu bytes", bytes);
    while (arena->current && arena->current->size - arena->current->used < need && arena->current->next) {
        arena->current = arena->current->next;
        arena->current->used = 0;
    }
    if (!arena->current || arena->current->size - arena->current->used < need) {
        ArenaChunk *chunk = chunk_new(need > CHUNK - sizeof(ArenaChunk) ? need : CHUNK - sizeof(ArenaChunk));
        if (arena->current) arena->current->next = chunk;
        else arena->first = chunk;
        arena->current = chunk;
    }
    void *memory = (char *)(arena->current + 1) + arena->current->used;
    arena->current->used += need;
    arena->total += need;
    return memory;
}

void *arena_zalloc(Arena *arena, size_t bytes) { return memset(arena_alloc(arena, bytes), 0, bytes); }

ArenaMark arena_mark(const Arena *arena) {
    return (ArenaMark){arena->current, arena->current ? arena->current->used : 0};
}

void arena_rewind(Arena *arena, ArenaMark mark) {
    arena->current = mark.chunk ? mark.chunk : arena->first;
    if (arena->current) arena->current->used = mark.used;
}

void arena_reset(Arena *arena) {
    if (arena->first && arena->first->next) {
        size_t size = arena_capacity(arena);
        arena_free(arena);
        arena->first = chunk_new(size + size / 8);
    }
    arena_rewind(arena, (ArenaMark){0});
    arena->total = 0;
}

void arena_free(Arena *arena) {
    for (ArenaChunk *chunk = arena->first, *next; chunk; chunk = next) {
        next = chunk->next;
        mem_free(chunk);
    }
    *arena = (Arena){0};
}

void arena_reserve(Arena *arena, size_t bytes) {
    CHECK(arena_used(arena) == 0, "arena_reserve: %zu bytes are in use", arena_used(arena));
    if (arena->first && arena->first->size >= bytes) return;
    arena_free(arena);
    arena->first = arena->current = chunk_new(bytes);
}

size_t arena_used(const Arena *arena) {
    size_t used = 0;
    for (const ArenaChunk *chunk = arena->first; chunk; chunk = chunk == arena->current ? NULL : chunk->next)
        used += chunk->used;
    return used;
}

size_t arena_total(const Arena *arena) { return arena->total; }

size_t arena_capacity(const Arena *arena) {
    size_t size = 0;
    for (const ArenaChunk *chunk = arena->first; chunk; chunk = chunk->next) size += chunk->size;
    return size;
}
