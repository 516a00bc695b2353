/* Fuzz target: reads two files of alignment links, predicted and gold. Checks for each line the alignment error rate,
   the symmetrised links and the printed form. */
#include "fuzz.h"
#include "translate/alignment.h"
#include "aligner/links.h"

#include <stdlib.h>

enum { MOST_WORDS = 64 };

static bool are_near(const Link *links) {
    for (ptrdiff_t i = 0; i < arrlen(links); i++)
        if (links[i].source >= MOST_WORDS || links[i].target >= MOST_WORDS) return false;
    return true;
}

/* Checks that all links of `small` are in `large`. */
static void inside_check(const Link *small, const Link *large) {
    Aer aer = {0};
    aer_add(&aer, small, (int)arrlen(small), large, (int)arrlen(large));
    CHECK(aer.found_possible == aer.found, "%ld of %ld are there", aer.found_possible, aer.found);
}

static void symmetrize_check(const Link *a, const Link *b) {
    Link *sets[3];
    for (int kind = INTERSECTION; kind <= GROW_DIAG_FINAL_AND; kind++) {
        sets[kind] = links_symmetrize((Symmetrization)kind, a, (int)arrlen(a), b, (int)arrlen(b));
        for (ptrdiff_t i = 1; i < arrlen(sets[kind]); i++) {
            const Link *x = &sets[kind][i - 1], *y = &sets[kind][i];
            CHECK(x->target != y->target ? x->target < y->target : x->source < y->source, "links not in order");
        }
    }
    inside_check(sets[INTERSECTION], sets[GROW_DIAG_FINAL_AND]);
    inside_check(sets[GROW_DIAG_FINAL_AND], sets[UNION]);
    inside_check(a, sets[UNION]);
    for (int kind = 0; kind < 3; kind++) arrfree(sets[kind]);
}

/* Checks that printed links are read back as the same links. Sure and possible links are printed alike. */
static void print_check(const Link *links) {
    char *text = NULL;
    size_t size;
    Err err;
    Link *again = NULL;
    FILE *out = open_memstream(&text, &size);
    links_print(out, links, (int)arrlen(links));
    fclose(out);
    CHECK(!links_parse(text, 0, NULL, 0, &again, &err) && arrlen(again) == arrlen(links), "'%s' is read as others",
          text);
    for (ptrdiff_t i = 0; i < arrlen(links); i++)
        CHECK(again[i].source == links[i].source && again[i].target == links[i].target, "'%s' is read as others", text);
    arrfree(again);
    free(text);
}

static void rate_check(const Link *found, const Link *gold) {
    Aer aer = {0};
    aer_add(&aer, found, (int)arrlen(found), gold, (int)arrlen(gold));
    CHECK(aer.found_sure <= aer.found_possible && aer.found_possible <= aer.found && aer.found_sure <= aer.sure &&
              aer.sure <= aer.possible && aer.found <= arrlen(found) && aer.possible <= arrlen(gold),
          "the counts of links contradict each other");
    CHECK(aer_precision(&aer) >= 0 && aer_precision(&aer) <= 1 && aer_recall(&aer) >= 0 && aer_recall(&aer) <= 1 &&
              aer_rate(&aer) >= 0 && aer_rate(&aer) <= 1,
          "an error rate of %g", aer_rate(&aer));
}

static void links_check_line(const char *found, const char *gold, int first) {
    Err err = {0};
    Link *a = NULL, *b = NULL;
    const int failed = links_parse(found, 0, "found", 1, &a, &err) || links_parse(gold, first, "gold", 1, &b, &err);
    CHECK(!failed || err.reason[0], "refused without a reason");
    CHECK(utf8_valid(err.reason, strlen(err.reason)), "'%s' is not UTF-8", err.reason);
    if (!failed) {
        rate_check(a, b);
        rate_check(b, a);
        print_check(a);
        if (are_near(a) && are_near(b)) symmetrize_check(a, b);
    }
    arrfree(a);
    arrfree(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char **lines[2];
    memory_lines(lines, data, size);
    for (ptrdiff_t i = 0; lines[0] && lines[1] && i < arrlen(lines[0]) && i < arrlen(lines[1]); i++)
        for (int first = 0; first < 2; first++) links_check_line(lines[0][i], lines[1][i], first);
    for (int i = 0; i < 2; i++) strings_free(lines[i]);
    return 0;
}
