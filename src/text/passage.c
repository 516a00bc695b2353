#include "text/passage.h"

#include "io/ds.h"
#include "io/files.h"
#include "text/entity.h"
#include "text/html.h"
#include "text/sentences.h"
#include "text/unicode.h"

/* What a paragraph has beside its words: blanks and markup. */
typedef enum ItemKind { BLANKS, START, END, SINGLE, COPIED } ItemKind;
typedef struct Item {
    ItemKind kind;
    const char *text; /* in the passage */
    size_t length;
    size_t at;          /* the byte of the paragraph before which it stands; in an unfinished word: of the word */
    ptrdiff_t partner;  /* the item of the other tag of the element; -1: none */
    ptrdiff_t place;    /* 2i: between sentences i - 1 and i; 2i + 1: in sentence i */
    ptrdiff_t sentence; /* the sentence of which the item becomes a mark; -1: it is kept between sentences */
    ptrdiff_t mark;     /* the number of this mark in its sentence */
} Item;

/* A sentence: bytes of the paragraph. */
typedef struct Range {
    size_t begin, end;
} Range;

/* A start tag, and its item. */
typedef struct OpenTag {
    Markup tag;
    ptrdiff_t item;
} OpenTag;

/* The passage while it is built. */
typedef struct Builder {
    Passage *passage;
    bool chinese;
    char *kept;       /* a stb_ds array: what follows the last sentence so far */
    char *paragraph;  /* a stb_ds array: normalised words, joined by single spaces */
    char *word;       /* a stb_ds array: the word that follows, not normalised */
    Item *items;      /* a stb_ds array */
    ptrdiff_t inside; /* the first item that stands in the word */
    OpenTag *open;    /* a stb_ds array: start tags that have no end yet */
    bool copies;      /* the content of a copied element is being added: its tags and blanks become no items */
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

/* ---- paragraphs ------------------------------------------------------------------------------------------------ */

static void add_item(Builder *b, ItemKind kind, const char *text, size_t n) {
    const size_t at = arrlenu(b->word) ? arrlenu(b->word) : arrlenu(b->paragraph);
    if (!b->copies) arrput(b->items, ((Item){.kind = kind, .text = text, .length = n, .at = at, .partner = -1}));
}

/* n bytes of text, normalised; the caller owns them. */
static char *normalised(const char *text, size_t n) {
    char *normal = text_normalise(text, n, NULL);
    CHECK(normal, "a word that is not UTF-8");
    return normal;
}

/* Sets the places of the items in the word, whose normalised form begins at `begin` of the paragraph. A character may
   be normalised together with one on the other side of a tag; so the places are approximate, but within the word. */
static void place_in_word(Builder *b, size_t begin) {
    size_t from = 0, to = begin;
    for (; b->inside < arrlen(b->items); b->inside++) {
        Item *item = &b->items[b->inside];
        if (item->at > from) {
            char *part = normalised(b->word + from, item->at - from);
            to += strlen(part);
            mem_free(part);
            from = item->at;
        }
        const bool end = from == arrlenu(b->word) || to > arrlenu(b->paragraph);
        item->at = end ? arrlenu(b->paragraph) : to;
        while (item->at > begin && item->at < arrlenu(b->paragraph) && (b->paragraph[item->at] & 0xC0) == 0x80)
            item->at--;
    }
}

static void end_word(Builder *b) {
    if (!arrlen(b->word)) return;
    char *normal = normalised(b->word, arrlenu(b->word));
    if (arrlen(b->paragraph)) arrput(b->paragraph, ' ');
    const size_t begin = arrlenu(b->paragraph);
    append(&b->paragraph, normal, strlen(normal));
    place_in_word(b, begin);
    mem_free(normal);
    arrfree(b->word);
}

/* Adds a part of a word. */
static void add_part(Builder *b, const char *text, size_t n) {
    if (!arrlen(b->word)) b->inside = arrlen(b->items);
    append(&b->word, text, n);
}

/* Returns whether a sentence ends inside a copied element. Sets *contains to whether a copied element contains the
   whole sentence. Reads the items from number *item on, and sets *item to the first one to read for the next sentence.
 */
static bool in_copied(const Builder *b, Range sentence, ptrdiff_t *item, bool *contains) {
    *contains = false;
    for (; *item < arrlen(b->items); ++*item) {
        const Item *copied = &b->items[*item];
        if (copied->kind != COPIED) continue;
        const size_t begin = copied->at, end = b->items[copied->partner].at;
        if (begin >= sentence.end) return false;
        *contains = *contains || (begin <= sentence.begin && end >= sentence.end);
        if (end > sentence.end) return true;
    }
    return false;
}

/* The sentences of the paragraph: a stb_ds array. No sentence ends inside a copied element. Text that is nothing but a
   copied element is no sentence. */
static Range *find_sentences(const Builder *b) {
    Range *ranges = NULL;
    size_t at = 0, begin = 0;
    ptrdiff_t item = 0;
    bool joins = false, contains;
    char **sentences = sentences_split(b->paragraph, b->chinese);
    for (ptrdiff_t i = 0; i < arrlen(sentences); i++) {
        at += b->paragraph[at] == ' ';
        CHECK(starts_with(b->paragraph + at, sentences[i]), "sentence %td is not in its paragraph", i);
        if (!joins) begin = at;
        at += strlen(sentences[i]);
        const Range range = {begin, at};
        joins = in_copied(b, range, &item, &contains);
        if (joins ? i + 1 == arrlen(sentences) : !contains) arrput(ranges, range);
    }
    strings_free(sentences);
    return ranges;
}

/* The sentence that has both tags of an element and also text outside of it; -1: none. */
static ptrdiff_t sentence_of(const Builder *b, const Item *start) {
    const ptrdiff_t end = b->items[start->partner].place, i = start->place / 2;
    return end == 2 * i + 1 || (end == 2 * i + 2 && start->place == 2 * i + 1) ? i : -1;
}

/* Divides the items first..end-1, which stand between sentences i - 1 and i. Those up to the last end of an element of
   sentence i - 1 become its marks. Those from the first start of an element of sentence i on become marks of sentence
   i. Those in the middle are kept. */
static void divide_items(Builder *b, ptrdiff_t first, ptrdiff_t end, ptrdiff_t i) {
    ptrdiff_t before = first, after = end;
    for (ptrdiff_t k = first; k < end; k++) {
        const Item *item = &b->items[k];
        if (i && item->kind == END && item->partner >= 0 && sentence_of(b, &b->items[item->partner]) == i - 1)
            before = k + 1;
    }
    for (ptrdiff_t k = end; k-- > before;) {
        const Item *item = &b->items[k];
        if (item->partner > k && sentence_of(b, item) == i) after = k;
    }
    for (ptrdiff_t k = first; k < end; k++) {
        Item *item = &b->items[k];
        if (item->kind != BLANKS) item->sentence = k < before ? i - 1 : k < after ? -1 : i;
    }
}

/* Fills place and sentence of all items. */
static void place_items(Builder *b, const Range *ranges) {
    ptrdiff_t i = 0;
    for (ptrdiff_t k = 0; k < arrlen(b->items); k++) {
        Item *item = &b->items[k];
        while (i < arrlen(ranges) && item->at >= ranges[i].end) i++;
        item->place = 2 * i + (i < arrlen(ranges) && item->at > ranges[i].begin);
        item->sentence = item->kind == BLANKS ? -1 : i;
    }
    for (ptrdiff_t first = 0, end; first < arrlen(b->items); first = end) {
        for (end = first + 1; end < arrlen(b->items) && b->items[end].place == b->items[first].place;) end++;
        if (b->items[first].place % 2 == 0) divide_items(b, first, end, b->items[first].place / 2);
    }
}

/* Adds an item to the marks of a sentence. */
static void add_mark(Builder *b, Item *item, Mark **marks, Range range) {
    const size_t at = item->at < range.begin ? range.begin : item->at < range.end ? item->at : range.end;
    Mark mark = {.text = mem_strndup(item->text, item->length),
                 .at = at - range.begin,
                 .partner = -1,
                 .end = item->kind == END,
                 .copied = item->kind == COPIED};
    item->mark = arrlen(*marks);
    if (mark.end && item->partner >= 0 && b->items[item->partner].sentence == item->sentence) {
        mark.partner = b->items[item->partner].mark;
        (*marks)[mark.partner].partner = item->mark; /* NOLINT(clang-analyzer-core.NullDereference): it has the start */
    }
    arrput(*marks, mark);
}

/* Keeps the blanks and the markup between the sentences. */
static void keep_items(Builder *b, const Range *ranges) {
    const ptrdiff_t n = arrlen(ranges);
    for (ptrdiff_t i = 0, k = 0; i <= n; i++) {
        bool blank = !i || i == n || b->paragraph[ranges[i - 1].end] != ' ';
        for (; k < arrlen(b->items) && b->items[k].place <= 2 * i; k++) {
            const Item *item = &b->items[k];
            if (item->place < 2 * i || item->sentence >= 0) continue;
            keep(b, item->text, item->length);
            blank = blank || item->kind == BLANKS;
        }
        if (!blank) keep(b, " ", 1); /* a word such as ¨ is normalised to a text with a space */
        if (i < n) end_kept(b);
    }
}

/* Adds the sentences of the paragraph with their marks, keeps the rest, and starts a new paragraph. */
static void end_paragraph(Builder *b) {
    end_word(b);
    Range *ranges = NULL;
    if (arrlen(b->paragraph)) {
        arrput(b->paragraph, '\0');
        ranges = find_sentences(b);
    }
    Passage *p = b->passage;
    const ptrdiff_t first = arrlen(p->sentences);
    for (ptrdiff_t i = 0; i < arrlen(ranges); i++) {
        arrput(p->marks, NULL);
        arrput(p->sentences, mem_strndup(b->paragraph + ranges[i].begin, ranges[i].end - ranges[i].begin));
    }
    place_items(b, ranges);
    for (ptrdiff_t k = 0; k < arrlen(b->items); k++) {
        Item *item = &b->items[k];
        if (item->sentence < 0) continue;
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is a sentence */
        add_mark(b, item, &p->marks[first + item->sentence], ranges[item->sentence]);
    }
    keep_items(b, ranges);
    arrfree(ranges);
    arrfree(b->paragraph);
    arrfree(b->items);
    arrfree(b->open);
}

/* ---- plain text ------------------------------------------------------------------------------------------------ */

/* The bytes of the run of blanks at text, or of other characters. */
static size_t run_length(const char *text, const char *end, bool blank) {
    const char *at = text;
    for (const char *next = at; at < end && is_blank(utf8_next(&next)) == blank;) at = next;
    return (size_t)(at - text);
}

/* The bytes of a dash before the words of a speaker; 0: none. */
static size_t dash_length(const char *text) {
    static const char *const dashes[] = {"-", "–", "—", NULL};
    return starts_with_any(text, dashes);
}

/* Whether the blanks before a word end the paragraph. */
static bool breaks(const Builder *b, const char *blanks, size_t n) {
    if (b->passage->format == PASSAGE_HTML || (!memchr(blanks, '\n', n) && !memchr(blanks, '\r', n))) return false;
    return b->passage->format == PASSAGE_TEXT || dash_length(blanks + n);
}

/* Adds blanks. In subtitles, a dash at the beginning of a paragraph is kept with them. */
static size_t add_blanks(Builder *b, const char *text, size_t n) {
    end_word(b);
    if (breaks(b, text, n)) end_paragraph(b);
    if (b->passage->format == PASSAGE_SUBTITLES && !arrlen(b->paragraph))
        for (size_t dash; (dash = dash_length(text + n)); n += dash) {}
    if (n) add_item(b, BLANKS, text, n);
    return n;
}

/* Adds valid UTF-8 without markup and references. */
static void add_text(Builder *b, const char *text, size_t n) {
    for (const char *at = text, *const end = text + n; at < end;) {
        const size_t blanks = run_length(at, end, true);
        if (blanks || !arrlen(b->word)) at += add_blanks(b, at, blanks);
        const size_t word = run_length(at, end, false);
        if (word) add_part(b, at, word);
        at += word;
    }
}

/* ---- HTML ------------------------------------------------------------------------------------------------------ */

/* Adds n bytes of text without markup. The original bytes of blanks are kept. */
static void add_references(Builder *b, const char *text, size_t n) {
    for (const char *const end = text + n; text < end;) {
        char decoded[ENTITY_SIZE];
        const char *first = decoded;
        const size_t length = entity_decode(text, decoded);
        size_t plain = 1;
        if (length && is_blank(utf8_next(&first))) {
            end_word(b);
            add_item(b, BLANKS, text, length);
        } else if (length) {
            add_part(b, decoded, strlen(decoded));
        } else {
            while (text + plain < end && text[plain] != '&') plain++;
            add_text(b, text, plain);
        }
        text += length ? length : plain;
    }
}

/* Adds the tag of an element. An end tag becomes the partner of its start tag; start tags between them have none. */
static void add_tag(Builder *b, const char *text, const Markup *tag) {
    enum { DEEPEST = 100 }; /* so that wrong tags take no quadratic time */
    const ptrdiff_t item = arrlen(b->items), n = arrlen(b->open);
    add_item(b, tag->kind == MARKUP_END ? END : START, text, (size_t)(tag->end - text));
    if (tag->kind == MARKUP_START) {
        arrput(b->open, ((OpenTag){*tag, item}));
        return;
    }
    for (ptrdiff_t k = n; k-- > 0 && k >= n - DEEPEST;) {
        const OpenTag *start = &b->open[k];
        if (!markup_same_name(&start->tag, tag)) continue;
        b->items[item].partner = start->item;
        b->items[start->item].partner = item;
        arrsetlen(b->open, (size_t)k);
        return;
    }
}

/* Adds the text up to the next markup, or to the end. Returns the place where it ends. */
static const char *add_until_markup(Builder *b, const char *text) {
    const char *end = text + 1;
    while (*end && !markup_begins(end)) end++;
    add_references(b, text, (size_t)(end - text));
    return end;
}

/* Adds an element that the translation copies, with the text in it. */
static void add_copied(Builder *b, const char *text, const Markup *element) {
    const ptrdiff_t item = arrlen(b->items);
    char *content = mem_strndup(element->content, (size_t)(element->content_end - element->content));
    add_item(b, COPIED, text, (size_t)(element->end - text));
    b->copies = true;
    for (const char *at = content; *at;) at = markup_begins(at) ? markup_at(at).end : add_until_markup(b, at);
    b->copies = false;
    mem_free(content);
    add_item(b, END, element->end, 0);
    b->items[item].partner = item + 1;
    b->items[item + 1].partner = item;
}

static void add_html(Builder *b, const char *text) {
    for (const char *end; *text; text = end) {
        const Markup markup = markup_at(text);
        end = markup.end;
        if (!end) {
            end = add_until_markup(b, text);
        } else if (markup.kind == MARKUP_BREAK) {
            end_paragraph(b);
            keep(b, text, (size_t)(end - text));
        } else if (markup.kind == MARKUP_COPIED) {
            add_copied(b, text, &markup);
        } else if (markup.kind == MARKUP_SINGLE) {
            add_item(b, SINGLE, text, (size_t)(end - text));
        } else {
            add_tag(b, text, &markup);
        }
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

/* The end of the tag that starts at text: <i>, </i>, <c.red> or {\an8}; NULL if there is none, or if the line or
   another tag begins before its end. */
static const char *subtitle_tag_end(const char *text) {
    if (!markup_begins(text) && !starts_with(text, "{\\")) return NULL;
    const char *end = text + 1 + strcspn(text + 1, *text == '<' ? "<>\n" : "{}\n");
    return *end == '>' || *end == '}' ? end + 1 : NULL;
}

/* Adds the lines of a subtitle, n bytes. Each tag in them ends a sentence. */
static void add_lines(Builder *b, const char *text, size_t n) {
    for (const char *stop = text + n, *end; text < stop; text = end) {
        end = subtitle_tag_end(text);
        if (end) {
            keep(b, text, (size_t)(end - text));
        } else {
            for (end = text + 1; end < stop && !subtitle_tag_end(end);) end++;
            add_text(b, text, (size_t)(end - text));
            end_paragraph(b);
        }
    }
}

static void add_subtitles(Builder *b, const char *text) {
    while (*text) {
        const bool times = has_times(text);
        size_t n = line_length(text), lines = 0;
        keep(b, text, n);
        text += n;
        while (times && !is_blank_line(text + lines)) lines += line_length(text + lines);
        add_lines(b, text, lines);
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
    if (format == PASSAGE_HTML) add_html(&b, text);
    else if (format == PASSAGE_SUBTITLES) add_subtitles(&b, text);
    else add_text(&b, text, strlen(text));
    end_paragraph(&b);
    end_kept(&b);
    arrfree(b.kept);
    return passage;
}

/* The end of the markup that starts at text and does not separate sentences; NULL: none starts there. */
static const char *inline_end(PassageFormat format, const char *text) {
    if (format == PASSAGE_SUBTITLES) return subtitle_tag_end(text);
    const Markup markup = format == PASSAGE_HTML ? markup_at(text) : (Markup){0};
    return markup.kind == MARKUP_BREAK ? NULL : markup.end;
}

/* The kinds of text between two sentences. */
typedef enum Separation {
    NOTHING, /* no text, or only inline markup */
    SPACES,  /* spaces, and perhaps inline markup */
    OTHERS   /* something else, such as a line break or a block of HTML */
} Separation;
static Separation separation(PassageFormat format, const char *text) {
    Separation found = NOTHING;
    for (const char *end; *text; text = end) {
        end = inline_end(format, text);
        if (end) continue;
        if (*text != ' ') return OTHERS;
        found = SPACES;
        end = text + 1;
    }
    return found;
}

/* Writes the text between two sentences. If this text is only spaces and inline markup, its spaces change: if `spaced`
   and there is none, a space is added after the end tags; if not `spaced`, all spaces are left out. */
static void write_separation(FILE *out, PassageFormat format, const char *text, bool spaced) {
    const Separation found = separation(format, text);
    if (found == OTHERS || (spaced && found == SPACES)) {
        fputs(text, out);
        return;
    }
    bool space = spaced;
    for (const char *end; *text; text = end) {
        end = *text == ' ' ? text + 1 : inline_end(format, text);
        if (space && !starts_with(text, "</")) {
            fputc(' ', out);
            space = false;
        }
        if (*text != ' ') fwrite(text, 1, (size_t)(end - text), out);
    }
    if (space) fputc(' ', out);
}

char *passage_join(const Passage *p, const char *const *translations, bool spaced) {
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    const ptrdiff_t n = arrlen(p->between) - 1;
    for (ptrdiff_t i = 0; i <= n; i++) {
        if (i == 0 || i == n) fputs(p->between[i], out);
        else write_separation(out, p->format, p->between[i], spaced);
        if (i < n) fputs(translations[i], out);
    }
    return memory_close(&memory, NULL);
}

void passage_free(Passage *passage) {
    for (ptrdiff_t i = 0; i < arrlen(passage->marks); i++) {
        for (ptrdiff_t k = 0; k < arrlen(passage->marks[i]); k++) mem_free(passage->marks[i][k].text);
        arrfree(passage->marks[i]);
    }
    arrfree(passage->marks);
    strings_free(passage->sentences);
    strings_free(passage->between);
    *passage = (Passage){0};
}
