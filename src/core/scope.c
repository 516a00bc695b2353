#include "core/scope.h"
#include "core/system.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* A resource, or a block of memory if release is NULL. The key of the table is the pair. */
struct Owned {
    void *resource; /* NULL: a free slot */
    void (*release)(void *resource);
};

static _Thread_local Scope *current;

/* ---- the table: open addressing with linear probing ------------------------------------------------------------ */

static size_t home_of(const Scope *scope, const void *resource) {
    return (size_t)(((uintptr_t)resource >> 4) * 0x9E3779B97F4A7C15u >> 20) & (scope->slots - 1);
}

static size_t next_slot(const Scope *scope, size_t slot) { return (slot + 1) & (scope->slots - 1); }

/* The slot of this resource, or the free slot where it would be inserted. The table must have a free slot. */
/* cppcheck-suppress constParameter ; a pointer to a function */
static size_t slot_of(const Scope *scope, const void *resource, void (*release)(void *)) {
    size_t slot = home_of(scope, resource);
    while (scope->table[slot].resource &&
           (scope->table[slot].resource != resource || scope->table[slot].release != release))
        slot = next_slot(scope, slot);
    return slot;
}

/* Doubles the table if it is half full. Returns 0, or -1 if memory is refused. */
static int grow(Scope *scope) {
    if (scope->count * 2 < scope->slots) return 0;
    Scope larger = {.slots = scope->slots ? scope->slots * 2 : 256};
    larger.table = calloc(larger.slots, sizeof *larger.table);
    if (!larger.table) return -1;
    for (size_t i = 0; i < scope->slots; i++) {
        const Owned *owned = &scope->table[i];
        if (owned->resource) larger.table[slot_of(&larger, owned->resource, owned->release)] = *owned;
    }
    free(scope->table);
    scope->table = larger.table;
    scope->slots = larger.slots;
    return 0;
}

static int add(Scope *scope, Owned owned) {
    if (grow(scope)) return -1;
    scope->table[slot_of(scope, owned.resource, owned.release)] = owned;
    scope->count++;
    return 0;
}

/* Empties a slot and moves later entries of its run forward, so that none is cut off from its home. */
static void empty(Scope *scope, size_t slot) {
    for (size_t later = next_slot(scope, slot); scope->table[later].resource; later = next_slot(scope, later)) {
        const size_t mask = scope->slots - 1, home = home_of(scope, scope->table[later].resource);
        if (((later - home) & mask) < ((later - slot) & mask)) continue;
        scope->table[slot] = scope->table[later];
        slot = later;
    }
    scope->table[slot] = (Owned){0};
    scope->count--;
}

/* Removes an entry of the current scope. Returns whether there was one. */
static bool drop(void *resource, void (*release)(void *)) {
    if (!current || !current->count || !resource) return false;
    const size_t slot = slot_of(current, resource, release);
    if (!current->table[slot].resource) return false;
    empty(current, slot);
    return true;
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

/* The jump skips nothing but frames of tide: no callback of a library allocates memory with mem_alloc. */
ScopeEnd scope_run(Scope *scope, void (*work)(void *context), void *context, char *reason, size_t reason_size) {
    Scope *const outer = current; /* a callback of the host may call the library */
    scope->reason = reason;
    scope->reason_size = reason_size;
    const int end = setjmp(scope->entry); /* NOLINT(cert-err52-cpp): the frames that are skipped own nothing */
    if (end == SCOPE_DONE) {
        current = scope;
        work(context);
    }
    current = outer;
    if (end != SCOPE_DONE) scope_release(scope);
    return (ScopeEnd)end;
}

void scope_outside(void (*work)(void *context), void *context) {
    Scope *const inside = current;
    current = NULL;
    work(context);
    current = inside;
}

void scope_forget(Scope *scope) {
    free(scope->table);
    *scope = (Scope){0};
}

void scope_release(Scope *scope) {
    for (size_t i = 0; i < scope->slots; i++) {
        const Owned *owned = &scope->table[i];
        if (owned->resource && owned->release) owned->release(owned->resource);
    }
    for (size_t i = 0; i < scope->slots; i++) {
        const Owned *owned = &scope->table[i];
        if (owned->resource && !owned->release) system_free(owned->resource);
    }
    scope_forget(scope);
}

void *scope_keep(void *memory) {
    drop(memory, NULL);
    return memory;
}

void scope_own(void *resource, void (*release)(void *)) {
    if (!current || !add(current, (Owned){resource, release})) return;
    release(resource);
    scope_refuse();
}

void scope_disown(void *resource, void (*release)(void *)) { drop(resource, release); }

int scope_add(void *memory) { return current ? add(current, (Owned){memory, NULL}) : 0; }
bool scope_remove(void *memory) { return drop(memory, NULL); }

void scope_refuse(void) {
    if (current) longjmp(current->entry, SCOPE_REFUSED); /* NOLINT(cert-err52-cpp) */
}

void scope_fail(const char *format, ...) {
    if (!current) return;
    va_list args;
    va_start(args, format);
    vsnprintf(current->reason, current->reason_size, format, args);
    va_end(args);
    longjmp(current->entry, SCOPE_FAILED); /* NOLINT(cert-err52-cpp) */
}
