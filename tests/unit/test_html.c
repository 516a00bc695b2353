/* test_html.c: the markup and the character references of HTML documents. */
#include "io/ds.h"
#include "text/passage.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void references_are_decoded_as_the_standard_says(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"Caf&eacute; &mdash; &NotEqualTilde;!", "Café — \u2242\u0338!"},
        {"&CounterClockwiseContourIntegral;&lt;&AMP;&zwnj;.", "∳<&\u200c."},
        {"&nGt;&nGt;&nGt;", "\u226B\u20D2\u226B\u20D2\u226B\u20D2"}, /* longer than the reference */
        /* old names need no semicolon; the longest counts */
        {"a&ltb &eacutex &AMPx &notit; &notin; &notin", "a<b éx &x ¬it; ∉ ¬in"},
        {"&frac12 &frac123 &sup1;", "1\u20442 1\u204423 1"},
        {"&mdash x &Eacutee &mdas; &; & &x &amp", "&mdash x Ée &mdas; &; & &x &"},
        /* numbers */
        {"&#233;&#xE9;&#Xe9;&#233 &#xe9z&#000000000000233;", "éééé ézé"},
        {"&#0;&#xD800;&#xDFFF;&#x110000;&#99999999999999999999;", "\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD"},
        {"&#x4294967361; &#x100000041;", "\uFFFD \uFFFD"}, /* not A */
        {"&#128;&#x85;&#x92;&#150;&#x9f;", "€...’–Ÿ"},
        {"&#x10FFFF;&#;&#x;&#xg;&#-1;", "\U0010FFFF&#;&#x;&#xg;&#-1;"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Passage passage = passage_split(cases[i][0], true, PASSAGE_HTML);
        char *text = NULL;
        for (ptrdiff_t k = 0; k < arrlen(passage.sentences); k++) {
            if (k && strcmp(passage.between[k], "") != 0) arrput(text, ' ');
            memcpy(arraddnptr(text, strlen(passage.sentences[k])), passage.sentences[k], strlen(passage.sentences[k]));
        }
        arrput(text, '\0');
        assert_string_equal(text, cases[i][1]);
        arrfree(text);
        passage_free(&passage);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_decoded_as_the_standard_says),
    };
    return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
