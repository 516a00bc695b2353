/* Fuzz target: splits text, HTML and subtitles into sentences. If each translation is the sentence itself, the joined
   text differs only by spaces between sentences; the HTML of other translations has all tags. */
#include "fuzz.h"
#include "text/html.h"
#include "text/passage.h"
#include "translate/inline_markup.h"

/* Checks that the joined subtitles have the times of the text. */
static void lines_check(const char *text, const char *joined) {
    Err err;
    size_t before = 0, after = 0;
    for (const char *at = text; (at = strstr(at, "-->")); at++) before++;
    for (const char *at = joined; (at = strstr(at, "-->")); at++) after++;
    CHECK(before == after, "%zu times became %zu", before, after);
    if (subtitles_check(text, &err)) CHECK(err.line > 0 && err.reason[0], "no reason");
}

/* Removes the spaces of a text. */
static char *without_spaces(char *text) {
    char *to = text;
    for (const char *at = text; *at; at++)
        if (*at != ' ') *to++ = *at;
    *to = '\0';
    return text;
}

/* Checks that a text is another one with at most `most` additional spaces. */
static void spaces_check(const char *fewer, const char *more, ptrdiff_t most) {
    const char *at = fewer;
    ptrdiff_t added = 0;
    for (const char *c = more; *c; c++)
        if (*c == *at) at++;
        else CHECK(*c == ' ' && ++added <= most, "'%s' became '%s', with %td sentences", fewer, more, most + 1);
    CHECK(!*at, "'%s' is not a part of '%s'", at, more);
}

/* Compares the two ways of joining with the plain text, each normalised. */
static void text_check(const char *text, const char *joined, const char *spaced, ptrdiff_t sentences) {
    const ptrdiff_t most = sentences ? sentences - 1 : 0;
    char *before = text_normalise(text, strlen(text), NULL), *without = text_normalise(joined, strlen(joined), NULL);
    char *with = text_normalise(spaced, strlen(spaced), NULL);
    CHECK(before && without && with, "the joined text is not UTF-8");
    spaces_check(without, before, most);
    spaces_check(before, with, most);
    mem_free(before);
    mem_free(without);
    mem_free(with);
}

/* The markup of a document. Its translation must have the same. */
typedef struct Tags {
    uint64_t sum; /* of the hashes of all */
    long count;
    int wrong; /* end tags that do not end the last open tag, and start tags without end */
} Tags;

static Tags tags_of(const char *html) {
    Tags tags = {0};
    Markup *open = NULL;
    while (*html) {
        const Markup markup = markup_at(html);
        uint64_t hash = 1;
        if (!markup.end) {
            html++;
            continue;
        }
        if (markup.kind == MARKUP_START) arrput(open, markup);
        if (markup.kind == MARKUP_END) {
            const Markup none = {0}, start = arrlen(open) ? arrpop(open) : none;
            tags.wrong += !markup_same_name(&start, &markup);
        }
        for (; html < markup.end; html++) hash = hash * 31 + (uint8_t)*html;
        tags.sum += hash * hash;
        tags.count++;
    }
    tags.wrong += (int)arrlen(open);
    arrfree(open);
    return tags;
}

/* Translates each sentence into its characters in reverse order, with weights that depend on `seed`, and checks that
   no tag is lost, and that well nested tags stay so. */
static void html_check(const char *text, const Passage *passage, unsigned seed) {
    char **translations = NULL;
    for (ptrdiff_t i = 0; i < arrlen(passage->sentences); i++) {
        const char *sentence = passage->sentences[i];
        char **source = NULL, **target = NULL;
        for (const char *at = sentence, *next = at; *at; at = next) {
            utf8_next(&next);
            char *piece = *at == ' ' ? mem_strdup(SPACE_MARK) : mem_strndup(at, (size_t)(next - at));
            arrput(source, piece);
        }
        for (ptrdiff_t k = arrlen(source); k--;) arrput(target, source[k]);
        const int n = (int)arrlen(source);
        float *weights = n < 200 ? mem_zalloc((size_t)(n * n) * sizeof *weights) : NULL;
        for (int k = 0; weights && k < n; k++) {
            seed = seed * 1103515245 + 12345;
            weights[(size_t)(k * n) + (seed >> 16) % (unsigned)n] = 1;
        }
        char *words = tokenizer_join(TOKENIZER_BPE, target, n);
        arrput(translations,
               inline_markup_transfer(passage->marks[i], sentence, &(Alignment){source, n, target, n, weights}, words));
        mem_free(words);
        mem_free(weights);
        arrfree(target);
        strings_free(source);
    }
    char *html = passage_join(passage, (const char *const *)translations, seed % 2);
    const Tags before = tags_of(text), after = tags_of(html);
    CHECK(before.sum == after.sum && before.count == after.count, "a tag is lost: '%s' became '%s'", text, html);
    CHECK(before.wrong || !after.wrong, "tags are not nested: '%s' became '%s'", text, html);
    mem_free(html);
    strings_free(translations);
}

static void passage_check(const char *text, bool chinese, PassageFormat format) {
    Passage passage = passage_split(text, chinese, format);
    const ptrdiff_t n = arrlen(passage.sentences);
    CHECK(arrlen(passage.between) == n + 1, "%td sentences, %td texts between", n, arrlen(passage.between));
    for (ptrdiff_t i = 0; i < n; i++) {
        char *normal = text_normalise(passage.sentences[i], strlen(passage.sentences[i]), NULL);
        CHECK(*passage.sentences[i] && normal, "an empty sentence");
        CHECK(!strcmp(normal, passage.sentences[i]), "'%s' is not normalised", passage.sentences[i]);
        mem_free(normal);
    }
    char *joined = passage_join(&passage, (const char *const *)passage.sentences, false);
    if (format == PASSAGE_HTML) html_check(text, &passage, (unsigned)n + chinese);
    if (format == PASSAGE_SUBTITLES) lines_check(text, joined);
    char *spaced = passage_join(&passage, (const char *const *)passage.sentences, true);
    if (format == PASSAGE_TEXT) text_check(text, joined, spaced, n);
    CHECK(utf8_valid(joined, strlen(joined)) && utf8_valid(spaced, strlen(spaced)), "the joined text is not UTF-8");
    CHECK(!strcmp(without_spaces(spaced), without_spaces(joined)), "more than spaces: '%s', '%s'", spaced, joined);
    mem_free(joined);
    mem_free(spaced);
    passage_free(&passage);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = bytes_text(data, size);
    if (utf8_valid(text, strlen(text)))
        for (int i = 0; i < 6; i++) passage_check(text, i % 2, (PassageFormat)(i / 2));
    mem_free(text);
    return 0;
}
