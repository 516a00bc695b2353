#include "text/lexicon.h"

#include "io/lines.h"
#include "io/ds.h"
#include "io/string_table.h"
#include "text/unicode.h"

#include <stdlib.h>
#include <string.h>

typedef struct Entry {
    char *target; /* owned */
    double probability;
    bool certain; /* the line has no probability */
} Entry;

struct Lexicon {
    StringTable sources;
    Entry *entries; /* stb_ds array: of each source text */
    size_t longest;
};

void lexicon_free(Lexicon *lexicon) {
    if (!lexicon) return;
    for (ptrdiff_t i = 0; i < arrlen(lexicon->entries); i++) mem_free(lexicon->entries[i].target);
    arrfree(lexicon->entries);
    string_table_free(&lexicon->sources);
    mem_free(lexicon);
}

const char *lexicon_find(const Lexicon *lexicon, const char *source, size_t n) {
    const int at = string_table_find(&lexicon->sources, source, n);
    return at < 0 ? NULL : lexicon->entries[at].target;
}

bool lexicon_entry(const Lexicon *lexicon, int i, const char **source, const char **target) {
    if (i >= arrlen(lexicon->entries)) return false;
    *source = lexicon->sources.strings[i];
    *target = lexicon->entries[i].target;
    return true;
}

size_t lexicon_longest(const Lexicon *lexicon) { return lexicon->longest; }

/* Adds an entry with texts that it copies, unless the lexicon has a translation that is at least as probable. */
static int add(void *context, const LexiconEntry *line, Err *err) {
    Lexicon *lexicon = context;
    const size_t length = strlen(line->source);
    const int at = string_table_add(&lexicon->sources, line->source, length);
    if (at == arrlen(lexicon->entries)) arrput(lexicon->entries, ((Entry){.probability = -1}));
    Entry *entry = &lexicon->entries[at];
    if (entry->certain && line->certain)
        return err_set(err, line->path, line->number, "\"%.100s\" has an entry already", line->source);
    if (entry->probability >= line->probability) return 0;
    mem_free(entry->target);
    *entry = (Entry){mem_strdup(line->target), line->probability, line->certain};
    if (length > lexicon->longest) lexicon->longest = length;
    return 0;
}

/* Reads a decimal number from 0 to 1, such as 1, 0.25 or .5, with at most 15 decimals, in any locale. */
static bool parse_probability(const char *text, double *probability) {
    const size_t whole = strspn(text, "0123456789"), dot = text[whole] == '.';
    const char *rest = text + whole + dot;
    const size_t decimals = strspn(rest, "0123456789");
    if (whole > 1 || decimals > 15 || rest[decimals] || whole + decimals == 0) return false;
    double unit = 1;
    for (size_t i = 0; i < decimals; i++) unit *= 10;
    *probability = (double)(whole ? text[0] - '0' : 0) + (double)strtol(decimals ? rest : "0", NULL, 10) / unit;
    return *probability <= 1;
}

static int check(const LexiconEntry *entry, Err *err) {
    const size_t length = strlen(entry->source);
    if (length > LEXICON_SOURCE_BYTES)
        return err_set(err, entry->path, entry->number, "a source text of %zu bytes, where %d are the limit", length,
                       LEXICON_SOURCE_BYTES);
    if (!*entry->source || !*entry->target)
        return err_set(err, entry->path, entry->number, "the %s is empty", *entry->source ? "translation" : "source");
    return 0;
}

/* Passes the entry of a line of valid UTF-8 to the sink. */
static int parse_line(const char *line, const char *path, long number, LexiconSink *sink, void *context, Err *err) {
    const char *tab = strchr(line, '\t'), *second = tab ? strchr(tab + 1, '\t') : NULL;
    LexiconEntry entry = {.probability = 1, .certain = !second, .path = path, .number = number};
    if (!tab && !line[strspn(line, " ")]) return 0;
    if (!tab || (second && strchr(second + 1, '\t')))
        return err_set(err, path, number,
                       "a line must be a source text, one tab and its translation, or with a tab and a probability");
    if (second && !parse_probability(second + 1, &entry.probability))
        return err_set(err, path, number, "the third field is not a probability, from 0 to 1");
    char *source = text_normalise(line, (size_t)(tab - line), NULL),
         *target = text_normalise(tab + 1, second ? (size_t)(second - tab - 1) : strlen(tab + 1), NULL);
    entry.source = source;
    entry.target = target;
    const int failed = check(&entry, err) || sink(context, &entry, err) ? -1 : 0;
    mem_free(source);
    mem_free(target);
    return failed;
}

/* Takes the lines. */
static int each_line(char **lines, const char *path, LexiconSink *sink, void *context, Err *err) {
    int failed = 0;
    for (ptrdiff_t i = 0; !failed && i < arrlen(lines); i++)
        failed = parse_line(lines[i], path, (long)i + 1, sink, context, err);
    strings_free(lines);
    return failed;
}

/* The lines of a text: a stb_ds array. */
static char **lines_of(const char *text) {
    char **lines = NULL;
    while (*text) {
        const size_t n = strcspn(text, "\n");
        arrput(lines, mem_strndup(text, n - (n > 0 && text[n - 1] == '\r')));
        text += n + (text[n] == '\n');
    }
    return lines;
}

int lexicon_each_of(const char *text, LexiconSink *sink, void *context, Err *err) {
    return each_line(lines_of(text), NULL, sink, context, err);
}

int lexicon_each(const char *path, LexiconSink *sink, void *context, Err *err) {
    char **lines = lines_read_raw(path, true, err);
    return lines ? each_line(lines, path, sink, context, err) : -1;
}

/* Takes the lines. */
static Lexicon *of_lines(char **lines, const char *path, Err *err) {
    Lexicon *lexicon = mem_zalloc(sizeof *lexicon);
    if (!each_line(lines, path, add, lexicon, err)) return lexicon;
    lexicon_free(lexicon);
    return NULL;
}

Lexicon *lexicon_read(const char *path, Err *err) {
    char **lines = lines_read_raw(path, true, err);
    return lines ? of_lines(lines, path, err) : NULL;
}

Lexicon *lexicon_parse(const char *text, Err *err) { return of_lines(lines_of(text), NULL, err); }
