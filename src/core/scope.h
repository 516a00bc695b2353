/* scope.h: lets a call fail with an error when memory is refused, instead of ending the program. A scope records what a
   thread takes while it runs in the scope: memory, and other resources that are registered. On a failure it releases
   all of it and returns to the entry of the call (SQLite and Lua do the same). The library's public functions run in
   scopes; tide itself and the tests of single functions do not. */
#ifndef TIDE_SCOPE_H
#define TIDE_SCOPE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Owned Owned;

/* All zero: empty. A scope belongs to one thread at a time. */
typedef struct Scope {
    Owned *table; /* hash table of what the scope owns; NULL: nothing yet */
    size_t slots, count;
    jmp_buf entry; /* of the run */
    char *reason;  /* of a failed assertion; set by scope_run */
    size_t reason_size;
} Scope;

typedef enum { SCOPE_DONE, SCOPE_REFUSED, SCOPE_FAILED } ScopeEnd;

/* Calls work(context). Memory that the thread allocates meanwhile belongs to the scope until it is freed, so a later
   run of the same scope may free or grow it. Returns SCOPE_DONE: work returned. What it did not free stays with the
   scope. SCOPE_REFUSED: an allocation was refused. Everything that the scope owned is released, also from earlier runs.
   SCOPE_FAILED: a CHECK failed; the same, and `reason`, of reason_size bytes, has its message.
   Allocations of other threads, for example those of a thread pool, do not belong to the scope. A scope may
   run in another one; the memory belongs to the inner one. */
ScopeEnd scope_run(Scope *scope, void (*work)(void *context), void *context, char *reason, size_t reason_size);
/* Releases everything that the scope owns. */
void scope_release(Scope *scope);
/* Gives up ownership: what the scope owned now belongs to the caller, who frees it. */
void scope_forget(Scope *scope);

/* The following functions act on the scope in which the thread runs; without a scope they do nothing. */

/* Gives up ownership of a block of memory, which will outlive the scope. Returns the block. */
void *scope_keep(void *memory);
/* Registers a resource other than memory: if the scope is released, it calls release(resource), before it frees memory.
   `release` must not free or allocate memory with mem_free and the like. */
void scope_own(void *resource, void (*release)(void *resource));
void scope_disown(void *resource, void (*release)(void *resource));

/* For base.c. scope_add adds a block; returns 0, or -1 if memory for the table is refused. scope_remove removes a block
   that is about to be freed; returns whether the scope owned it. scope_refuse and scope_fail end the
   scope; without a scope they return. */
int scope_add(void *memory);
bool scope_remove(void *memory);
void scope_refuse(void);
void scope_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
