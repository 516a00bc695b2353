#include "text/html.h"

#include "text/unicode.h"

#include <string.h>
#include <strings.h>

#define BLANKS " \t\n\r\f"

/* The position after the first >; NULL: there is none. */
static const char *bracket_end(const char *text) {
    const char *bracket = strchr(text, '>');
    return bracket ? bracket + 1 : NULL;
}

/* The end of the comment that begins at text; NULL: there is none. The dashes of <!-- may also belong to -->, so <!-->
   is a comment, but they may not belong to --!>. */
static const char *comment_end(const char *text) {
    const char *const content = text + strlen("<!--");
    for (const char *at = text + 2; (at = strstr(at, "--")); at++) {
        const char *end = at + 2 + (at >= content && at[2] == '!');
        if (*end == '>') return end + 1;
    }
    return NULL;
}

/* The end of the tag with attributes from `text` on; NULL: there is none. A > in a quoted value does not end it; a
   quotation mark begins a value only after an equals sign. */
static const char *tag_end(const char *text) {
    enum { NAMES, BEFORE_VALUE, VALUE } state = NAMES;
    for (; *text && *text != '>'; text++) {
        const char c = *text;
        if (strchr(BLANKS, c)) {
            if (state == VALUE) state = NAMES;
        } else if (state == NAMES) {
            if (c == '=') state = BEFORE_VALUE;
        } else if (state == BEFORE_VALUE && (c == '"' || c == '\'')) {
            const char *quote = strchr(text + 1, c);
            if (!quote) return NULL;
            text = quote;
            state = NAMES;
        } else {
            state = VALUE;
        }
    }
    return *text ? text + 1 : NULL;
}

/* Whether a tag has one of these names. */
static bool named(const Markup *tag, const char *const *names) {
    for (; *names; names++)
        if (strlen(*names) == tag->length && !strncasecmp(tag->name, *names, tag->length)) return true;
    return false;
}

/* The end tag of an element whose content has no other tags; NULL: there is none. */
static const char *content_end(const Markup *tag) {
    for (const char *text = tag->end; (text = strstr(text, "</")); text += 2) {
        const char *name = text + 2;
        if (!strncasecmp(name, tag->name, tag->length) && strchr(BLANKS "/>", name[tag->length])) return text;
    }
    return NULL;
}

/* A whole element whose content is not for translation. */
static Markup verbatim(Markup tag) {
    static const char *const unseen[] = {"script", "style", NULL};
    enum { COPIED_MOST = 100 }; /* bytes of code in a sentence; more code stands alone */
    tag.content = tag.end;
    tag.content_end = content_end(&tag);
    tag.end = tag.content_end ? tag_end(tag.content_end) : NULL;
    if (!tag.end) return tag;
    const size_t n = (size_t)(tag.content_end - tag.content);
    const bool word = named(&tag, (const char *const[]){"code", NULL}) && n <= COPIED_MOST;
    if (word && !memchr(tag.content, '\n', n)) tag.kind = MARKUP_COPIED;
    else tag.kind = named(&tag, unseen) ? MARKUP_SINGLE : MARKUP_BREAK;
    return tag;
}

/* The markup that begins at text. If the text has no end of this markup, the field `end` is NULL. */
static Markup complete_markup(const char *text) {
    static const char *const inline_names[] = {
        "a",     "abbr", "acronym", "b",      "bdi", "bdo",   "big",  "cite", "data", "del", "dfn",
        "em",    "font", "i",       "ins",    "kbd", "label", "mark", "nobr", "q",    "s",   "samp",
        "small", "span", "strike",  "strong", "sub", "sup",   "time", "tt",   "u",    "var", NULL};
    static const char *const single_names[] = {"img", "wbr", NULL};
    static const char *const verbatim_names[] = {"script", "style",  "pre",     "code",     "textarea",
                                                 "xmp",    "iframe", "noembed", "noframes", NULL};
    if (starts_with(text, "<!--")) return (Markup){.end = comment_end(text), .kind = MARKUP_SINGLE};
    const bool closes = text[1] == '/';
    Markup tag = {.kind = MARKUP_BREAK, .name = text + 1 + closes};
    if (!is_ascii_letter(*tag.name)) return (Markup){.end = bracket_end(text), .kind = MARKUP_SINGLE};
    tag.length = strcspn(tag.name, BLANKS "/>");
    tag.end = tag_end(tag.name + tag.length);
    if (!tag.end) return tag;
    if (!closes && named(&tag, verbatim_names)) return verbatim(tag);
    if (named(&tag, inline_names)) tag.kind = closes ? MARKUP_END : MARKUP_START;
    if (named(&tag, single_names)) tag.kind = MARKUP_SINGLE;
    if (tag.kind == MARKUP_START && starts_with(tag.end - 2, "/>")) tag.kind = MARKUP_SINGLE;
    return tag;
}

bool markup_begins(const char *text) {
    return *text == '<' && (is_ascii_letter(text[1]) || text[1] == '/' || text[1] == '!' || text[1] == '?');
}

Markup markup_at(const char *text) {
    if (!markup_begins(text)) return (Markup){0};
    const Markup markup = complete_markup(text);
    return markup.end ? markup : (Markup){.end = text + strlen(text), .kind = MARKUP_BREAK};
}

bool markup_same_name(const Markup *a, const Markup *b) {
    return a->length == b->length && !strncasecmp(a->name, b->name, a->length);
}
