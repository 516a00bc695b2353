/* Tests core/scope: a scope owns what its thread takes, and releases it when memory is refused. */
#include "core/base.h"
#include "core/scope.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { BLOCKS = 1000 };

/* A host's pointers to what the works below take. */
typedef struct Taken {
    void *block[BLOCKS];
    int closed; /* how often the resource was closed */
    int step;   /* of the works that run more than once */
    void *kept;
} Taken;

static void close_it(void *resource) { ++*(int *)resource; }

static void take_many(void *context) {
    Taken *t = context;
    for (int i = 0; i < BLOCKS; i++) t->block[i] = i % 3 ? mem_alloc((size_t)i) : mem_alloc_aligned((size_t)i);
    for (int i = 0; i < BLOCKS; i += 2) mem_free(t->block[i]);
    for (int i = 1; i < BLOCKS; i += 4) t->block[i] = mem_realloc(t->block[i], (size_t)i * 100);
}

/* A sanitizer reports what a scope does not release, or releases twice. */
static void owns_what_is_not_freed(void **state) {
    (void)state;
    static Taken t;
    Scope scope = {0};
    char reason[64];
    assert_int_equal(scope_run(&scope, take_many, &t, reason, sizeof reason), SCOPE_DONE);
    assert_int_equal(scope.count, BLOCKS / 2);
    scope_release(&scope);
    assert_int_equal(scope.count, 0);
    assert_null(scope.table);
}

static void free_and_refuse(void *context) {
    Taken *t = context;
    scope_own(&t->closed, close_it);
    for (int i = 1; i < BLOCKS; i += 4) mem_free(t->block[i]);
    mem_fail_nth(3);
    for (int i = 0;; i++) t->block[i % BLOCKS] = mem_zalloc(10);
}

/* A refused allocation in a later run releases the blocks of all runs. */
static void releases_everything_when_memory_is_refused(void **state) {
    (void)state;
    static Taken t;
    Scope scope = {0};
    char reason[64];
    assert_int_equal(scope_run(&scope, take_many, &t, reason, sizeof reason), SCOPE_DONE);
    assert_int_equal(scope_run(&scope, free_and_refuse, &t, reason, sizeof reason), SCOPE_REFUSED);
    assert_int_equal(scope.count, 0);
    assert_int_equal(t.closed, 1);
    mem_fail_nth(0);
}

static void keep_one(void *context) {
    Taken *t = context;
    t->kept = scope_keep(strcpy(mem_alloc(5), "kept"));
    scope_own(&t->closed, close_it);
    scope_disown(&t->closed, close_it);
    mem_alloc(7);
    CHECK(t->step, "step %d", t->step);
}

static void keeps_what_outlives_it(void **state) {
    (void)state;
    Taken t = {.step = 0};
    Scope scope = {0};
    char reason[64];
    assert_int_equal(scope_run(&scope, keep_one, &t, reason, sizeof reason), SCOPE_FAILED);
    assert_non_null(strstr(reason, "test_scope.c"));
    assert_non_null(strstr(reason, "step 0"));
    assert_string_equal(t.kept, "kept");
    assert_int_equal(t.closed, 0);
    mem_free(t.kept);
    t.step = 1;
    assert_int_equal(scope_run(&scope, keep_one, &t, reason, sizeof reason), SCOPE_DONE);
    assert_int_equal(scope.count, 1);
    scope_release(&scope);
    mem_free(t.kept);
}

/* A block of the host, which no scope owns, stays with the host when it grows in a scope. */
static void grow_the_hosts(void *context) {
    Taken *t = context;
    t->kept = mem_realloc(t->kept, 100000);
    memset(t->kept, 1, 100000);
    mem_fail_nth(1);
    assert_null(mem_try_realloc(t->kept, 200000));
    t->block[0] = mem_alloc(1);
    mem_fail_nth(1);
    assert_null(mem_try_realloc(t->block[0], 200000)); /* the block is still owned */
    mem_fail_nth(0);
}

static void leaves_blocks_of_others_alone(void **state) {
    (void)state;
    Taken t = {.kept = mem_alloc(10)};
    Scope scope = {0};
    assert_int_equal(scope_run(&scope, grow_the_hosts, &t, NULL, 0), SCOPE_DONE);
    assert_int_equal(scope.count, 1);
    scope_release(&scope);
    memset(t.kept, 2, 100000);
    mem_free(t.kept);
}

static void take_inside(void *context) {
    Taken *t = context;
    mem_alloc(3);
    mem_fail_nth(1);
    t->block[0] = mem_alloc(4);
}

static void take_around(void *context) {
    Taken *t = context;
    Scope inner = {0};
    t->kept = mem_alloc(8);
    assert_int_equal(scope_run(&inner, take_inside, t, NULL, 0), SCOPE_REFUSED);
    mem_fail_nth(0);
    t->block[1] = mem_alloc(9); /* belongs to the outer scope again */
}

static void one_scope_may_run_in_another(void **state) {
    (void)state;
    Taken t = {.closed = 0};
    Scope outer = {0};
    assert_int_equal(scope_run(&outer, take_around, &t, NULL, 0), SCOPE_DONE);
    assert_int_equal(outer.count, 2);
    scope_forget(&outer);
    mem_free(t.kept);
    mem_free(t.block[1]);
}

static void does_nothing_without_a_scope(void **state) {
    (void)state;
    int closed = 0;
    scope_own(&closed, close_it);
    scope_disown(&closed, close_it);
    scope_refuse();
    scope_fail("nothing %d", 1);
    void *block = mem_alloc(1);
    assert_ptr_equal(scope_keep(block), block);
    mem_free(block);
    assert_int_equal(closed, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(owns_what_is_not_freed),       cmocka_unit_test(releases_everything_when_memory_is_refused),
        cmocka_unit_test(keeps_what_outlives_it),       cmocka_unit_test(leaves_blocks_of_others_alone),
        cmocka_unit_test(one_scope_may_run_in_another), cmocka_unit_test(does_nothing_without_a_scope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
