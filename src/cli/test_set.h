/* test_set.h: sources with their reference translations, for `tide evaluate` and `tide tune`. */
#ifndef TIDE_TEST_SET_H
#define TIDE_TEST_SET_H

#include "cli/metric.h"
#include "cli/pairs.h"

typedef struct TestSet {
    GivenPairs pairs; /* the sources; text[TARGET] is NULL */
    References references;
    const char *const *paths; /* the files of the references */
} TestSet;

/* Reads --src with --ref; or one file, which has one reference for each source, as given_pairs_of_file does. Checks the
   sources, and warns of texts in another language, as lines_check does. Returns 0, or -1 with *err filled. Release with
   test_set_free, after an error too. */
int test_set_read(TestSet *set, const Args *args, const Translator *translator, int max_length, Err *err);
void test_set_free(TestSet *set);

#endif
