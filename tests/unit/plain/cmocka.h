/* cmocka.h: replaces the part of cmocka that the tests of core/ and model/ use, on machines without cmocka
   (tests/e2e/neon.sh). The first failed assertion ends the program. */
#ifndef TIDE_PLAIN_CMOCKA_H
#define TIDE_PLAIN_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int (*Fixture)(void **state);

struct CMUnitTest {
    const char *name;
    void (*run)(void **state);
};

#define cmocka_unit_test(f)                                                                                            \
    { #f, f }
#define print_message   printf
#define fail_msg(...)   (printf("%s:%d: ", __FILE__, __LINE__), printf(__VA_ARGS__), puts(""), exit(1))
#define assert_true(c)  ((c) ? (void)0 : fail_msg("not so: %s", #c))
#define assert_false(c) assert_true(!(c))

#define assert_int_equal(a, b)          assert_true((a) == (b))
#define assert_ptr_equal(a, b)          assert_true((a) == (b))
#define assert_null(p)                  assert_true(!(p))
#define assert_non_null(p)              assert_true(p)
#define assert_string_equal(a, b)       assert_true(!strcmp(a, b))
#define assert_in_range(x, low, high)   assert_true((x) >= (low) && (x) <= (high))
#define assert_memory_equal(a, b, size) assert_true(!memcmp(a, b, size))

#define cmocka_run_group_tests_name(name, tests, begin, end)                                                           \
    run_tests(name, tests, sizeof tests / sizeof *tests, begin, end)

static int run_tests(const char *name, const struct CMUnitTest *tests, size_t count, Fixture begin, Fixture end) {
    int failed = begin && begin(NULL);
    for (size_t i = 0; i < count && !failed; i++) tests[i].run(NULL);
    failed = failed || (end && end(NULL));
    printf("%s: %zu tests%s\n", name, count, failed ? ", fixture failed" : " passed");
    return failed;
}

#endif
