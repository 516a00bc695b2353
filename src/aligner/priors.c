#include "aligner/priors.h"

#include "core/choice.h"
#include "io/ds.h"
#include "io/lines.h"
#include "text/side.h"
#include "text/unicode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The sections of a file, each for both directions, after the first line. */
typedef enum { MERGES, LINKS, JUMP_COUNTS, FERTILITY_COUNTS, KINDS_OF_SECTIONS } Kind;
static const char *const section_names[KINDS_OF_SECTIONS][2] = {
    [MERGES] = {"source merges", "target merges"},
    [LINKS] = {"forward links", "reverse links"},
    [JUMP_COUNTS] = {"forward jumps", "reverse jumps"},
    [FERTILITY_COUNTS] = {"forward fertilities", "reverse fertilities"},
};

void priors_free(Priors *priors) {
    for (int i = 0; i < 2; i++) {
        units_free(priors->units[i]);
        link_counts_free(&priors->counts[i]);
    }
    *priors = (Priors){0};
}

/* ---- writing -------------------------------------------------------------------------------------------------- */

enum { DECIMALS = 1000 };
#define MOST_COUNT 0x1p40 /* exact as a float */

static long thousandths(double count) { return (long)(fmin(count, MOST_COUNT) * DECIMALS + 0.5); }

/* Writes a count and ends the line. */
static void write_count(FILE *out, double count) {
    const long number = thousandths(count);
    if (number % DECIMALS) fprintf(out, "%ld.%03ld\n", number / DECIMALS, number % DECIMALS);
    else fprintf(out, "%ld\n", number / DECIMALS);
}

/* A unit and its text, for sorting. */
typedef struct SortedUnit {
    const char *text;
    int unit;
} SortedUnit;

static int by_text(const void *left, const void *right) {
    return strcmp(((const SortedUnit *)left)->text, ((const SortedUnit *)right)->text);
}

/* The units of a side in the order of their texts, and the place of each unit in this order. */
typedef struct Order {
    SortedUnit *sorted;
    uint32_t *place;
} Order;

static Order order_units(const Units *units) {
    const size_t n = (size_t)units_count(units);
    const Order order = {mem_alloc(n * sizeof *order.sorted), mem_alloc(n * sizeof *order.place)};
    for (size_t i = 0; i < n; i++) order.sorted[i] = (SortedUnit){units_text(units, (int)i), (int)i};
    qsort(order.sorted, n, sizeof *order.sorted, by_text);
    for (size_t i = 0; i < n; i++) order.place[order.sorted[i].unit] = (uint32_t)i;
    return order;
}

static int by_places(const void *left, const void *right) {
    const PairEntry *a = left, *b = right;
    if (a->left != b->left) return a->left < b->left ? -1 : 1;
    return a->right < b->right ? -1 : a->right > b->right;
}

static void write_links(const PairTable *pairs, const Order *source, const Order *target, FILE *out) {
    PairEntry *rows = mem_alloc((pairs->mask + 1) * sizeof *rows);
    size_t n = 0;
    for (size_t i = 0; i <= pairs->mask; i++) {
        const PairEntry *pair = &pairs->slots[i];
        if (thousandths((double)pair->count) == 0) continue;
        rows[n++] = (PairEntry){source->place[pair->left], target->place[pair->right], {.count = pair->count}};
    }
    qsort(rows, n, sizeof *rows, by_places);
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s\t%s\t", source->sorted[rows[i].left].text, target->sorted[rows[i].right].text);
        write_count(out, (double)rows[i].count);
    }
    mem_free(rows);
}

static void write_merges(const Bpe *merges, FILE *out) {
    if (!merges) return;
    char *text = bpe_format(merges);
    fputs(text, out);
    mem_free(text);
}

static void write_jumps(const LinkCounts *counts, FILE *out) {
    for (int i = 0; i < JUMPS; i++) {
        if (thousandths(counts->jump[i]) == 0) continue;
        fprintf(out, "%d\t", i - LONGEST_JUMP);
        write_count(out, counts->jump[i]);
    }
}

static void write_fertilities(const LinkCounts *counts, const SortedUnit *sorted, int n, FILE *out) {
    for (int i = 0; i < n; i++)
        for (int k = 0; k < FERTILITIES && sorted[i].unit < counts->n_source; k++) {
            const double count = (double)counts->fertility[sorted[i].unit][k];
            if (thousandths(count) == 0) continue;
            fprintf(out, "%s\t%d\t", sorted[i].text, k);
            write_count(out, count);
        }
}

static void write_section(const Priors *priors, Kind kind, int side, const Order order[2], FILE *out) {
    const LinkCounts *counts = &priors->counts[side];
    fprintf(out, "# %s\n", section_names[kind][side]);
    switch (kind) {
    case MERGES: write_merges(priors->units[side]->merges, out); break;
    case LINKS: write_links(&counts->pairs, &order[side], &order[!side], out); break;
    case JUMP_COUNTS: write_jumps(counts, out); break;
    default: write_fertilities(counts, order[side].sorted, units_count(priors->units[side]), out);
    }
}

void priors_write(const Priors *priors, FILE *out) {
    fputs("# units", out);
    for (int i = 0, length; i < 2; i++) {
        const char *name = choice_name(unit_names, (int)priors->units[i]->kind, &length);
        fprintf(out, " %.*s", length, name);
    }
    fputc('\n', out);
    const Order order[2] = {order_units(priors->units[SOURCE]), order_units(priors->units[TARGET])};
    for (Kind kind = 0; kind < KINDS_OF_SECTIONS; kind++)
        for (int side = 0; side < 2; side++) write_section(priors, kind, side, order, out);
    for (int side = 0; side < 2; side++) {
        mem_free(order[side].sorted);
        mem_free(order[side].place);
    }
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

typedef struct PriorsReader {
    LineReader lines;
    Priors *priors;
    Kind kind; /* of the current section */
    int side;
    char *merges;     /* stb_ds array: the lines of the current section of merges */
    long merges_line; /* line of its heading */
} PriorsReader;

static int refuse(const PriorsReader *r, const char *form, Err *err) {
    return err_set(err, r->lines.path, r->lines.number, "a line of this section must be: %s", form);
}

/* Reads "12" or "12.345". Returns whether the text is such a number of at most MOST_COUNT. */
static bool parse_count(const char *text, double *count) {
    enum { MOST_DIGITS = 13 };
    static const double share[] = {1, 0.1, 0.01, 0.001};
    const size_t whole = strspn(text, "0123456789");
    const char *rest = text + whole;
    if (whole == 0 || whole > MOST_DIGITS) return false;
    *count = (double)strtol(text, NULL, 10);
    if (!*rest) return *count <= MOST_COUNT;
    const size_t decimals = *rest == '.' ? strspn(rest + 1, "0123456789") : 0;
    if (decimals == 0 || decimals > 3 || rest[1 + decimals]) return false;
    *count += (double)strtol(rest + 1, NULL, 10) * share[decimals];
    return *count <= MOST_COUNT;
}

/* Reads a whole number with an optional minus between least and most. */
static bool parse_int(const char *text, int least, int most, int *number) {
    char *end;
    const long value = strtol(text, &end, 10);
    if (end == text || *end || value < least || value > most) return false;
    *number = (int)value;
    return true;
}

/* The number of a unit on a side. Makes room for it in the counts that it explains. */
static int unit_of(PriorsReader *r, int side, const char *text) {
    const int unit = units_add(r->priors->units[side], text);
    link_counts_reserve(&r->priors->counts[side], unit + 1);
    return unit;
}

/* Adds a row of n fields to the counts. */
static int add_row(PriorsReader *r, char *const *field, int n, Err *err) {
    LinkCounts *counts = &r->priors->counts[r->side];
    double count;
    int number;
    if (r->kind == LINKS) {
        if (n != 3 || !*field[1] || !parse_count(field[2], &count))
            return refuse(r, "unit, tab, unit, tab, count", err);
        const int explained = unit_of(r, !r->side, field[1]);
        link_counts_add(counts, unit_of(r, r->side, field[0]), explained, (float)count);
    } else if (r->kind == JUMP_COUNTS) {
        if (n != 2 || !parse_int(field[0], -LONGEST_JUMP, LONGEST_JUMP, &number) || !parse_count(field[1], &count))
            return refuse(r, "length of a jump, tab, count", err);
        counts->jump[LONGEST_JUMP + number] += count;
    } else {
        if (n != 3 || !parse_int(field[1], 0, FERTILITIES - 1, &number) || !parse_count(field[2], &count))
            return refuse(r, "unit, tab, number of links, tab, count", err);
        const int unit = unit_of(r, r->side, field[0]);
        counts->fertility[unit][number] += (float)count;
    }
    return 0;
}

static int read_row(PriorsReader *r, Err *err) {
    enum { MOST_FIELDS = 4 };
    char *line = r->lines.line, *field[MOST_FIELDS];
    int n = 0;
    if (r->kind == KINDS_OF_SECTIONS) return err_set(err, r->lines.path, r->lines.number, "a line before any section");
    if (r->kind == MERGES) {
        if (r->priors->units[r->side]->kind != UNIT_PIECE)
            return err_set(err, r->lines.path, r->lines.number, "a merge, but these units are not pieces");
        char *copy = arraddnptr(r->merges, r->lines.length + 1); /* never of no bytes: the array may be NULL */
        memcpy(copy, line, r->lines.length);
        copy[r->lines.length] = '\n';
        return 0;
    }
    while (line && n < MOST_FIELDS) field[n++] = strsep(&line, "\t");
    return add_row(r, field, n, err);
}

/* Ends a section of merges. */
static int end_section(PriorsReader *r, Err *err) {
    if (r->kind != MERGES || !arrlen(r->merges)) return 0;
    arrput(r->merges, '\0');
    Units *units = r->priors->units[r->side];
    bpe_free(units->merges); /* of an earlier section */
    units->merges = bpe_parse(r->merges, r->lines.path, err);
    arrfree(r->merges);
    if (units->merges) return 0;
    err->line += r->merges_line;
    return -1;
}

/* Starts the section of a heading. */
static int start_section(PriorsReader *r, const char *name, Err *err) {
    if (end_section(r, err)) return -1;
    for (Kind kind = 0; kind < KINDS_OF_SECTIONS; kind++)
        for (int side = 0; side < 2; side++) {
            if (strcmp(name, section_names[kind][side]) != 0) continue;
            r->kind = kind;
            r->side = side;
            r->merges_line = r->lines.number;
            return 0;
        }
    return err_set(err, r->lines.path, r->lines.number, "there is no section of this name");
}

/* Reads the first line. */
static int read_units(PriorsReader *r, Err *err) {
    static const char first[] = "# units ";
    const char *line = r->lines.line;
    int kind[2] = {-1, -1};
    if (starts_with(line, first)) {
        char *names = mem_strdup(line + strlen(first)), *rest = names;
        for (int i = 0; i < 2 && rest; i++) kind[i] = choice_find(unit_names, strsep(&rest, " "));
        if (rest) kind[SOURCE] = -1;
        mem_free(names);
    }
    if (kind[SOURCE] < 0 || kind[TARGET] < 0)
        return err_set(err, r->lines.path, 1, "not a file of priors: the first line must be '# units KIND KIND'");
    for (int i = 0; i < 2; i++) {
        r->priors->units[i] = units_new((UnitKind)kind[i]);
        r->priors->counts[i] = link_counts_new(1);
    }
    return 0;
}

static int read_line(PriorsReader *r, Err *err) {
    LineReader *lines = &r->lines;
    if (strlen(lines->line) != lines->length) return err_set(err, lines->path, lines->number, "line holds a NUL");
    if (!utf8_valid(lines->line, lines->length))
        return err_set(err, lines->path, lines->number, "line is not valid UTF-8");
    if (lines->length && lines->line[lines->length - 1] == '\r') lines->line[--lines->length] = '\0'; /* of Windows */
    if (lines->number == 1) return read_units(r, err);
    /* a merge has one space, other rows have none */
    if (starts_with(lines->line, "# ") && strchr(lines->line + 2, ' ')) return start_section(r, lines->line + 2, err);
    return read_row(r, err);
}

static int read_all(PriorsReader *r, Err *err) {
    int more = 0;
    while ((more = line_reader_next(&r->lines, err)) > 0)
        if (read_line(r, err)) return -1;
    if (more < 0 || end_section(r, err)) return -1;
    if (r->lines.number == 0) return err_set(err, r->lines.path, 0, "file is empty");
    for (int i = 0; i < 2; i++) {
        Units *units = r->priors->units[i];
        if (units->kind == UNIT_PIECE && !units->merges) units->merges = bpe_parse("", NULL, err);
        link_counts_reserve(&r->priors->counts[i], units_count(units));
    }
    return 0;
}

int priors_read(Priors *priors, const char *path, Err *err) {
    *priors = (Priors){0};
    PriorsReader r = {.priors = priors, .kind = KINDS_OF_SECTIONS};
    if (line_reader_open(&r.lines, path, err)) return -1;
    const int status = read_all(&r, err);
    line_reader_close(&r.lines);
    arrfree(r.merges);
    if (status) priors_free(priors);
    return status;
}
