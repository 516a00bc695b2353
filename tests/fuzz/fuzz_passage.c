/* Fuzz target: splits text, HTML and subtitles into sentences. If each translation is the sentence itself, the joined
   text differs only by spaces between sentences. */
#include "fuzz.h"
#include "text/passage.h"
#include "text/entity.h"

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

static void passage_check(const char *text, bool chinese, PassageFormat format) {
    Passage passage = passage_split(text, chinese, format);
    const ptrdiff_t n = arrlen(passage.sentences);
    CHECK(arrlen(passage.between) == n + 1, "%td sentences, %td texts between", n, arrlen(passage.between));
    for (ptrdiff_t i = 0; i < n; i++) {
        char *normal = text_normalise(passage.sentences[i], strlen(passage.sentences[i]), NULL);
        CHECK(*passage.sentences[i] && normal, "an empty sentence");
        mem_free(normal);
    }
    char *joined = passage_join(&passage, (const char *const *)passage.sentences, false);
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
