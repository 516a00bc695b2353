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

/* What the text has more of: Han characters, or words of other letters. So Chinese may name an iPhone, and English may
   quote a character. */
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

/* Whether a row can tell something: several cells of valid text. */
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
    const Row *rows;
    int n, evidence; /* rows; those that can tell something */
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

/* Whether at least half of the rows have text of a side in this column. */
static bool fits(const Search *s, int i, int side) {
    if (i >= arrlen(s->columns)) return false;
    enum { FEW_ROWS = 8 };
    const Column *column = &s->columns[i];
    if (s->evidence >= FEW_ROWS && !column->varies && arrlen(s->columns) > 2) return false; /* such as a licence */
    return 2 * column->scripts[side == s->chinese ? HAN : OTHER_LETTERS] >= s->evidence;
}

static bool is_spaced(const Search *s, int i) { return 2 * s->columns[i].spaced > s->evidence; }

/* Whether the column `other` is better than `best` (-1: none) beside the column of the Chinese: sentences have spaces,
   names, codes and addresses have none; then the nearest column; then the first one. */
static bool is_better(const Search *s, int other, int best, int chinese) {
    if (best < 0 || is_spaced(s, other) != is_spaced(s, best)) return best < 0 || is_spaced(s, other);
    return abs(other - chinese) < abs(best - chinese);
}

/* The first column that fits the side, and how many do. */
static int first_fit(const Search *s, int side, int *count) {
    int first = -1;
    *count = 0;
    for (int i = 0; i < arrlen(s->columns); i++) {
        if (!fits(s, i, side)) continue;
        if (!(*count)++) first = i;
    }
    return first;
}

static const char *language_title(const char *code) {
    return chinese_language(code) ? "Chinese" : english_language(code) ? "English" : code;
}

static int refuse(const Search *s, int side, const char *path, Err *err) {
    return err_set(err, path, 0,
                   "most of the first %d lines have no column with %s; --columns SOURCE TARGET chooses the columns",
                   s->n, language_title(s->langs[side]));
}

static void note(Columns *columns, const Search *s, const char *path) {
    snprintf(columns->note, sizeof columns->note, "%.200s: columns %d and %d: %.20s, %.20s%s", path,
             columns->column[SOURCE] + 1, columns->column[TARGET] + 1, language_title(s->langs[SOURCE]),
             language_title(s->langs[TARGET]), columns->header ? "; line 1 is a header" : "");
}

/* Chooses the columns by their scripts. Columns 1 and 2 are preferred if they are English and Chinese. */
static int choose(Columns *columns, const Search *s, const char *path, Err *err) {
    const int zh = s->chinese, other = !zh;
    int count[2], best = -1;
    int chinese = first_fit(s, zh, &count[zh]);
    first_fit(s, other, &count[other]);
    const bool usual = english_language(s->langs[other]) && fits(s, 0, other) && fits(s, 1, zh);
    if (usual) chinese = 1, best = 0;
    if (chinese < 0) return refuse(s, zh, path, err);
    for (int i = 0; i < arrlen(s->columns) && !usual; i++)
        if (i != chinese && fits(s, i, other) && is_better(s, i, best, chinese)) best = i;
    if (best < 0) return refuse(s, other, path, err);
    columns->column[zh] = chinese;
    columns->column[other] = best;
    if (!usual || count[SOURCE] > 1 || count[TARGET] > 1) note(columns, s, path);
    return 0;
}

/* ---- headers ---- */

/* Whether a name in a header is that of a language. roles: else that of a side. */
static bool is_name(const char *name, const char *lang, int side, bool roles) {
    static const char *const names[2][2] = {{"source", "src"}, {"target", "tgt"}};
    if (roles) return !strcasecmp(name, names[side][0]) || !strcasecmp(name, names[side][1]);
    return language_is_variant(name, lang) || !strcasecmp(name, language_title(lang));
}

/* The first column whose name in the first row is that of the side; -1: there is none. */
static int named_column(const Search *s, int side, bool roles) {
    for (int i = 0; s->n && i < arrlen(s->rows[0].cells); i++) {
        char *name = cell_text(&s->rows[0], i);
        const bool found = is_name(name, s->langs[side], side, roles);
        mem_free(name);
        if (found) return i;
    }
    return -1;
}

/* Whether the first row names both columns. Then it is a header, and *columns is filled. */
static bool find_names(Columns *columns, const Search *s, bool roles) {
    int named[2];
    if (!s->n || !is_evidence(&s->rows[0])) return false;
    for (int side = 0; side < 2; side++) named[side] = named_column(s, side, roles);
    if (named[SOURCE] < 0 || named[TARGET] < 0 || named[SOURCE] == named[TARGET]) return false;
    memcpy(columns->column, named, sizeof named);
    return true;
}

/* Whether the first row lacks the script of a column that most of the rows have. */
static bool lacks_scripts(const Columns *columns, const Search *s) {
    bool lacks = false;
    if (s->chinese < 0 || s->evidence < 2 || !is_evidence(&s->rows[0])) return false;
    for (int side = 0; side < 2; side++) {
        if (!fits(s, columns->column[side], side)) return false;
        char *text = cell_text(&s->rows[0], columns->column[side]);
        lacks |= script_of(text) != (side == s->chinese ? HAN : OTHER_LETTERS);
        mem_free(text);
    }
    return lacks;
}

/* ---- the search ---- */

/* Takes column 1 as English, and column 2 as the other language. */
static int take_usual(Columns *columns, const Search *s, const char *path, Err *err) {
    const int english = english_side(s->langs);
    columns->column[SOURCE] = english != SOURCE;
    columns->column[TARGET] = english == SOURCE;
    if (s->chinese >= 0 || english >= 0) return 0;
    return err_set(
        err, path, 0,
        "holds English and another language, but --langs %s %s does not name English exactly once; --columns "
        "SOURCE TARGET chooses the columns",
        s->langs[SOURCE], s->langs[TARGET]);
}

static int find(Columns *columns, const Search *s, bool csv, const int given[2], const char *path, Err *err) {
    Columns named = {0};
    columns->header = csv && (find_names(&named, s, false) || (s->chinese < 0 && find_names(&named, s, true)));
    if (given[SOURCE]) {
        for (int side = 0; side < 2; side++) columns->column[side] = given[side] - 1;
        columns->header |= csv && lacks_scripts(columns, s);
        return 0;
    }
    if (columns->header) {
        memcpy(columns->column, named.column, sizeof named.column);
        for (int side = 0; side < 2 && s->chinese >= 0 && s->evidence > 1; side++)
            if (!fits(s, columns->column[side], side)) return refuse(s, side, path, err);
        return 0;
    }
    if (s->chinese < 0 || !s->evidence) return take_usual(columns, s, path, err);
    if (choose(columns, s, path, err)) return -1;
    columns->header = csv && lacks_scripts(columns, s);
    if (columns->header) note(columns, s, path);
    return 0;
}

int columns_find(Columns *columns, const Row *rows, int n, bool csv, const int given[2], const char *const langs[2],
                 const char *path, Err *err) {
    Search s = {.rows = rows, .n = n, .langs = langs, .chinese = -1};
    *columns = (Columns){0};
    for (int side = 0; side < 2; side++)
        if (chinese_language(langs[side]) && !han_language(langs[!side])) s.chinese = side;
    for (int i = 0; i < n; i++) {
        if (!is_evidence(&rows[i])) continue;
        s.evidence++;
        count_row(&s, &rows[i]);
    }
    const int status = find(columns, &s, csv, given, path, err);
    for (ptrdiff_t i = 0; i < arrlen(s.columns); i++) mem_free(s.columns[i].first);
    arrfree(s.columns);
    return status;
}
