#include "text/lexicon.h"

#include "text/lines.h"
#include "text/ds.h"
#include "text/unicode.h"

#include <string.h>

/* Limit in bytes for a source text: all spans of a sentence up to the longest source text are looked up. */
enum { MOST_BYTES = 256 };

typedef struct Entry {
    char *key;    /* copied by the map */
    char *target; /* owned */
} Entry;

struct Lexicon {
    Entry *entries; /* stb_ds map */
    size_t longest;
};

void lexicon_free(Lexicon *lexicon) {
    if (!lexicon) return;
    for (ptrdiff_t i = 0; i < shlen(lexicon->entries); i++) mem_free(lexicon->entries[i].target);
    shfree(lexicon->entries);
    mem_free(lexicon);
}

const char *lexicon_find(const Lexicon *lexicon, const char *source) {
    ptrdiff_t at = map_find(lexicon->entries, sizeof *lexicon->entries, source);
    return at < 0 ? NULL : lexicon->entries[at].target;
}

size_t lexicon_longest(const Lexicon *lexicon) { return lexicon->longest; }

/* Takes ownership of target if it returns 0. */
static int add(Lexicon *lexicon, const char *source, char *target, const char *path, long number, Err *err) {
    const size_t length = strlen(source);
    if (length > MOST_BYTES)
        return err_set(err, path, number, "a source text of %zu bytes, where %d are the limit", length, MOST_BYTES);
    if (!*source || !*target) return err_set(err, path, number, "the %s is empty", *source ? "translation" : "source");
    if (lexicon_find(lexicon, source)) return err_set(err, path, number, "\"%.100s\" has an entry already", source);
    Entry entry = {(char *)source, target};
    shputs(lexicon->entries, entry);
    if (length > lexicon->longest) lexicon->longest = length;
    return 0;
}

/* Adds the entry of a line of valid UTF-8. */
static int parse_line(Lexicon *lexicon, const char *line, const char *path, long number, Err *err) {
    const char *tab = strchr(line, '\t');
    if (!tab || strchr(tab + 1, '\t')) {
        if (!line[strspn(line, " ")]) return 0;
        return err_set(err, path, number, "a line must be a source text, one tab and its translation");
    }
    char *source = text_normalise(line, (size_t)(tab - line), NULL);
    char *target = text_normalise(tab + 1, strlen(tab + 1), NULL);
    int failed = add(lexicon, source, target, path, number, err);
    mem_free(source);
    if (failed) mem_free(target);
    return failed;
}

Lexicon *lexicon_read(const char *path, Err *err) {
    char **lines = lines_read_raw(path, err);
    if (!lines) return NULL;
    Lexicon *lexicon = mem_zalloc(sizeof *lexicon);
    sh_new_strdup(lexicon->entries);
    int failed = 0;
    for (ptrdiff_t i = 0; !failed && i < arrlen(lines); i++)
        failed = parse_line(lexicon, lines[i], path, (long)i + 1, err);
    lines_free(lines);
    if (!failed) return lexicon;
    lexicon_free(lexicon);
    return NULL;
}
