#include "text/sentences.h"

#include "io/ds.h"
#include "text/unicode.h"

#include <string.h>
#include <utf8proc.h>

/* The length in bytes of the run of sentence marks at text; 0 if there is none. The marks are in_chinese or
   in_english. *ellipsis: the run contains "..". */
static size_t marks_length(const char *text, bool chinese, bool *ellipsis) {
    static const char *const in_chinese[] = {"。", "!", "?", NULL}, *const in_english[] = {".", "!", "?", NULL};
    size_t length = 0;
    *ellipsis = false;
    for (size_t n; (n = starts_with_any(text + length, chinese ? in_chinese : in_english)) > 0; length += n)
        if (length > 0 && text[length] == '.' && text[length - 1] == '.') *ellipsis = true;
    return length;
}

/* Whether the word before `end` is an abbreviation, so that a full stop after it does not end a sentence. */
static bool is_abbreviated(const char *text, const char *end) {
    static const char *const words[] = {"Mr",  "Mrs", "Ms",  "Dr", "St", "Prof",   "Gen", "Capt", "Lt", "Sgt", "Col",
                                        "Rev", "Hon", "Jr",  "Sr", "Mt", "No",     "Vol", "Fig",  "vs", "etc", "e.g",
                                        "i.e", "a.m", "p.m", "cf", "al", "approx", "Inc", "Ltd",  "Co", NULL};
    enum { LONGEST = 8 }; /* limit of the search in bytes: more than the longest abbreviation */
    const char *begin = end;
    while (begin > text && end - begin < LONGEST && begin[-1] != ' ' && begin[-1] != '(' && begin[-1] != '"') begin--;
    size_t length = (size_t)(end - begin);
    if (length == 1) return true; /* an initial, or the number of a list */
    for (const char *const *word = words; *word; word++)
        if (length == strlen(*word) && starts_with(begin, *word)) return true;
    return false;
}

/* Whether an English sentence may begin at text. */
static bool begins_english(const char *text) {
    static const char *const opening[] = {"“", "‘", "\"", "'", "(", "[", NULL};
    if (starts_with_any(text, opening)) return true;
    utf8proc_category_t category = utf8proc_category(utf8_next(&text));
    return category == UTF8PROC_CATEGORY_LU || category == UTF8PROC_CATEGORY_ND;
}

/* The end of the sentence with its marks at `at`, after closing quotes; NULL if it does not end there. A straight quote
   closes only if one is open (`quoted`). */
static const char *end_of_sentence(const char *text, const char *at, bool chinese, bool quoted) {
    static const char *const closing[] = {"”", "’", "」", "』", "》", "】", ")", "]", "\"", "'", NULL};
    bool ellipsis;
    size_t marks = marks_length(at, chinese, &ellipsis);
    if (marks == 0 || ellipsis || (marks == 1 && *at == '.' && is_abbreviated(text, at))) return NULL;
    const char *end = at + marks;
    for (size_t n; (n = starts_with_any(end, closing)) > 0 && (*end != '"' || quoted); end += n)
        if (*end == '"') quoted = false;
    if (!*end || chinese) return end;
    return *end == ' ' && begins_english(end + 1) ? end : NULL;
}

/* Appends the text from begin to end without spaces at its ends. */
static void add(char ***sentences, const char *begin, const char *end) {
    if (end > begin && *begin == ' ') begin++;
    if (end > begin && end[-1] == ' ') end--;
    if (end > begin) arrput(*sentences, mem_strndup(begin, (size_t)(end - begin)));
}

char **sentences_split(const char *text, bool chinese) {
    char **sentences = NULL;
    const char *begin = text, *at = text;
    bool quoted = false, ellipsis;
    while (*at) {
        const char *end = end_of_sentence(begin, at, chinese, quoted);
        size_t marks = end ? 0 : marks_length(at, chinese, &ellipsis);
        if (end) {
            add(&sentences, begin, end);
            begin = at = end;
            quoted = false;
        } else {
            if (*at == '"') quoted = !quoted;
            at += marks ? marks : utf8_length(at);
        }
    }
    add(&sentences, begin, at);
    return sentences;
}
