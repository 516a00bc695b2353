#include "corpus/correction_check.h"

#include "text/codes.h"
#include "text/unicode.h"

#include <string.h>

const char *correction_trim(const char *text, size_t *n) {
    const char *begin = NULL, *end = text;
    while (*text) {
        const char *at = text;
        if (is_blank(utf8_next(&text))) continue;
        if (!begin) begin = at;
        end = text;
    }
    *n = begin ? (size_t)(end - begin) : 0;
    return begin ? begin : end;
}

static int check_code(const char *code, Err *err) {
    enum { LONGEST = 35 }; /* RFC 5646, section 4.4.1 */
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const size_t n = strnlen(code, LONGEST + 1);
    if (n > 0 && n <= LONGEST && strspn(code, allowed) == n) return 0;
    return err_set(err, NULL, 0, "a code of a language has 1 to %d letters, digits and -", LONGEST);
}

/* Whether a character is a control character, or one that separates lines or paragraphs. */
static bool breaks_line(int32_t c) { return c < ' ' || (c >= 0x7F && c <= 0x9F) || c == 0x2028 || c == 0x2029; }

static int check_text(const char *text, const char *name, bool may_be_blank, Err *err) {
    size_t n;
    if (!utf8_valid(text, strlen(text))) return err_set(err, NULL, 0, "the %s is not valid UTF-8", name);
    text = correction_trim(text, &n);
    if (n == 0 && !may_be_blank) return err_set(err, NULL, 0, "the %s is empty", name);
    const char *const end = text + n;
    for (int count = 0; text < end; count++) {
        const int32_t c = utf8_next(&text);
        if (count == CORRECTION_CHARACTERS)
            return err_set(err, NULL, 0, "the %s has more than %d characters", name, CORRECTION_CHARACTERS);
        if (c != '\t' && breaks_line(c))
            return err_set(err, NULL, 0, "the %s has a line break or a control character (U+%04X)", name, (unsigned)c);
    }
    return 0;
}

/* How many characters of a kind a text has. */
typedef struct Script {
    int han, kana, letters, latin; /* letters: all but Han, with kana and latin */
    int width;                     /* about as many letters as a translation into English would have */
} Script;

static Script count_script(const char *text) {
    enum { HAN_WIDTH = 3 };
    Script s = {0};
    while (*text) {
        const int32_t c = utf8_next(&text);
        s.han += is_han(c);
        s.kana += c >= 0x3040 && c <= 0x30FF;
        s.letters += is_letter(c);
        s.latin += is_ascii_letter(c);
        s.width += is_han(c) ? HAN_WIDTH : 1;
    }
    return s;
}

/* Whether a text has no Han character, and all its words stand in the source: names, code. */
static bool copies_words(const char *text, const char *source) {
    for (const char *end; *text; text = end) {
        const char *at = text;
        const int32_t c = utf8_next(&at);
        end = run_end(text);
        if (is_han(c) || (is_letter(c) && !memmem(source, strlen(source), text, (size_t)(end - text)))) return false;
    }
    return true;
}

/* Whether a text cannot be one of the target language. */
static bool wrong_script(const Script *s, const char *lang) {
    if (chinese_language(lang)) return s->letters && !s->han;
    if (unspaced_language(lang)) return s->letters && !s->han && !s->kana;
    if (han_language(lang)) return false;
    return s->han > s->letters || (english_language(lang) && s->letters && !s->latin);
}

/* Checks the normalised texts. */
static int check_pair(const char *source, const char *correction, const char *lang, Err *err) {
    enum { MOST_RATIO = 4, GRACE = 20 };
    const Script s = count_script(source), t = count_script(correction);
    if (!strcmp(source, correction)) return err_set(err, NULL, 0, "the correction is the source");
    if (wrong_script(&t, lang) && !copies_words(correction, source))
        return err_set(err, NULL, 0, "the correction is not in the language \"%s\"", lang);
    if (t.width > MOST_RATIO * s.width + GRACE || s.width > MOST_RATIO * t.width + GRACE)
        return err_set(err, NULL, 0, "the correction is too %s to be a translation of the source",
                       t.width > s.width ? "long" : "short");
    return 0;
}

int correction_check(const Correction *c, Err *err) {
    if (c->time && !correction_time_valid(c->time))
        return err_set(err, NULL, 0, "the time is not as in \"2026-11-29T12:00:00Z\"");
    if (check_code(c->langs[0], err) || check_code(c->langs[1], err) ||
        check_text(c->model, "name of the model", true, err) || check_text(c->source, "source", false, err) ||
        check_text(c->correction, "correction", false, err) ||
        (c->translation && check_text(c->translation, "translation", true, err)))
        return -1;
    char *source = text_normalise(c->source, strlen(c->source), NULL);
    char *correction = text_normalise(c->correction, strlen(c->correction), NULL);
    const int status = check_pair(source, correction, c->langs[1], err);
    mem_free(source);
    mem_free(correction);
    return status;
}
