#include "translate/inline_markup.h"

#include "io/ds.h"
#include "io/files.h"
#include "text/entity.h"
#include "text/unicode.h"

#include <math.h>
#include <stdlib.h>

/* A word of the translation: a run of letters or digits, or a symbol; it consists of whole pieces. */
typedef struct Unit {
    size_t begin, end;   /* bytes of the text */
    size_t end_position; /* the position in the text at which the unit ends */
    int pieces;          /* number of the pieces that begin in the unit */
} Unit;

/* An element, or a tag without its partner. Node 0 is the sentence, and node m + 1 is mark m. A position in a text is
   the number of characters before it; spaces are not counted. */
typedef struct Node {
    const Mark *mark;
    size_t begin, end;                 /* positions in the source; equal: the node contains no text */
    ptrdiff_t first, last;             /* its units: first..last - 1 */
    ptrdiff_t parent;                  /* -1: none */
    ptrdiff_t first_child, last_child; /* the children are a linked list, in order; 0: there is none */
    ptrdiff_t next;                    /* the next child of the parent; 0: there is none */
    bool placed;
} Node;

typedef struct Transfer {
    const char *text;
    Node *nodes; /* [count] */
    ptrdiff_t count;
    Unit *units;       /* a stb_ds array */
    size_t *columns;   /* a stb_ds array: the position of each source piece */
    float *sums;       /* [units][columns + 1]: the weight of a unit on the source pieces before a column */
    ptrdiff_t *owners; /* [units] of the nodes placed so far that have the unit, the innermost one */
} Transfer;

/* ---- positions ------------------------------------------------------------------------------------------------- */

/* The characters in n bytes of text, without spaces. */
static size_t position(const char *text, size_t n) {
    size_t count = 0;
    for (const char *end = text + n; text < end; text++) count += *text != ' ' && (*text & 0xC0) != 0x80;
    return count;
}

/* The same for the text of a piece. */
static size_t piece_length(const char *piece) {
    char *text = pieces_unmark(piece, false);
    const size_t length = position(text, strlen(text));
    mem_free(text);
    return length;
}

/* Divides the text into units. starts: [count] the positions at which its pieces begin. */
static void find_units(Transfer *t, const size_t *starts, ptrdiff_t count) {
    int32_t before = ' ';
    size_t at = 0;
    ptrdiff_t piece = 0;
    for (const char *c = t->text; *c;) {
        const char *begin = c;
        const int32_t code = utf8_next(&c);
        if (code != ' ') {
            while (piece < count && starts[piece] < at) piece++;
            const bool starts_piece = piece < count && starts[piece] == at;
            if (!arrlen(t->units) || before == ' ' || (starts_piece && !is_inside_run(before, code)))
                arrput(t->units, ((Unit){.begin = (size_t)(begin - t->text)}));
            arrlast(t->units).end = (size_t)(c - t->text);
            arrlast(t->units).end_position = ++at;
        }
        before = code;
    }
}

/* Adds the weights of target piece i to the sums of a unit. Without weights, the piece has weight 1 on the source piece
   at the same place of the sentence. */
static void add_weights(const Transfer *t, float *sums, const Alignment *a, int i, int count) {
    const ptrdiff_t n = arrlen(t->columns);
    float sum = 0;
    for (ptrdiff_t j = 0; j < n; j++) {
        const bool same_place = j == (ptrdiff_t)i * n / count;
        sum += a->weight ? (float)alignment_weight(a, i, (int)j) : (float)same_place;
        sums[j + 1] += sum;
    }
}

/* Fills columns, units and sums. */
static void read_alignment(Transfer *t, const Alignment *a) {
    const int n_source = pieces_text_count(a->source, a->n_source),
              n_target = pieces_text_count(a->target, a->n_target);
    size_t at = 0, *starts = NULL;
    for (int j = 0; j < n_source; at += piece_length(a->source[j++])) arrput(t->columns, at);
    at = 0;
    for (int i = 0; i < n_target; at += piece_length(a->target[i++])) arrput(starts, at);
    find_units(t, starts, n_target);
    const size_t row = (size_t)n_source + 1, units = arrlenu(t->units);
    t->sums = mem_zalloc((units ? units : 1) * row * sizeof *t->sums);
    t->owners = mem_zalloc((units ? units : 1) * sizeof *t->owners);
    for (int i = 0, u = 0; units && i < n_target; i++) {
        while (starts[i] >= t->units[u].end_position && u + 1 < (int)units) u++;
        t->units[u].pieces++;
        add_weights(t, t->sums + (size_t)u * row, a, i, n_target);
    }
    arrfree(starts);
}

/* ---- nodes ----------------------------------------------------------------------------------------------------- */

static void add_child(Transfer *t, ptrdiff_t parent, ptrdiff_t child) {
    Node *p = &t->nodes[parent];
    if (p->last_child) t->nodes[p->last_child].next = child;
    else p->first_child = child;
    p->last_child = child;
    t->nodes[child].parent = parent;
}

static void make_nodes(Transfer *t, const Mark *marks, const char *sentence) {
    ptrdiff_t parent = 0;
    size_t from = 0, at = 0;
    t->count = arrlen(marks) + 1;
    t->nodes = mem_zalloc((size_t)t->count * sizeof *t->nodes);
    t->nodes[0] =
        (Node){.end = position(sentence, strlen(sentence)), .last = arrlen(t->units), .parent = -1, .placed = true};
    for (ptrdiff_t m = 0; m < arrlen(marks); m++) {
        at += position(sentence + from, marks[m].at - from);
        from = marks[m].at;
        t->nodes[m + 1] = (Node){.mark = &marks[m], .begin = at, .end = at};
        if (marks[m].end && marks[m].partner >= 0) {
            t->nodes[marks[m].partner + 1].end = at;
            parent = t->nodes[marks[m].partner + 1].parent;
            continue;
        }
        add_child(t, parent, m + 1);
        if (marks[m].partner >= 0) parent = m + 1;
    }
}

/* The first source piece that begins at a position or after it. */
static ptrdiff_t column_at(const Transfer *t, size_t at) {
    ptrdiff_t low = 0, high = arrlen(t->columns);
    while (low < high) {
        const ptrdiff_t middle = low + (high - low) / 2;
        if (t->columns[middle] < at) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* The weight of unit u on the source pieces first..last - 1, minus 1/2 for each piece of the unit. */
static double gain(const Transfer *t, ptrdiff_t u, ptrdiff_t first, ptrdiff_t last) {
    const float *sums = t->sums + u * (arrlen(t->columns) + 1);
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is a unit u */
    return (double)(sums[last] - sums[first]) - 0.5 * t->units[u].pieces;
}

/* Gives an element with text the run of units with the largest gain, among units of the parent that no sibling has. A
   copied element gets none if no run has a gain above 0. */
static void place_element(Transfer *t, ptrdiff_t number) {
    Node *node = &t->nodes[number];
    const Node *parent = &t->nodes[node->parent];
    const bool whole = node->begin == parent->begin && node->end == parent->end;
    const ptrdiff_t end = column_at(t, node->end), begin = column_at(t, node->begin);
    double best = node->mark->copied ? 0 : -INFINITY, sum = 0;
    ptrdiff_t from = parent->first;
    for (ptrdiff_t u = parent->first; u < parent->last; u++) {
        if (t->owners[u] != node->parent) sum = -INFINITY;
        else if (sum <= 0) sum = 0;
        if (sum == 0) from = u;
        if (t->owners[u] == node->parent) sum += whole ? 1 : gain(t, u, begin < end ? begin : end - (end > 0), end);
        if (sum <= best) continue;
        best = sum;
        node->first = from;
        node->last = u + 1;
        node->placed = true;
    }
    for (ptrdiff_t u = node->first; u < node->last; u++) t->owners[u] = number;
}

/* The place of a node without text or partner between the units of the parent, not before `least`, and not within a
   sibling. */
static ptrdiff_t tag_place(const Transfer *t, const Node *node, ptrdiff_t least) {
    const Node *parent = &t->nodes[node->parent];
    const ptrdiff_t column = column_at(t, node->begin);
    double sum = 0, best = -INFINITY;
    ptrdiff_t place = parent->last;
    if (node->begin >= parent->end && node->begin > parent->begin) return place;
    for (ptrdiff_t u = parent->first; u <= parent->last; u++) {
        const bool inside =
            u > parent->first && u < parent->last && t->owners[u] == t->owners[u - 1] && t->owners[u] != node->parent;
        if (u >= least && !inside && sum > best) {
            if (node->begin <= parent->begin) return u;
            best = sum;
            place = u;
        }
        if (u < parent->last) sum += gain(t, u, 0, column);
    }
    return place;
}

/* Places all nodes; parents come before their children. Tags at one position of the source stay together. */
static void place_nodes(Transfer *t) {
    for (ptrdiff_t p = 0; p < t->count; p++) {
        const Node *before = NULL; /* the tag that was placed before this one */
        ptrdiff_t child;
        for (child = t->nodes[p].first_child; child; child = t->nodes[child].next)
            if (t->nodes[child].end > t->nodes[child].begin) place_element(t, child);
        for (child = t->nodes[p].first_child; child; child = t->nodes[child].next) {
            Node *node = &t->nodes[child];
            if (node->placed) continue;
            if (before && before->begin == node->begin) node->first = before->first;
            else node->first = tag_place(t, node, before ? before->first : t->nodes[p].first);
            node->last = node->first;
            node->placed = true;
            before = node;
        }
    }
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

/* By parent, then by place, then in the order of the source. */
static int compare(const void *a, const void *b) {
    const Node *x = *(Node *const *)a, *y = *(Node *const *)b;
    if (x->parent != y->parent) return x->parent < y->parent ? -1 : 1;
    if (x->first != y->first) return x->first < y->first ? -1 : 1;
    return (x > y) - (x < y);
}

/* Sorts the children of each node by their places. */
static void sort_children(Transfer *t) {
    const Node **order = mem_alloc((size_t)t->count * sizeof *order);
    size_t count = 0;
    for (ptrdiff_t k = 1; k < t->count; k++)
        if (t->nodes[k].placed) order[count++] = &t->nodes[k];
    qsort(order, count, sizeof *order, compare);
    for (ptrdiff_t k = 0; k < t->count; k++) t->nodes[k].first_child = t->nodes[k].last_child = t->nodes[k].next = 0;
    for (size_t k = 0; k < count; k++) add_child(t, order[k]->parent, order[k] - t->nodes);
    mem_free(order);
}

/* NOLINTBEGIN(clang-analyzer-core.NullDereference): there are units before u, or there is a unit u */
/* Where in the text the unit before u ends, and where unit u begins. */
static size_t end_before(const Transfer *t, ptrdiff_t u) { return u ? t->units[u - 1].end : 0; }
static size_t begin_of(const Transfer *t, ptrdiff_t u) {
    return u < arrlen(t->units) ? t->units[u].begin : strlen(t->text);
}
/* NOLINTEND(clang-analyzer-core.NullDereference) */

/* Writes the text from *at up to a byte; nothing if it is already written. */
static void write_text(const Transfer *t, FILE *out, size_t *at, size_t end) {
    if (end <= *at) return;
    entities_write(out, t->text + *at, end - *at);
    *at = end;
}

/* Writes the start of a node, with the text before it. A copied element replaces its units; if it has none, it becomes
   a word of its own, with a space if the text has spaces. */
static void write_start(const Transfer *t, FILE *out, size_t *at, const Node *node) {
    const bool added = node->mark->copied && node->first == node->last;
    const bool space = added && strchr(t->text, ' ');
    write_text(t, out, at, added || node->mark->end ? end_before(t, node->first) : begin_of(t, node->first));
    if (space && node->first) fputc(' ', out);
    fputs(node->mark->text, out);
    if (space && !node->first) fputc(' ', out);
    if (node->mark->copied && !added) *at = end_before(t, node->last);
}

/* Walks over the tree, writes the tags and the text between them, and takes each child from its list. */
static void write_html(Transfer *t, const Mark *marks, FILE *out) {
    size_t at = 0;
    for (ptrdiff_t k = 0; k >= 0;) {
        Node *node = &t->nodes[k];
        const ptrdiff_t child = node->first_child;
        if (child) {
            node->first_child = t->nodes[child].next;
            write_start(t, out, &at, &t->nodes[child]);
            k = child;
            continue;
        }
        if (k && node->mark->partner >= 0) {
            if (node->first < node->last) write_text(t, out, &at, end_before(t, node->last));
            fputs(marks[node->mark->partner].text, out);
        }
        k = node->parent;
    }
    write_text(t, out, &at, strlen(t->text));
}

char *inline_markup_transfer(const Mark *marks, const char *sentence, const Alignment *alignment, const char *text) {
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    Transfer t = {.text = text};
    read_alignment(&t, alignment);
    make_nodes(&t, marks, sentence);
    place_nodes(&t);
    sort_children(&t);
    write_html(&t, marks, out);
    mem_free(t.nodes);
    arrfree(t.units);
    arrfree(t.columns);
    mem_free(t.sums);
    mem_free(t.owners);
    return memory_close(&memory, NULL);
}

/* The alignment of a copied sentence: each piece with itself. */
static Alignment alignment_with_itself(const Translations *found, int i) {
    const Side *side = &found->translator->source;
    char **source = side_spell(side, found->sentences[i]), **target = side_spell(side, found->sentences[i]);
    const int n = (int)arrlen(source);
    float *weight = mem_zalloc((size_t)n * (size_t)n * sizeof *weight);
    for (int k = 0; k < n; k++) weight[(ptrdiff_t)k * n + k] = 1;
    Alignment alignment = alignment_new(source, n, target, n, weight);
    mem_free(weight);
    strings_free(source);
    strings_free(target);
    return alignment;
}

char *translation_html(const Translations *found, int i, int k, const Mark *marks, char *text) {
    const Nbest *nbest = &found->nbest[i];
    const Hypothesis none = {0};
    Alignment alignment = found->copied[i]
                              ? alignment_with_itself(found, i)
                              : translation_alignment(found, i, k < nbest->count ? &nbest->list[k] : &none);
    char *html = inline_markup_transfer(marks, found->sentences[i], &alignment, text);
    alignment_free(&alignment);
    mem_free(text);
    return html;
}
