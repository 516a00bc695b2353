#include "text/pinyin.h"

#include "io/ds.h"
#include "io/files.h"
#include "io/lines.h"
#include "io/string_table.h"
#include "text/unicode.h"

#include <ctype.h>
#include <string.h>

/* An entry of a word. */
typedef struct Entry {
    int syllables; /* the number of their string, such as "chuán tǒng"; "" for what is no syllable */
    int next;      /* the next entry of the word; -1: none */
} Entry;

struct Pinyin {
    StringTable words, syllables;
    Entry *entries;    /* stb_ds array */
    int *first, *last; /* stb_ds arrays: of each word, its first and last entry */
    size_t longest;    /* bytes of the longest word */
};

void pinyin_free(Pinyin *pinyin) {
    if (!pinyin) return;
    string_table_free(&pinyin->words);
    string_table_free(&pinyin->syllables);
    arrfree(pinyin->entries);
    arrfree(pinyin->first);
    arrfree(pinyin->last);
    mem_free(pinyin);
}

/* ---- reading a dictionary -------------------------------------------------------------------------------------- */

/* A part of a line. */
typedef struct Span {
    const char *text;
    size_t size;
} Span;

/* The number of characters in a valid text. */
static size_t count_characters(Span span) {
    size_t n = 0;
    for (size_t at = 0; at < span.size; at++) n += ((unsigned char)span.text[at] & 0xC0) != 0x80;
    return n;
}

static size_t count_syllables(Span span) {
    size_t n = span.size > 0;
    for (size_t at = 0; at < span.size; at++) n += span.text[at] == ' ';
    return n;
}

enum { SYLLABLE_LETTERS = 8 };

/* Reads a syllable such as "lu:4" as its letters in lower case, with v for ü, and its tone, 1 to 5. Returns 0 for text
   that is no syllable, such as a letter or a punctuation mark, and for "xx5", an unknown reading. */
static int parse_syllable(const char *text, char letters[SYLLABLE_LETTERS]) {
    size_t n = 0;
    for (; n + 1 < SYLLABLE_LETTERS && is_ascii_letter(*text); text++) {
        letters[n++] = (char)tolower(*text);
        if (letters[n - 1] == 'u' && text[1] == ':') letters[n - 1] = 'v', text++;
    }
    letters[n] = '\0';
    const bool ends = *text >= '1' && *text <= '5' && strchr(" ]", text[1]);
    return n && ends && strcmp(letters, "xx") != 0 ? *text - '0' : 0;
}

/* The index of the letter with the mark of the tone: a or e, the o of ou, or the last vowel; the first letter if there
   is no vowel. */
static size_t marked_letter(const char *letters) {
    const size_t first = strcspn(letters, "ae");
    const char *ou = strstr(letters, "ou");
    if (letters[first]) return first;
    if (ou) return (size_t)(ou - letters);
    for (size_t at = strlen(letters); at > 0; at--)
        if (strchr("iouv", letters[at - 1])) return at - 1;
    return 0;
}

/* The reading of a syllable with the mark of its tone; the caller owns it. "" for other text. */
static char *spell_syllable(const char *text) {
    static const char *const marks[] = {"", "\u0304", "\u0301", "\u030c", "\u0300", ""};
    char letters[SYLLABLE_LETTERS], spelled[4 * SYLLABLE_LETTERS] = "";
    const int tone = parse_syllable(text, letters);
    const size_t marked = marked_letter(letters);
    for (size_t i = 0; tone && letters[i]; i++) {
        if (letters[i] == 'v') strcat(spelled, "ü");
        else strcat(spelled, (char[]){letters[i], '\0'});
        if (i == marked) strcat(spelled, marks[tone]);
    }
    return text_normalise(spelled, strlen(spelled), NULL); /* joins letters and marks */
}

/* The readings of all syllables in the brackets of a line, with spaces between them; the caller owns the text. */
static char *spell_syllables(Span syllables) {
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    const char *begin = syllables.text, *end = begin + syllables.size;
    for (const char *at = begin; at <= end; at += strcspn(at, " ]") + 1) {
        char *spelled = spell_syllable(at);
        fprintf(out, at > begin ? " %s" : "%s", spelled);
        mem_free(spelled);
    }
    return memory_close(&memory, NULL);
}

static void add_entry(Pinyin *p, Span word, int syllables) {
    const int at = string_table_add(&p->words, word.text, word.size), entry = (int)arrlen(p->entries);
    arrput(p->entries, ((Entry){syllables, -1}));
    if (at == arrlen(p->first)) {
        arrput(p->first, entry);
        arrput(p->last, entry);
    } else {
        p->entries[p->last[at]].next = entry;
        p->last[at] = entry;
    }
    if (word.size > p->longest) p->longest = word.size;
}

/* Splits "TRADITIONAL SIMPLIFIED [SYLLABLES] /MEANINGS/". Returns whether the line has this form. */
static bool split_line(const char *line, Span words[2], Span *syllables) {
    for (int i = 0; i < 2; i++) {
        words[i] = (Span){line, strcspn(line, " ")};
        if (!words[i].size || !line[words[i].size]) return false;
        line += words[i].size + 1;
    }
    if (*line != '[') return false;
    *syllables = (Span){line + 1, strcspn(line + 1, "[]")};
    return syllables->size && starts_with(line + 1 + syllables->size, "] /");
}

static int add_line(Pinyin *p, const LineReader *reader, Err *err) {
    const char *line = reader->line;
    Span words[2], syllables;
    if (line_check(line, reader->length, reader->path, reader->number, 0, err)) return -1;
    if (*line == '#' || !line[strspn(line, " \r")]) return 0;
    if (!split_line(line, words, &syllables))
        return err_set(err, reader->path, reader->number,
                       "a line must be a word in traditional and in simplified characters, its syllables in brackets, "
                       "and meanings: 傳統 传统 [chuan2 tong3] /tradition/");
    char *spelled = spell_syllables(syllables);
    const int reading = string_table_add(&p->syllables, spelled, strlen(spelled));
    mem_free(spelled);
    const bool same = words[0].size == words[1].size && !memcmp(words[0].text, words[1].text, words[0].size);
    for (int i = same; i < 2; i++)
        if (words[i].size <= PINYIN_WORD_BYTES && count_characters(words[i]) == count_syllables(syllables))
            add_entry(p, words[i], reading);
    return 0;
}

static int read_lines(Pinyin *p, const char *path, Err *err) {
    LineReader reader;
    if (line_reader_open(&reader, path, err)) return -1;
    int status;
    while ((status = line_reader_next(&reader, err)) > 0)
        if ((status = add_line(p, &reader, err))) break;
    line_reader_close(&reader);
    return status || arrlen(p->entries) ? status : err_set(err, path, 0, "the dictionary has no entry");
}

Pinyin *pinyin_read(const char *path, Err *err) {
    Pinyin *pinyin = mem_zalloc(sizeof *pinyin);
    if (!read_lines(pinyin, path, err)) return pinyin;
    pinyin_free(pinyin);
    return NULL;
}

/* ---- readings -------------------------------------------------------------------------------------------------- */

/* Whether one of the readings that slashes separate is `reading`, of n bytes. */
static bool has_reading(const char *readings, const char *reading, size_t n) {
    for (size_t length;; readings += length + 1) {
        length = strcspn(readings, "/");
        if (length == n && !memcmp(readings, reading, n)) return true;
        if (!readings[length]) return false;
    }
}

/* Returns owned readings with another one of m bytes, unless they have it or it is empty. */
static char *join_reading(char *readings, const char *reading, size_t m) {
    const size_t n = strlen(readings), at = n + (n > 0);
    if (!m || has_reading(readings, reading, m)) return readings;
    readings = mem_realloc(readings, at + m + 1);
    if (n) readings[n] = '/';
    memcpy(readings + at, reading, m);
    readings[at + m] = '\0';
    return readings;
}

/* Adds the readings of the characters of a word. */
static void add_word(const Pinyin *p, int word, char ***readings) {
    const ptrdiff_t begin = arrlen(*readings);
    for (const char *at = p->words.strings[word]; *at; at += utf8_length(at)) arrput(*readings, mem_strdup(""));
    for (int i = p->first[word]; i >= 0; i = p->entries[i].next) {
        const char *syllable = p->syllables.strings[p->entries[i].syllables];
        for (ptrdiff_t k = begin; k < arrlen(*readings); k++) {
            const size_t n = strcspn(syllable, " ");
            (*readings)[k] = join_reading((*readings)[k], syllable, n);
            syllable += n + 1;
        }
    }
}

/* The number of the longest word that begins with the Han character at `text`; -1 if there is none. */
static int longest_word(const Pinyin *p, const char *text) {
    const char *next = text;
    if (!is_han(utf8_next(&next))) return -1;
    for (size_t n = strnlen(text, p->longest); n > 0; n--) {
        const bool inside = ((unsigned char)text[n] & 0xC0) == 0x80; /* of a character */
        const int word = inside ? -1 : string_table_find(&p->words, text, n);
        if (word >= 0) return word;
    }
    return -1;
}

char **pinyin_of(const Pinyin *pinyin, const char *text) {
    char **readings = NULL;
    while (*text) {
        const int word = longest_word(pinyin, text);
        if (word < 0) arrput(readings, mem_strdup(""));
        else add_word(pinyin, word, &readings);
        text += word < 0 ? utf8_length(text) : strlen(pinyin->words.strings[word]);
    }
    return readings;
}
