#include "text/unicode.h"

#include "io/ds.h"

#include <string.h>
#include <strings.h>
#include <utf8proc.h>

static const utf8proc_option_t NFKC = UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT;
enum { MAX_DECOMPOSITION = 32 }; /* code points from one code point; the maximum in Unicode is 18 (U+FDFA) */

/* The full compatibility decomposition of n bytes, before the marks are put in canonical order: a stb_ds array; NULL
   only if a byte is bad. utf8proc_decompose also orders marks, but in quadratic time. */
static int32_t *decompose(const char *bytes, size_t n, size_t *bad) {
    int32_t *points = NULL;
    arrsetcap(points, n + MAX_DECOMPOSITION);
    for (size_t at = 0; at < n;) {
        int32_t c;
        size_t length = utf8_read(bytes + at, n - at, &c);
        if (length == 0 || c == 0) {
            if (bad) *bad = at;
            arrfree(points);
            return NULL;
        }
        at += length;
        int boundary = 0;
        int32_t *room = arraddnptr(points, MAX_DECOMPOSITION);
        utf8proc_ssize_t written = utf8proc_decompose_char(c, room, MAX_DECOMPOSITION, NFKC, &boundary);
        CHECK(written >= 0 && written <= MAX_DECOMPOSITION, "U+%04X: decomposition of %td", (unsigned)c, written);
        arrsetlen(points, arrlenu(points) - MAX_DECOMPOSITION + (size_t)written); /* without the unused room */
    }
    return points;
}

/* Whether the category of a character is one of those from `first` to `last`: utf8proc lists related ones together. */
static bool is_between(int32_t c, utf8proc_category_t first, utf8proc_category_t last) {
    const utf8proc_category_t category = utf8proc_category(c);
    return category >= first && category <= last;
}

/* Spaces, separators of lines and of paragraphs, and control characters. */
bool is_blank(int32_t c) { return is_between(c, UTF8PROC_CATEGORY_ZS, UTF8PROC_CATEGORY_CC); }

/* Replaces each run of blanks by one space, and removes blanks at both ends. Returns the new length. */
static size_t collapse_blanks(int32_t *points, size_t n) {
    size_t out = 0;
    for (size_t i = 0; i < n; i++) {
        if (!is_blank(points[i])) points[out++] = points[i];
        else if (out > 0 && points[out - 1] != ' ') points[out++] = ' ';
    }
    return out > 0 && points[out - 1] == ' ' ? out - 1 : out;
}

/* The canonical combining class: 0 for a starter. Marks after a starter are ordered by increasing class. */
static int combining_class(int32_t c) { return utf8proc_get_property(c)->combining_class; }

/* Stable counting sort of a run of marks by combining class. */
static void order_run(int32_t *run, size_t n) {
    size_t start[257] = {0};
    for (size_t i = 0; i < n; i++) start[combining_class(run[i]) + 1]++;
    for (size_t class = 1; class < 257; class ++) start[class] += start[class - 1];
    int32_t *ordered = mem_alloc(n * sizeof *ordered);
    for (size_t i = 0; i < n; i++) ordered[start[combining_class(run[i])]++] = run[i];
    memcpy(run, ordered, n * sizeof *run);
    mem_free(ordered);
}

/* Unicode's canonical ordering algorithm. */
static void order_marks(int32_t *points, size_t n) {
    for (size_t i = 0; i < n; i++) {
        size_t begin = i;
        bool ordered = true;
        for (int last = 0, class; i < n && (class = combining_class(points[i])) > 0; last = class, i++)
            if (class < last) ordered = false;
        if (!ordered) order_run(points + begin, i - begin);
    }
}

/* The result of NFKC and of blank removal for a character that always becomes one character, whatever its neighbours
   are: ASCII, the common Han characters and their punctuation; 0 for all others. */
static int32_t plain(int32_t c) {
    if (c < 0x80) return c > ' ' && c < 0x7f ? c : ' ';
    if (c >= 0x4E00 && c <= 0x9FFF) return c;
    if (c >= 0xFF01 && c <= 0xFF5E) return c - 0xFF01 + '!'; /* full-width forms */
    switch (c) {
    case 0x3000: return ' ';
    case 0x2014: /* — */
    case 0x2018: /* ‘ ’ “ ” */
    case 0x2019:
    case 0x201C:
    case 0x201D:
    case 0x3001: /* 、 。 《 》 */
    case 0x3002:
    case 0x300A:
    case 0x300B: return c;
    default: return 0;
    }
}

/* text_normalise for text of such characters only, in one pass, which is many times faster. NULL if there is another
   character, a NUL or a bad byte. Combining marks are not among these characters, so nothing is composed. */
static char *normalise_plain(const char *bytes, size_t n) {
    char *text = mem_alloc(n + 1), *out = text;
    for (size_t at = 0, length; at < n; at += length) {
        int32_t c = (unsigned char)bytes[at];
        length = c > 0 && c < 0x80 ? 1 : utf8_read(bytes + at, n - at, &c);
        if (length == 0 || c == 0 || (c = plain(c)) == 0) {
            mem_free(text);
            return NULL;
        }
        if (c != ' ') out += utf8proc_encode_char(c, (utf8proc_uint8_t *)out);
        else if (out > text && out[-1] != ' ') *out++ = ' ';
    }
    if (out > text && out[-1] == ' ') out--;
    *out = '\0';
    return text;
}

char *text_normalise(const char *bytes, size_t n, size_t *bad) {
    char *text = normalise_plain(bytes, n);
    if (text) return text;
    int32_t *points = decompose(bytes, n, bad);
    if (!points) return NULL;
    size_t length = collapse_blanks(points, arrlenu(points));
    order_marks(points, length);
    /* utf8proc_reencode composes and encodes in place, and writes a NUL at the end */
    arrsetcap(points, length + 1);
    utf8proc_ssize_t size = utf8proc_reencode(points, (utf8proc_ssize_t)length, NFKC);
    CHECK(size >= 0, "utf8proc_reencode: %s", utf8proc_errmsg(size));
    text = mem_strndup((const char *)points, (size_t)size);
    arrfree(points);
    return text;
}

char *text_lower(const char *text) {
    char *lower = mem_alloc(4 * strlen(text) + 1), *end = lower;
    while (*text) end += utf8proc_encode_char(utf8proc_tolower(utf8_next(&text)), (utf8proc_uint8_t *)end);
    *end = '\0';
    return lower;
}

bool is_han(int32_t c) {
    return (c >= 0x4E00 && c <= 0x9FFF)      /* unified ideographs */
           || (c >= 0x3400 && c <= 0x4DBF)   /* extension A */
           || (c >= 0xF900 && c <= 0xFAFF)   /* compatibility ideographs */
           || (c >= 0x20000 && c <= 0x3FFFD) /* planes 2 and 3: only Han */
           || c == 0x3005 || c == 0x3007;    /* 々 and 〇 */
}

bool text_has_han(const char *text) {
    enum { LEAST = 0xE3 }; /* smallest first byte of a Han character in UTF-8; most text has no such byte */
    while (*text) {
        if ((unsigned char)*text < LEAST) text++;
        else if (is_han(utf8_next(&text))) return true;
    }
    return false;
}

bool is_letter(int32_t c) { return is_between(c, UTF8PROC_CATEGORY_LU, UTF8PROC_CATEGORY_LO) && !is_han(c); }

bool is_mark(int32_t c) { return is_between(c, UTF8PROC_CATEGORY_MN, UTF8PROC_CATEGORY_ME); }

bool is_ascii_letter(int32_t c) { return (uint32_t)(c | 32) - 'a' < 26; }

bool is_digit(int32_t c) { return utf8proc_category(c) == UTF8PROC_CATEGORY_ND; }

bool is_inside_run(int32_t before, int32_t after) {
    return is_mark(after) || ((is_letter(before) || is_mark(before)) && is_letter(after)) ||
           (is_digit(before) && is_digit(after));
}

const char *run_end(const char *text) {
    for (;;) {
        const int32_t before = utf8_next(&text);
        const char *next = text;
        if (!*text || !is_inside_run(before, utf8_next(&next))) return text;
    }
}

char *text_capitalised(const char *text) {
    char *copy = mem_alloc(4 + strlen(text) + 1), *end = copy; /* 4: bytes of the longest character */
    if (*text) end += utf8proc_encode_char(utf8proc_totitle(utf8_next(&text)), (utf8proc_uint8_t *)end);
    strcpy(end, text);
    return copy;
}

/* What a mark stands in; only in prose it becomes full-width. placeholder_length would need the end of a placeholder,
   which a stream does not have yet. */
typedef enum Inside { PROSE, BRACES, PROTECTED, TAG, ENTITY, URL } Inside;

/* Whether the word before `at` is the scheme of a URL. */
static bool is_scheme(const char *begin, const char *at) {
    static const char *const schemes[] = {"http", "https", "ftp", "file", "mailto"};
    const char *word = at;
    while (word > begin && is_ascii_letter(word[-1])) word--;
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (strlen(schemes[i]) == (size_t)(at - word) && !strncasecmp(word, schemes[i], (size_t)(at - word)))
            return true;
    return false;
}

/* What the text after the character c stands in; `inside`: what c stands in. c is at `at` in a text that begins at
   `begin`. A placeholder or a URL ends at a blank, and at a character outside ASCII unless it is ⦅…⦆. */
static Inside inside_after(Inside inside, int32_t c, const char *begin, const char *at) {
    enum { PROTECTED_BEGIN = 0x2985, PROTECTED_END = 0x2986 };
    if (is_blank(c) || c == PROTECTED_END) return PROSE;
    if (c == PROTECTED_BEGIN) return PROTECTED;
    if (inside == PROTECTED) return PROTECTED;
    if (c >= 0x80) return PROSE;
    if (inside == URL || (inside == BRACES && c != '}') || (inside == TAG && c != '>')) return inside;
    if (inside == ENTITY && (is_ascii_letter(c) || is_digit(c) || c == '#')) return ENTITY;
    if (c == '<') return is_ascii_letter(at[1]) || at[1] == '/' ? TAG : PROSE;
    if (c == ':') return is_scheme(begin, at) ? URL : PROSE;
    return c == '{' ? BRACES : c == '&' ? ENTITY : PROSE;
}

char *text_full_width(const char *text) {
    enum { FULL_WIDTH = 0xFF01 - '!' }; /* from a character of ASCII to the same one in full width */
    bool han = false, digit = false; /* a Han character stands since the last blank; the character before is a digit */
    Inside inside = PROSE;
    char *copy = mem_alloc(3 * strlen(text) + 1), *end = copy;
    for (const char *at = text; *at;) {
        const bool mark = strchr(digit ? "?!;" : "?!;,:", *at);
        const char *begin = at;
        const int32_t c = utf8_next(&at);
        const Inside after = inside_after(inside, c, text, begin);
        const bool prose = after != URL && (inside == PROSE || (inside == ENTITY && c != ';'));
        end += utf8proc_encode_char(mark && han && prose ? c + FULL_WIDTH : c, (utf8proc_uint8_t *)end);
        han = !is_blank(c) && (han || is_han(c));
        digit = is_digit(c);
        inside = after;
    }
    *end = '\0';
    return copy;
}
