/* test_html.c: the markup and the character references of HTML documents. */
#include "io/ds.h"
#include "io/files.h"
#include "io/utf8.h"
#include "text/html.h"
#include "text/passage.h"
#include "translate/inline_markup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

static void append(char **text, const char *more) {
    for (; *more; more++) arrput(*text, *more);
}

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
        {"&#x82;&#x83;&#x84;&#x86;&#x87;&#x88;&#x89;&#x8a;&#x8b;&#x8c;&#x8e;", "‚ƒ„†‡ˆ‰Š‹ŒŽ"},
        {"&#x91;&#x93;&#x94;&#x95;&#x97;&#x98;&#x99;&#x9a;&#x9b;&#x9c;&#x9e;", "‘“”•— \u0303TMš›œž"},
        {"&#x10FFFF;&#;&#x;&#xg;&#-1;", "\U0010FFFF&#;&#x;&#xg;&#-1;"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Passage passage = passage_split(cases[i][0], true, PASSAGE_HTML);
        assert_int_equal(arrlen(passage.sentences), 1);
        assert_string_equal(passage.sentences[0], cases[i][1]);
        passage_free(&passage);
    }
}

/* A document as one text: between its sentences, which stand in [ ] with their marks in ( ) after the text. */
static char *show(const Passage *passage) {
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    for (ptrdiff_t i = 0; i < arrlen(passage->between); i++) {
        fputs(passage->between[i], out);
        if (i == arrlen(passage->sentences)) break;
        fprintf(out, "[%s", passage->sentences[i]);
        for (ptrdiff_t k = 0; k < arrlen(passage->marks[i]); k++) {
            const Mark *mark = &passage->marks[i][k];
            fprintf(out, "(%zu%s%s%s)", mark->at, mark->partner < 0 ? "" : "*", mark->text, mark->copied ? "!" : "");
            if (mark->partner >= 0) assert_int_equal(passage->marks[i][mark->partner].partner, k);
        }
        fputc(']', out);
    }
    return memory_close(&memory, NULL);
}

static void markup_is_divided(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        /* inline tags do not cut sentences; blocks and <br> do; a line break is a blank */
        {"<p>It is <b>very</b>\ncold.</p>", "<p>[It is very cold.(5*<b>)(10*</b>)]</p>"},
        {"<td>One</td><td>two<br>three</td>", "<td>[One]</td><td>[two]<br>[three]</td>"},
        {"un<i>bend</i>ing", "[unbending(2*<i>)(6*</i>)]"},
        /* tags at the ends stay outside, if their elements have whole sentences */
        {"<b>A bee.</b> <i>C. D</i> <!-- e -->", "<b>[A bee.]</b> <i>[C. D]</i> <!-- e -->"},
        {"<b>It is. She <i>goes.</i></b>", "<b>[It is.] [She goes.(3*<i>)(9*</i>)]</b>"},
        {"<u>It</u> is. <s>She</s> goes.", "[It is.(0*<u>)(2*</u>)] [She goes.(0*<s>)(3*</s>)]"},
        {"A <b>one. Two</b> b.", "[A one.(1<b>)] [Two b.(3</b>)]"},
        {"It <b>is.</b><img> <img><i>She</i> goes.", "[It is.(2*<b>)(6*</b>)]<img> <img>[She goes.(0*<i>)(3*</i>)]"},
        {"<a><img>It</a> is.", "[It is.(0*<a>)(0<img>)(2*</a>)]"},
        /* wrong markup loses nothing */
        {"A <b>b <i>c</b> d</i> e", "[A b c d e(1*<b>)(3<i>)(5*</b>)(7</i>)]"},
        {"A </b>b<b> c", "[A b c(1</b>)(3<b>)]"},
        {"A <b>b<p>c</b> d", "[A b(1<b>)]<p>[c d(1</b>)]"},
        {"a < b <3 <> c &amp", "[a < b <3 <> c &]"},
        {"a <b title='>", "[a] <b title='>"},
        {"a <!-- b", "[a] <!-- b"},
        {"a <script>b", "[a] <script>b"},
        {"a <b", "[a] <b"},
        {"a</", "[a]</"},
        {"a <b>b</b", "[a b(1<b>)]</b"}, /* what follows it would be lost */
        {"A¨b</c", "[A \u0308b]</c"},
        /* where tags, comments and verbatim elements end */
        {"<p title=\"a>b\" x=it's>It's</p>", "<p title=\"a>b\" x=it's>[It's]</p>"},
        {"a<!-->b<!--->c<!-- > -- --!>d", "[abcd(1<!-->)(2<!--->)(3<!-- > -- --!>)]"},
        {"a<!--!> b -->c<!---!> --!>d", "[acd(1<!--!> b -->)(2<!---!> --!>)]"},
        {"<?x '>a</ b>c<!d '>e", "<?x '>[ace(1</ b>)(2<!d '>)]"},
        {"a<SCRIPT>'</p>'</scripty></Script >b", "[ab(1<SCRIPT>'</p>'</scripty></Script >)]"},
        {"<pre> a\n<b>b</b></pre><style>p{}</style>c", "<pre> a\n<b>b</b></pre><style>p{}</style>[c]"},
        {"It<br/>is<img alt='&eacute;' />so", "[It]<br/>[isso(2<img alt='&eacute;' />)]"},
        /* code is in the sentence, but copied; long code stands alone, and so does a sentence of code */
        {"Use <code>a.  B<i>c</i></code> here.", "[Use a. Bc here.(3*<code>a.  B<i>c</i></code>!)(9*)]"},
        {"<code>a</code> <b><code>b</code></b>.",
         "[a b.(0*<code>a</code>!)(1*)(1*<b>)(1*<code>b</code>!)(3*)(3*</b>)]"},
        {"It is. <code>It is.</code> A.", "[It is.] <code>It is.</code> [A.]"},
        {"It is. <code>It is. X</code> A.", "[It is.] [It is. X A.(0*<code>It is. X</code>!)(8*)]"},
        {"It <code>a\nb</code> is", "[It] <code>a\nb</code> [is]"},
        /* blanks and references between sentences stay as they are */
        {"&nbsp;A. &#32;\tB&Tab;c&hairsp;", "&nbsp;[A. B c]&hairsp;"},
        {"It is.&nbsp;<b>So&nbsp;</b>&ensp;is.\n", "[It is.]&nbsp;[So is.(0*<b>)(2*</b>)]\n"},
        /* a letter and its accent, on both sides of a tag, are one character of the sentence */
        {"xe<b>&#x301;y</b> z", "[x\u00e9y z(1*<b>)(4*</b>)]"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        Passage passage = passage_split(cases[i][0], false, PASSAGE_HTML);
        char *text = show(&passage);
        assert_string_equal(text, cases[i][1]);
        mem_free(text);
        passage_free(&passage);
    }
}

/* The seconds of processor time in which a megabyte is divided: `begin`, and then `text` again and again. */
static double seconds_to_divide(PassageFormat format, const char *begin, const char *text) {
    char *whole = NULL;
    append(&whole, begin);
    while (arrlen(whole) < 1 << 20) append(&whole, text);
    arrput(whole, '\0');
    const clock_t start = clock();
    Passage passage = passage_split(whole, false, format);
    const clock_t end = clock();
    char *joined = passage_join(&passage, (const char *const *)passage.sentences, false);
    assert_true(starts_with(joined, begin));
    mem_free(joined);
    arrfree(whole);
    passage_free(&passage);
    return (double)(end - start) / CLOCKS_PER_SEC;
}

/* Hostile input: markup without end must not take quadratic time, which would be more than a hundred times the time
   for markup with an end. */
static void endless_markup_takes_linear_time(void **state) {
    (void)state;
    static const struct {
        PassageFormat format;
        const char *begin, *text;
    } cases[] = {
        {PASSAGE_HTML, "", "<code><!--</code>"},
        {PASSAGE_HTML, "", "<code><script></code>"},
        {PASSAGE_HTML, "", "<code><a x='</code>"},
        {PASSAGE_SUBTITLES, "00:00:01,000 --> 00:00:02,000\n", "<script>\n"},
        {PASSAGE_SUBTITLES, "00:00:01,000 --> 00:00:02,000\n", "<a {\\a "},
    };
    const double usual = seconds_to_divide(PASSAGE_HTML, "", "<code>a</code>") + 0.01;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const double seconds = seconds_to_divide(cases[i].format, cases[i].begin, cases[i].text);
        if (seconds > 20 * usual) fail_msg("%s: %.1f s, not %.2f s", cases[i].text, seconds, usual);
    }
}

/* The pieces of a text with spaces, in which | separates the pieces of a word. */
static char **pieces_of(const char *text) {
    char **pieces = NULL;
    for (const char *end; *text; text = end) {
        const bool space = *text == ' ';
        text += *text == ' ' || *text == '|';
        end = text + strcspn(text, " |");
        char *piece = mem_alloc(strlen(SPACE_MARK) + (size_t)(end - text) + 1);
        sprintf(piece, "%s%.*s", space ? SPACE_MARK : "", (int)(end - text), text);
        arrput(pieces, piece);
    }
    arrput(pieces, mem_strdup("</s>"));
    return pieces;
}

/* The translation of the only sentence of a passage of HTML. source and target: pieces_of; links: "i-j": source piece i
   and target piece j; the others are linked to </s>; NULL: no weights. */
static char *transfer(const char *html, const char *source, const char *target, const char *links) {
    Passage passage = passage_split(html, true, PASSAGE_HTML);
    char **from = pieces_of(source), **to = pieces_of(target);
    const int n = (int)arrlen(from), m = (int)arrlen(to);
    float *weights = mem_zalloc((size_t)(n * m) * sizeof *weights);
    for (const char *at = links; at && *at; at += strspn(at, " ")) {
        char *end;
        const long i = strtol(at, &end, 10), j = strtol(end + 1, (char **)&at, 10);
        weights[j * n + i] = 1;
    }
    for (int j = 0; j < m; j++) {
        float sum = 0;
        for (int i = 0; i < n; i++) sum += weights[j * n + i];
        if (sum == 0) weights[j * n + n - 1] = sum = 1;
        for (int i = 0; i < n; i++) weights[j * n + i] /= sum;
    }
    Alignment alignment = {from, n, to, m, links ? weights : NULL};
    char *text = tokenizer_join(TOKENIZER_BPE, to, m - 1);
    assert_int_equal(arrlen(passage.sentences), 1);
    char *translation = inline_markup_transfer(passage.marks[0], passage.sentences[0], &alignment, text);
    char *joined = passage_join(&passage, (const char *const *)&translation, true);
    mem_free(text);
    mem_free(translation);
    mem_free(weights);
    strings_free(from);
    strings_free(to);
    passage_free(&passage);
    return joined;
}

static void tags_follow_the_alignment(void **state) {
    (void)state;
    static const char source[] = "潮|水|退|了|,|我|走|。", target[] = "I leave when the tide ebb|s|.",
                      links[] = "5-0 6-1 0-3 1-4 2-5 3-6 7-7";
    static const char *const cases[][3] = {
        {"潮水退了,我走。", "I leave when the tide ebbs.", links},
        {"<b>潮水</b>退了,我走。", "I leave when <b>the tide</b> ebbs.", links},
        {"<p>潮水<a href='x>y'>退</a>了,<i>我走</i>。</p>",
         "<p><i>I leave</i> when the tide <a href='x>y'>ebbs</a>.</p>", links},
        {"<b>潮<i>水</i>退了</b>,我走。", "I leave when <b>the <i>tide</i> ebbs</b>.", links},
        {"<b>潮水退了,我走。</b>", "<b>I leave when the tide ebbs.</b>", links},
        {"<b><i><u>潮水</u></i></b>退了,我走。", "I leave when <b><i><u>the tide</u></i></b> ebbs.", links},
        /* a tag that has no partner in the sentence, and tags without text */
        {"潮水退了,<b>我走。", "I leave when the tide ebbs<b>.", links},
        {"潮水</i>退了,我走。", "I leave when the tide</i> ebbs.", "0-0 0-1 0-2 0-3 1-4 2-5 3-6 7-7"},
        {"潮水<b>退了,我走。", "I leave when the tide <b>ebbs.", "0-0 0-1 0-2 0-3 1-4 2-5 3-6 7-7"},
        {"潮水<a><img></a><!-- 退 -->退了,我走。", "I leave when the tide <a><img></a><!-- 退 -->ebbs.",
         "0-0 0-1 0-2 0-3 1-4 2-5 3-6 7-7"},
        /* words that are not one run: the longest run; a word without links still has a word */
        {"<b>潮水</b>退了,我走。", "<b>I leave</b> when the tide ebbs.", "0-0 1-1 1-5 2-2 2-3 2-4 5-6"},
        {"潮水退<b>了</b>,我走。", "<b>I</b> leave when the tide ebbs.", ""},
        {"<b>潮</b><i>水</i><u>退</u><s>了</s>,我走。", "<b>I</b> <i>leave</i> <u>when</u> <s>the</s> tide ebbs.", ""},
        /* without weights, words are in the same order */
        {"<b>潮水</b>退了,我走。", "<b>I leave</b> when the tide ebbs.", NULL},
        /* copied text replaces its translation, or is added */
        {"潮水<code>退&amp;</code>了,我走。", "I leave when the tide <code>退&amp;</code>.", links},
        {"潮水<code>退</code>了,我走。", "I leave <code>退</code> when the tide ebbs.", "0-0 1-1 3-2 3-3 3-4 5-5 5-6"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *html = transfer(cases[i][0], source, target, cases[i][2]);
        assert_string_equal(html, cases[i][1]);
        mem_free(html);
    }
    char *html = transfer("<b>&lt;p&gt;</b> &copy;", "<p>| ©", "<p>| © & <", NULL);
    assert_string_equal(html, "<b>&lt;p&gt;</b> © &amp; &lt;");
    mem_free(html);
    html = transfer("潮<b>水</b><br>", "潮|水", "", "");
    assert_string_equal(html, "<b></b><br>");
    mem_free(html);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_decoded_as_the_standard_says),
        cmocka_unit_test(markup_is_divided),
        cmocka_unit_test(endless_markup_takes_linear_time),
        cmocka_unit_test(tags_follow_the_alignment),
    };
    return cmocka_run_group_tests_name("html", tests, NULL, NULL);
}
