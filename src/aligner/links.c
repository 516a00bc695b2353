#include "aligner/links.h"

#include "io/ds.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 1 << 20 };
#define BLANKS " \t\r"

/* ---- reading and printing ------------------------------------------------------------------------------------- */

/* Parses a word number and moves *text behind it. Returns the number, counted from 0, or -1 if there is none. */
static int parse_number(const char **text, int first) {
    if (**text < '0' || **text > '9') return -1;
    char *end;
    long number = strtol(*text, &end, 10) - first;
    *text = end;
    return number >= 0 && number < MOST_WORDS ? (int)number : -1;
}

/* Parses a link, which must end at a space or a NUL; false if it does not. */
static bool parse_link(const char **text, int first, Link *link) {
    link->source = parse_number(text, first);
    link->possible = **text == 'p';
    if (link->source < 0 || (**text != '-' && **text != 'p')) return false;
    ++*text;
    link->target = parse_number(text, first);
    if (!link->possible && (*text)[0] == '-' && ((*text)[1] == 'P' || (*text)[1] == 'S')) {
        link->possible = (*text)[1] == 'P';
        *text += 2;
    }
    return link->target >= 0 && strchr(BLANKS, **text); /* strchr also finds the NUL */
}

/* The number of bytes of a word that an error message shows; never ends inside a character. */
static int printed_length(const char *word) {
    enum { MOST = 40 };
    size_t n = strcspn(word, BLANKS);
    if (n > MOST)
        for (n = MOST; n > 0 && ((unsigned char)word[n] & 0xC0) == 0x80;) n--;
    return (int)n;
}

int links_parse(const char *line, int first, const char *path, long number, Link **links, Err *err) {
    for (;;) {
        line += strspn(line, BLANKS);
        if (!*line) return 0;
        const char *word = line;
        Link link;
        if (!parse_link(&line, first, &link))
            return err_set(err, path, number, "'%.*s' is not a link such as 3-4 (words are counted from %d)",
                           printed_length(word), word, first);
        arrput(*links, link);
    }
}

int links_check(const Link *links, int n, int source_words, int target_words, const char *path, long number, Err *err) {
    for (int k = 0; k < n; k++)
        if (links[k].source >= source_words || links[k].target >= target_words)
            return err_set(err, path, number, "the link %d-%d, but the pair has %d and %d words", links[k].source,
                           links[k].target, source_words, target_words);
    return 0;
}

void links_print(FILE *out, const Link *links, int n) {
    for (int i = 0; i < n; i++) fprintf(out, "%s%d-%d", i ? " " : "", links[i].source, links[i].target);
}

/* ---- symmetrising --------------------------------------------------------------------------------------------- */

const char symmetrization_names[] = "intersection|union|grow-diag-final-and|soft|mean";

bool symmetrization_is_soft(Symmetrization kind) { return kind >= SOFT_LINKS; }

/* A matrix of target × source words. */
typedef struct Grid {
    int rows, cols; /* target words, source words */
    uint8_t *cells; /* bits FORWARD, REVERSE and TAKEN */
    bool *row_used, *col_used;
} Grid;

enum { FORWARD = 1, REVERSE = 2, TAKEN = 4 };

static uint8_t *cell(const Grid *g, int target, int source) {
    return &g->cells[(size_t)target * (size_t)g->cols + (size_t)source];
}

static void mark_links(const Grid *g, const Link *links, int n, uint8_t bit) {
    for (int i = 0; i < n; i++) *cell(g, links[i].target, links[i].source) |= bit;
}

static void fit_grid(Grid *g, const Link *links, int n) {
    for (int i = 0; i < n; i++) {
        if (links[i].target >= g->rows) g->rows = links[i].target + 1;
        if (links[i].source >= g->cols) g->cols = links[i].source + 1;
    }
}

static void add(const Grid *g, int target, int source) {
    *cell(g, target, source) |= TAKEN;
    g->row_used[target] = g->col_used[source] = true;
}

/* Takes the cells that have links in both directions, or, with `either`, in at least one. */
static void add_all(const Grid *g, bool either) {
    for (int i = 0; i < g->rows; i++)
        for (int j = 0; j < g->cols; j++) {
            int directions = *cell(g, i, j) & (FORWARD | REVERSE);
            if (either ? directions : directions == (FORWARD | REVERSE)) add(g, i, j);
        }
}

/* Takes the neighbours of a taken cell that are in the union and whose row or column is unused; diagonal ones last.
   Returns whether it took any. */
static bool grow_neighbours(const Grid *g, int target, int source) {
    static const int neighbours[8][2] = {{-1, 0}, {0, -1}, {1, 0}, {0, 1}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}};
    bool grown = false;
    for (int k = 0; k < 8; k++) {
        const int i = target + neighbours[k][0], j = source + neighbours[k][1];
        if (i < 0 || j < 0 || i >= g->rows || j >= g->cols) continue;
        if (!*cell(g, i, j) || (*cell(g, i, j) & TAKEN) || (g->row_used[i] && g->col_used[j])) continue;
        add(g, i, j);
        grown = true;
    }
    return grown;
}

static void grow_diagonally(const Grid *g) {
    for (bool grown = true; grown;) {
        grown = false;
        for (int i = 0; i < g->rows; i++)
            for (int j = 0; j < g->cols; j++)
                if ((*cell(g, i, j) & TAKEN) && grow_neighbours(g, i, j)) grown = true;
    }
}

static void add_final(const Grid *g, uint8_t direction) {
    for (int i = 0; i < g->rows; i++)
        for (int j = 0; j < g->cols; j++)
            if ((*cell(g, i, j) & direction) && !g->row_used[i] && !g->col_used[j]) add(g, i, j);
}

Link *links_symmetrize(Symmetrization kind, const Link *forward, int n_forward, const Link *reverse, int n_reverse) {
    Grid g = {0};
    Link *links = NULL;
    CHECK(!symmetrization_is_soft(kind), "links_symmetrize combines links, not matrices");
    fit_grid(&g, forward, n_forward);
    fit_grid(&g, reverse, n_reverse);
    g.cells = mem_zalloc((size_t)g.rows * (size_t)g.cols);
    g.row_used = mem_zalloc((size_t)g.rows * sizeof *g.row_used);
    g.col_used = mem_zalloc((size_t)g.cols * sizeof *g.col_used);
    mark_links(&g, forward, n_forward, FORWARD);
    mark_links(&g, reverse, n_reverse, REVERSE);
    add_all(&g, kind == UNION);
    if (kind == GROW_DIAG_FINAL_AND) {
        grow_diagonally(&g);
        add_final(&g, FORWARD);
        add_final(&g, REVERSE);
    }
    for (int i = 0; i < g.rows; i++)
        for (int j = 0; j < g.cols; j++)
            if (*cell(&g, i, j) & TAKEN) arrput(links, ((Link){j, i, false}));
    mem_free(g.cells);
    mem_free(g.row_used);
    mem_free(g.col_used);
    return links;
}

/* The mean of the weights that the two directions give to target word i and source word j. */
static double mean_weight(Symmetrization kind, const float *forward, const float *reverse, int n_target, int n_source,
                          int i, int j) {
    const double a = (double)forward[(size_t)i * (size_t)n_source + (size_t)j];
    const double b = (double)reverse[(size_t)j * (size_t)n_target + (size_t)i];
    return kind == MEAN_LINKS ? (a + b) / 2 : a + b > 0 ? 2 * a * b / (a + b) : 0;
}

void matrices_mean(Symmetrization kind, const float *forward, const float *reverse, int n_target, int n_source,
                   float *mean) {
    for (int i = 0; i < n_target; i++)
        for (int j = 0; j < n_source; j++)
            mean[(size_t)i * (size_t)n_source + (size_t)j] =
                (float)mean_weight(kind, forward, reverse, n_target, n_source, i, j);
}

Link *links_of_matrices(Symmetrization kind, const float *forward, const float *reverse, int n_target, int n_source,
                        double threshold) {
    Link *links = NULL;
    for (int i = 0; i < n_target; i++)
        for (int j = 0; j < n_source; j++)
            if (mean_weight(kind, forward, reverse, n_target, n_source, i, j) >= threshold)
                arrput(links, ((Link){j, i, false}));
    return links;
}
