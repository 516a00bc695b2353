#include "corpus/columns.h"

#include "io/ds.h"
#include "text/codes.h"
#include "text/side.h"
#include "text/unicode.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- cells ---- */

/* Cell i of a row as a copy with a NUL at its end, without spaces at both ends; "" if the row has no such cell. The
   caller owns it. */
static char *cell_text(const Row *row, int i) {
    if (i >= arrlen(row->cells)) return mem_strdup("");
    const char *text = row->text + row->cells[i].at, *end = text + row->cells[i].size;
    while (text < end && *text == ' ') text++;
    while (text < end && end[-1] == ' ') end--;
    return mem_strndup(text, (size_t)(end - text));
}

typedef enum Script { NO_LETTERS, HAN, OTHER_LETTERS } Script;

/* Whether a text has more Han characters or more words of other letters. So a Chinese text may name an iPhone, and an
   English text may quote a Chinese character. */
static Script script_of(const char *text) {
    int han = 0, words = 0;
    bool in_word = false;
    while (*text) {
        const int32_t c = utf8_next(&text);
        const bool letter = is_letter(c);
        han += is_han(c);
        words += letter && !in_word;
        in_word = letter;
    }
    return han + words == 0 ? NO_LETTERS : han >= words ? HAN : OTHER_LETTERS;
}

/* Whether a row can tell something about the columns: it has several cells, and all are valid text. */
static bool is_evidence(const Row *row) {
    for (ptrdiff_t i = 0; i < arrlen(row->cells); i++) {
        const char *text = row->text + row->cells[i].at;
        if (!utf8_valid(text, row->cells[i].size) || memchr(text, '\0', row->cells[i].size)) return false;
    }
    return arrlen(row->cells) > 1;
}

/* ---- columns ---- */

/* What the rows have in a column. */
typedef struct Column {
    int scripts[3]; /* cells of each Script */
    int spaced;     /* cells with a space inside */
    bool varies;    /* not all cells are equal */
    char *first;    /* the first cell */
} Column;

typedef struct Search {
    const Row *rows; /* the first rows of the file `path` */
    int n;           /* the number of rows */
    int evidence;    /* the number of rows that can tell something (is_evidence) */
    bool csv;        /* the first row may be a header */
    const char *path;
    const char *const *langs;
    int chinese;     /* the side of the Chinese; -1: the scripts of the two languages tell nothing */
    Column *columns; /* stb_ds array */
} Search;

static void count_row(Search *s, const Row *row) {
    for (int i = 0; i < arrlen(row->cells); i++) {
        char *text = cell_text(row, i);
        if (i == arrlen(s->columns)) arrput(s->columns, ((Column){.first = mem_strdup(text)}));
        Column *column = &s->columns[i];
        column->scripts[script_of(text)]++;
        column->spaced += strchr(text, ' ') != NULL;
        column->varies |= strcmp(text, column->first) != 0;
        mem_free(text);
    }
}

/* Whether column i has the script of a side in at least half of the rows. */
static bool fits(const Search *s, int i, int side) {
    if (i >= arrlen(s->columns)) return false;
    enum { FEW_ROWS = 8 };
    const Column *column = &s->columns[i];
    if (s->evidence >= FEW_ROWS && !column->varies && arrlen(s->columns) > 2) return false; /* such as a licence */
    return 2 * column->scripts[side == s->chinese ? HAN : OTHER_LETTERS] >= s->evidence;
}

static bool is_spaced(const Search *s, int i) { return 2 * s->columns[i].spaced > s->evidence; }

/* Whether column i is a better choice than column `best` beside the Chinese. Sentences have spaces; names, codes and
   addresses have none. Then a nearer column is better. */
static bool is_better(const Search *s, int i, int best, int chinese) {
    if (is_spaced(s, i) != is_spaced(s, best)) return is_spaced(s, i);
    return abs(i - chinese) < abs(best - chinese);
}

static const char *language_title(const char *code) {
    return chinese_language(code) ? "Chinese" : english_language(code) ? "English" : code;
}

static int refuse(const Search *s, int side, Err *err) {
    return err_set(err, s->path, 0,
                   "most of the first %d lines have no column with %s; --columns SOURCE TARGET chooses the columns",
                   s->n, language_title(s->langs[side]));
}

/* ---- headers ---- */

/* Whether a header has this name for a language, such as `zh` or `Chinese`; roles: for a side, such as `source`. */
static bool is_name(const char *name, const char *lang, int side, bool roles) {
    static const char *const names[2][2] = {{"source", "src"}, {"target", "tgt"}};
    if (roles) return !strcasecmp(name, names[side][0]) || !strcasecmp(name, names[side][1]);
    return language_is_variant(name, lang) || !strcasecmp(name, language_title(lang));
}

/* The first column whose name in the first row is that of the side; -1: there is none. */
static int named_column(const Search *s, int side, bool roles) {
    for (int i = 0; i < arrlen(s->rows[0].cells); i++) {
        char *name = cell_text(&s->rows[0], i);
        const bool found = is_name(name, s->langs[side], side, roles);
        mem_free(name);
        if (found) return i;
    }
    return -1;
}

/* Whether the first row names both columns. Then it is a header, and named[] receives the columns. */
static bool find_names(const Search *s, bool roles, int named[2]) {
    if (!s->csv || !s->n || !is_evidence(&s->rows[0])) return false;
    for (int side = 0; side < 2; side++) named[side] = named_column(s, side, roles);
    return named[SOURCE] >= 0 && named[TARGET] >= 0 && named[SOURCE] != named[TARGET];
}

/* Whether the first row is a header because it lacks the script that most of the rows have in one of the columns. */
static bool lacks_scripts(const Columns *columns, const Search *s) {
    bool lacks = false;
    if (!s->csv || s->chinese < 0 || s->evidence < 2 || !is_evidence(&s->rows[0])) return false;
    for (int side = 0; side < 2; side++) {
        if (!fits(s, columns->column[side], side)) return false;
        char *text = cell_text(&s->rows[0], columns->column[side]);
        lacks |= script_of(text) != (side == s->chinese ? HAN : OTHER_LETTERS);
        mem_free(text);
    }
    return lacks;
}

/* ---- the search ---- */

static void note(Columns *columns, const Search *s) {
    snprintf(columns->note, sizeof columns->note, "%.200s: columns %d and %d: %.20s, %.20s%s", s->path,
             columns->column[SOURCE] + 1, columns->column[TARGET] + 1, language_title(s->langs[SOURCE]),
             language_title(s->langs[TARGET]), columns->header ? "; line 1 is a header" : "");
}

/* Chooses the columns by their scripts. Columns 1 and 2 are preferred if they are English and Chinese. */
static int choose(Columns *columns, const Search *s, Err *err) {
    const int zh = s->chinese, other = !zh, n = (int)arrlen(s->columns);
    const bool usual = english_language(s->langs[other]) && fits(s, 0, other) && fits(s, 1, zh);
    int chinese = -1, best = -1, candidates = 0;
    for (int i = 0; i < n; i++) {
        candidates += fits(s, i, zh) + fits(s, i, other);
        if (chinese < 0 && fits(s, i, zh)) chinese = i;
    }
    for (int i = 0; i < n; i++)
        if (i != chinese && fits(s, i, other) && (best < 0 || is_better(s, i, best, chinese))) best = i;
    if (usual) chinese = 1, best = 0;
    if (chinese < 0 || best < 0) return refuse(s, chinese < 0 ? zh : other, err);
    columns->column[zh] = chinese;
    columns->column[other] = best;
    columns->header = lacks_scripts(columns, s);
    if (!usual || candidates > 2 || columns->header) note(columns, s);
    return 0;
}

/* Takes column 1 as English, and column 2 as the other language. */
static int take_usual(Columns *columns, const Search *s, Err *err) {
    const int english = english_side(s->langs);
    columns->column[SOURCE] = english != SOURCE;
    columns->column[TARGET] = english == SOURCE;
    if (s->chinese >= 0 || english >= 0) return 0;
    return err_set(
        err, s->path, 0,
        "holds English and another language, but --langs %s %s does not name English exactly once; --columns "
        "SOURCE TARGET chooses the columns",
        s->langs[SOURCE], s->langs[TARGET]);
}

static int find(Columns *columns, const Search *s, const int given[2], Err *err) {
    int named[2];
    columns->header = find_names(s, false, named) || (s->chinese < 0 && find_names(s, true, named));
    if (given[SOURCE]) {
        for (int side = 0; side < 2; side++) columns->column[side] = given[side] - 1;
        columns->header |= lacks_scripts(columns, s);
        return 0;
    }
    if (columns->header) {
        memcpy(columns->column, named, sizeof named);
        for (int side = 0; side < 2 && s->chinese >= 0 && s->evidence > 1; side++)
            if (!fits(s, named[side], side)) return refuse(s, side, err);
        return 0;
    }
    return s->chinese < 0 || !s->evidence ? take_usual(columns, s, err) : choose(columns, s, err);
}

int columns_find(Columns *columns, const Row *rows, int n, bool csv, const int given[2], const char *const langs[2],
                 const char *path, Err *err) {
    Search s = {.rows = rows, .n = n, .csv = csv, .path = path, .langs = langs, .chinese = -1};
    *columns = (Columns){0};
    for (int side = 0; side < 2; side++)
        if (chinese_language(langs[side]) && !han_language(langs[!side])) s.chinese = side;
    for (int i = 0; i < n; i++) {
        if (!is_evidence(&rows[i])) continue;
        s.evidence++;
        count_row(&s, &rows[i]);
    }
    const int status = find(columns, &s, given, err);
    for (ptrdiff_t i = 0; i < arrlen(s.columns); i++) mem_free(s.columns[i].first);
    arrfree(s.columns);
    return status;
}
