#include "text/passage.h"

#include "text/entity.h"
#include "io/ds.h"
#include "io/files.h"
#include "text/sentences.h"
#include "text/unicode.h"

#include <strings.h>

/* A run of blanks of the original text. In the normalised paragraph it is the space at offset `at`. */
typedef struct Gap {
    size_t at;
    const char *blanks;
    size_t length;
} Gap;

/* The passage while it is built. */
typedef struct Builder {
    Passage *passage;
    bool chinese;
    bool joins;      /* a line break that no dash follows does not end a paragraph */
    char *kept;      /* a stb_ds array: what follows the last sentence so far */
    char *paragraph; /* a stb_ds array: normalised words, joined by single spaces */
    Gap *gaps;       /* a stb_ds array: the spaces of the paragraph, in order */
    ptrdiff_t gap;   /* the first gap that may still be needed */
} Builder;

static void append(char **array, const char *bytes, size_t n) {
    if (n) memcpy(arraddnptr(*array, n), bytes, n);
}

static void keep(Builder *b, const char *bytes, size_t n) { append(&b->kept, bytes, n); }

/* Ends the kept text: the next one follows the next sentence. */
static void end_kept(Builder *b) {
    char *text = mem_strndup(b->kept ? b->kept : "", arrlenu(b->kept));
    arrput(b->passage->between, text);
    arrfree(b->kept);
}

/* ---- plain text ------------------------------------------------------------------------------------------------ */

/* Keeps the blanks for which the space at this offset of the paragraph stands. A word such as ¨ is normalised to a text
   with a space that stands for no blanks. */
static void keep_gap(Builder *b, size_t at) {
    while (b->gap < arrlen(b->gaps) && b->gaps[b->gap].at < at) b->gap++;
    if (b->gap < arrlen(b->gaps) && b->gaps[b->gap].at == at) keep(b, b->gaps[b->gap].blanks, b->gaps[b->gap].length);
    else keep(b, " ", 1);
}

/* Adds the sentences of the paragraph, and starts a new one. */
static void end_paragraph(Builder *b) {
    if (!arrlen(b->paragraph)) return;
    arrput(b->paragraph, '\0');
    char **sentences = sentences_split(b->paragraph, b->chinese);
    size_t at = 0;
    for (ptrdiff_t i = 0; i < arrlen(sentences); i++) {
        if (b->paragraph[at] == ' ') keep_gap(b, at++);
        CHECK(starts_with(b->paragraph + at, sentences[i]), "sentence %td is not in its paragraph", i);
        at += strlen(sentences[i]);
        end_kept(b);
        arrput(b->passage->sentences, sentences[i]);
    }
    arrfree(sentences);
    arrfree(b->paragraph);
    arrfree(b->gaps);
    b->gap = 0;
}

/* The bytes of the run of blanks at text, or of other characters. */
static size_t run_length(const char *text, const char *end, bool blank) {
    const char *at = text;
    for (const char *next = at; at < end && is_blank(utf8_next(&next)) == blank;) at = next;
    return (size_t)(at - text);
}

static void add_word(Builder *b, const char *word, size_t n) {
    char *normal = text_normalise(word, n, NULL);
    CHECK(normal, "a word that is not UTF-8");
    append(&b->paragraph, normal, strlen(normal));
    mem_free(normal);
}

/* The bytes of a dash before the words of a speaker; 0: none. */
static size_t dash_length(const char *text) {
    static const char *const dashes[] = {"-", "–", "—", NULL};
    return starts_with_any(text, dashes);
}

/* Whether the blanks before a word end the paragraph. */
static bool breaks(const Builder *b, const char *blanks, size_t n) {
    if (!memchr(blanks, '\n', n) && !memchr(blanks, '\r', n)) return false;
    return !b->joins || dash_length(blanks + n);
}

/* Adds valid UTF-8 that has no tags. Blanks at both ends and line breaks are kept outside of sentences. */
static void add_text(Builder *b, const char *text, size_t n) {
    const char *at = text, *const end = text + n;
    while (at < end) {
        const size_t blanks = run_length(at, end, true), word = run_length(at + blanks, end, false);
        if (breaks(b, at, blanks) || !word) end_paragraph(b);
        const bool first = !arrlen(b->paragraph);
        const size_t dash = b->joins && first ? dash_length(at + blanks) : 0;
        if (first) {
            keep(b, at, blanks + dash);
        } else if (blanks) {
            arrput(b->gaps, ((Gap){arrlenu(b->paragraph), at, blanks}));
            arrput(b->paragraph, ' ');
        }
        if (word && !dash) add_word(b, at + blanks, word);
        at += blanks + (dash ? dash : word);
    }
    end_paragraph(b);
}

/* ---- HTML ------------------------------------------------------------------------------------------------------ */

/* The position after `mark`, or the end of the text. */
static const char *after(const char *text, const char *mark) {
    const char *at = strstr(text, mark);
    return at ? at + strlen(mark) : text + strlen(text);
}

/* The end of the tag that starts at text. A '>' in a quoted value does not end it. */
static const char *tag_end(const char *text) {
    char quote = 0;
    for (; *text; text++) {
        if (quote) quote = *text == quote ? 0 : quote;
        else if (*text == '"' || *text == '\'') quote = *text;
        else if (*text == '>') return text + 1;
    }
    return text;
}

/* The end of the element that starts at text, if its content is not for translation; NULL otherwise. */
static const char *verbatim_end(const char *text) {
    static const char *const names[] = {"script", "style", "pre", "code", "textarea", NULL};
    for (const char *const *name = names; *name; name++) {
        const size_t n = strlen(*name);
        if (strncasecmp(text + 1, *name, n) != 0 || !strchr(" \t\r\n/>", text[n + 1])) continue;
        for (text = tag_end(text); *text; text++)
            if (text[0] == '<' && text[1] == '/' && !strncasecmp(text + 2, *name, n)) break;
        return tag_end(text);
    }
    return NULL;
}

/* Whether a tag, comment or declaration starts at text. */
static bool starts_markup(const char *text) {
    const char c = *text == '<' ? text[1] : '\0';
    return c == '!' || c == '?' || c == '/' || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* The end of the markup that starts at text: a tag, comment, declaration or verbatim element. NULL: none starts there.
 */
static const char *markup_end(const char *text) {
    if (!starts_markup(text)) return NULL;
    if (starts_with(text, "<!--")) return after(text + 4, "-->");
    const char *verbatim = verbatim_end(text);
    return verbatim ? verbatim : tag_end(text);
}

/* n bytes of text without character references; the caller owns it. */
static char *decode(const char *text, size_t n) {
    char *copy = mem_alloc(2 * n + 1), *to = copy; /* some characters are longer than their reference */
    for (const char *const end = text + n; text < end;) {
        char decoded[ENTITY_SIZE];
        const size_t length = entity_decode(text, decoded);
        if (length) to = stpcpy(to, decoded);
        else *to++ = *text;
        text += length ? length : 1;
    }
    *to = '\0';
    return copy;
}

/* The end of the markup that starts at a text; NULL: none starts there. */
typedef const char *MarkupEnd(const char *text);

/* Adds the text up to `stop`, and keeps its markup. The blanks of `decoded` are kept until the paragraph ends, and
   add_text ends the last one. */
static void add_marked(Builder *b, const char *text, const char *stop, MarkupEnd *end_of) {
    while (text < stop) {
        const char *end = end_of(text);
        if (end) {
            keep(b, text, (size_t)(end - text));
        } else {
            for (end = text + 1; end < stop && !end_of(end);) end++;
            const size_t n = (size_t)(end - text);
            char *decoded = b->passage->format == PASSAGE_HTML ? decode(text, n) : mem_strndup(text, n);
            add_text(b, decoded, strlen(decoded));
            mem_free(decoded);
        }
        text = end;
    }
}

/* ---- subtitles ------------------------------------------------------------------------------------------------- */

/* The bytes of the line at text, with its end. */
static size_t line_length(const char *text) {
    const size_t n = strcspn(text, "\n");
    return n + (text[n] == '\n');
}

static bool is_blank_line(const char *line) {
    return line[strspn(line, " \t\r")] == '\n' || !line[strspn(line, " \t\r")];
}

/* The bytes of a time, such as 01:02:03,456 or, in WebVTT, 02:03.456; 0: none. */
static size_t time_length(const char *text) {
    size_t n = 0, parts = 0;
    for (; parts < 3; parts++) {
        const size_t digits = strspn(text + n, "0123456789");
        if (digits < 1 || digits > 4) return 0;
        n += digits;
        if (text[n] != ':') break;
        n++;
    }
    if ((parts != 1 && parts != 2) || (text[n] != ',' && text[n] != '.')) return 0;
    return strspn(text + n + 1, "0123456789") == 3 ? n + 4 : 0;
}

/* Whether a line has the times of a subtitle. */
static bool has_times(const char *line) {
    const char *at = line + strspn(line, " \t");
    const size_t n = time_length(at);
    at += n + strspn(at + n, " \t");
    return n && starts_with(at, "-->") && time_length(at + 3 + strspn(at + 3, " \t"));
}

/* The end of the tag that starts at text and ends in its line: <i>, </i>, <c.red> or {\an8}; NULL: none starts there.
 */
static const char *subtitle_tag_end(const char *text) {
    if (!starts_markup(text) && !starts_with(text, "{\\")) return NULL;
    const char *end = text + strcspn(text, *text == '<' ? ">\n" : "}\n");
    return *end && *end != '\n' ? end + 1 : NULL;
}

static void add_subtitles(Builder *b, const char *text) {
    b->joins = true;
    while (*text) {
        const bool times = has_times(text);
        size_t n = line_length(text), lines = 0;
        keep(b, text, n);
        text += n;
        while (times && !is_blank_line(text + lines)) lines += line_length(text + lines);
        add_marked(b, text, text + lines, subtitle_tag_end);
        text += lines;
    }
}

int subtitles_check(const char *text, Err *err) {
    const bool web = starts_with(text, "WEBVTT") || starts_with(text, "\xef\xbb\xbfWEBVTT");
    long number = 1;
    for (int line = 0; *text; number++) { /* line: of its block, from 1; -1: after the times */
        if (is_blank_line(text)) line = 0;
        else if (line >= 0) line = has_times(text) ? -1 : line + 1;
        if (line == 2 && !web)
            return err_set(err, NULL, number, "a subtitle must have times, such as 00:01:02,345 --> 00:01:05,000");
        text += line_length(text);
    }
    return 0;
}

/* ---------------------------------------------------------------------------------------------------------------- */

Passage passage_split(const char *text, bool chinese, PassageFormat format) {
    Passage passage = {.format = format};
    Builder b = {.passage = &passage, .chinese = chinese};
    static const char mark[] = "\xEF\xBB\xBF"; /* a byte order mark */
    if (starts_with(text, mark)) {
        keep(&b, mark, strlen(mark));
        text += strlen(mark);
    }
    if (format == PASSAGE_HTML) add_marked(&b, text, text + strlen(text), markup_end);
    else if (format == PASSAGE_SUBTITLES) add_subtitles(&b, text);
    else add_text(&b, text, strlen(text));
    end_kept(&b);
    arrfree(b.kept);
    arrfree(b.paragraph);
    arrfree(b.gaps);
    return passage;
}

/* Whether a text has a blank outside of tags. */
static bool has_blank(const char *text, bool html) {
    while (*text) {
        const char *end = html ? markup_end(text) : NULL;
        if (end) text = end;
        else if (is_blank(utf8_next(&text))) return true;
    }
    return false;
}

/* Writes the text before sentence i. If the target needs a space, writes it after a closing tag, or before other text;
   if not, leaves out what is only spaces. */
static void write_between(FILE *out, const Passage *p, ptrdiff_t i, bool spaced) {
    const char *text = p->between[i];
    const bool inner = i > 0 && i < arrlen(p->between) - 1;
    const bool space = spaced && inner && !has_blank(text, p->format == PASSAGE_HTML);
    const bool closing = p->format != PASSAGE_TEXT && starts_with(text, "</");
    if (!spaced && inner && !text[strspn(text, " ")]) text = "";
    if (space && !closing) fputc(' ', out);
    fputs(text, out);
    if (space && closing) fputc(' ', out);
}

char *passage_join(const Passage *p, const char *const *translations, bool spaced) {
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    const ptrdiff_t n = arrlen(p->between) - 1;
    for (ptrdiff_t i = 0; i <= n; i++) {
        write_between(out, p, i, spaced);
        if (i == n) break;
        if (p->format == PASSAGE_HTML) entities_write(out, translations[i], strlen(translations[i]));
        else fputs(translations[i], out);
    }
    return memory_close(&memory, NULL);
}

void passage_free(Passage *passage) {
    strings_free(passage->sentences);
    strings_free(passage->between);
    *passage = (Passage){0};
}
