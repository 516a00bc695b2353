#include "text/edit_distance.h"

#include "core/base.h"
#include "io/utf8.h"

#include <stdlib.h>

enum { BITS = 64 };

/* D is the table of the distances between the first i characters of the pattern and the first j of the text. A block
   has 64 rows of a column of D, as differences: bit i of `plus` is set if row i of D is one above row i − 1, bit i of
   `minus` if it is one below. */
typedef struct EditBlock {
    uint64_t plus, minus;
} EditBlock;

/* The slot of a character, or the empty one that it would get. */
static uint32_t slot_of(const EditPattern *p, int32_t c) {
    uint32_t at = (uint32_t)c * 0x9e3779b9u >> 8 & p->mask;
    while (p->slots[at] && p->slots[at] != c) at = (at + 1) & p->mask;
    return at;
}

EditPattern edit_pattern(const char *text) {
    EditPattern p = {.length = (int)utf8_count(text), .mask = 15};
    while (p.mask < 2 * (uint32_t)p.length) p.mask = 2 * p.mask + 1;
    p.blocks = (p.length + BITS - 1) / BITS;
    p.slots = mem_zalloc((p.mask + 1) * sizeof *p.slots);
    p.places = mem_zalloc((p.mask + 1) * (size_t)p.blocks * sizeof *p.places);
    p.column = mem_alloc((size_t)p.blocks * sizeof *p.column);
    for (int i = 0; i < p.length; i++) {
        const int32_t c = utf8_next(&text);
        const uint32_t slot = slot_of(&p, c);
        p.slots[slot] = c;
        p.places[slot * (size_t)p.blocks + (size_t)(i / BITS)] |= (uint64_t)1 << i % BITS;
    }
    return p;
}

void edit_pattern_free(EditPattern *p) {
    mem_free(p->slots);
    mem_free(p->places);
    mem_free(p->column);
    *p = (EditPattern){0};
}

/* Computes a block of the next column. equal: the rows whose character is that of the column. above: the difference
   between the two columns in the row above the block: 1, 0 or -1. Returns this difference in row `last` of the
   block. */
static int next_column(EditBlock *b, uint64_t equal, int above, int last) {
    const uint64_t vertical = equal | b->minus;
    if (above < 0) equal |= 1;
    const uint64_t diagonal = (((equal & b->plus) + b->plus) ^ b->plus) | equal;
    uint64_t plus = b->minus | ~(diagonal | b->plus), minus = b->plus & diagonal;
    const int difference = (int)(plus >> last & 1) - (int)(minus >> last & 1);
    plus = plus << 1 | (above > 0);
    minus = minus << 1 | (above < 0);
    b->plus = minus | ~(vertical | plus);
    b->minus = plus & vertical;
    return difference;
}

int edit_distance(const EditPattern *p, const char *text, int length, int most) {
    int distance = p->length; /* in the last row of the column */
    if (!p->length) return length;
    for (int k = 0; k < p->blocks; k++) p->column[k] = (EditBlock){~(uint64_t)0, 0};
    for (int j = 0; j < length; j++) {
        const uint64_t *equal = &p->places[slot_of(p, utf8_next(&text)) * (size_t)p->blocks];
        int above = 1; /* row 0 of column j of D is j */
        for (int k = 0; k < p->blocks; k++)
            above = next_column(&p->column[k], equal[k], above, k + 1 < p->blocks ? BITS - 1 : (p->length - 1) % BITS);
        distance += above;
        if (distance - (length - 1 - j) > most) return most + 1; /* each column can reduce it by one */
    }
    return distance;
}
