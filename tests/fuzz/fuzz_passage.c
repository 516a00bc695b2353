/* Fuzz target: splits text, HTML and subtitles into sentences. If each translation is the sentence itself, the joined
   text has the same words; plain text that is normalised already comes back unchanged. */
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
    char *before = text_normalise(text, strlen(text), NULL), *after = text_normalise(joined, strlen(joined), NULL);
    CHECK(before && after, "the joined text is not UTF-8");
    if (format == PASSAGE_TEXT)
        CHECK(!strcmp(without_spaces(before), without_spaces(after)), "'%s' came back as '%s'", before, after);
    CHECK(!strcmp(without_spaces(spaced), without_spaces(joined)), "more than spaces: '%s', '%s'", spaced, joined);
    mem_free(before);
    mem_free(after);
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
