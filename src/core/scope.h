/* scope.h: lets a call fail with an error when memory is refused, instead of ending the program. A scope records what a
   thread takes while it runs in the scope: memory, and other resources that are registered. On a failure it releases
   all of it and returns to the entry of the call by longjmp. The library's public functions run in scopes; tide itself
   and the tests of single functions do not.

   Only the thread that runs the scope is in it. So the work that a thread pool runs (threads.h) must not allocate: a
   refused allocation or a failed CHECK in another thread of the pool ends the program. */
#ifndef TIDE_SCOPE_H
#define TIDE_SCOPE_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct Owned Owned;

/* All zero: empty. A scope belongs to one thread at a time. */
typedef struct Scope {
    Owned *table;        /* [slots], a hash table of what the scope owns; NULL: nothing yet */
    size_t slots, count; /* count: blocks and resources that the scope owns */
    jmp_buf entry;       /* where scope_run continues after a failure */
    char *reason;        /* [reason_size], receives the message of a failed CHECK; both are arguments of scope_run */
    size_t reason_size;
} Scope;

typedef enum { SCOPE_DONE, SCOPE_REFUSED, SCOPE_FAILED } ScopeEnd;

/* Calls work(context). Memory that the thread allocates during the call belongs to the scope until it is freed; a later
   run of the same scope may free or grow it. Allocations of other threads do not belong to the scope. A scope may run
   in another one; the memory then belongs to the inner one. Returns
   SCOPE_DONE: work returned. What it did not free stays with the scope.
   SCOPE_REFUSED: an allocation was refused. Everything that the scope owned is released, also from earlier runs.
   SCOPE_FAILED: a CHECK failed. Everything is released, and `reason`, of reason_size bytes, has the message. */
ScopeEnd scope_run(Scope *scope, void (*work)(void *context), void *context, char *reason, size_t reason_size);
/* Releases everything that the scope owns. */
void scope_release(Scope *scope);
/* Gives up ownership: what the scope owned now belongs to the caller, who frees it. */
void scope_forget(Scope *scope);

/* The following functions act on the scope in which the thread runs; without a scope they do nothing. */

/* Gives up ownership of a block of memory, which will outlive the scope. Returns the block. */
void *scope_keep(void *memory);
/* Calls work(context) outside of all scopes: for a change of what outlives the call, which must not stop halfway. A
   refused allocation then ends the program, so take care before that there is memory. */
void scope_outside(void (*work)(void *context), void *context);
/* Registers a resource other than memory: scope_release calls release(resource) before it frees memory. If memory for
   the table is refused, calls release(resource) and ends the scope. `release` must not call the functions of base.h
   that allocate or free memory. */
void scope_own(void *resource, void (*release)(void *resource));
/* Takes back a registration, before the resource is released in the ordinary way. */
void scope_disown(void *resource, void (*release)(void *resource));

/* For base.c. scope_add adds a block; returns 0, or -1 if memory for the table is refused. scope_remove removes a block
   that is about to be freed; returns whether the scope owned it. scope_refuse and scope_fail end the run of the scope
   with SCOPE_REFUSED or SCOPE_FAILED; without a scope they return. */
int scope_add(void *memory);
bool scope_remove(void *memory);
void scope_refuse(void);
void scope_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
