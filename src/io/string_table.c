#include "io/string_table.h"
#include "core/base.h"
#include "io/ds.h"

#include <limits.h>
#include <string.h>
#include <xxhash.h>

enum { BLOCK = 1 << 14 };

int string_table_count(const StringTable *table) { return (int)arrlen(table->strings); }

/* The slot with the number of a string, or the empty slot for it. Requires slots. */
static int *slot_of(const StringTable *table, const char *text, size_t n) {
    for (size_t at = (size_t)XXH3_64bits(text, n);; at++) {
        int *slot = &table->numbers[at & (table->slots - 1)];
        if (*slot < 0) return slot;
        const char *there = table->strings[*slot];
        if (!strncmp(there, text, n) && !there[n]) return slot;
    }
}

int string_table_find(const StringTable *table, const char *text, size_t n) {
    return table->slots ? *slot_of(table, text, n) : -1;
}

/* Makes room for `count` strings in all. */
static void reserve(StringTable *table, size_t count) {
    size_t slots = table->slots ? table->slots : 16;
    while (slots < 2 * count) slots *= 2;
    if (slots == table->slots) return;
    arrsetcap(table->strings, slots / 2);
    table->slots = slots;
    table->numbers = mem_realloc(table->numbers, slots * sizeof *table->numbers);
    memset(table->numbers, 0xff, slots * sizeof *table->numbers);
    for (int i = 0; i < string_table_count(table); i++)
        *slot_of(table, table->strings[i], strlen(table->strings[i])) = i;
}

/* Both texts as one string of *n bytes; owned by the caller. No text of a line has the byte between them. */
static char *join(const char *left, const char *right, size_t *n) {
    const size_t first = strlen(left), second = strlen(right);
    char *pair = mem_alloc(first + 1 + second);
    memcpy(pair, left, first);
    pair[first] = '\n';
    memcpy(pair + first + 1, right, second);
    *n = first + 1 + second;
    return pair;
}

int string_table_find_pair(const StringTable *table, const char *left, const char *right) {
    size_t n;
    char *pair = join(left, right, &n);
    const int number = string_table_find(table, pair, n);
    mem_free(pair);
    return number;
}

int string_table_add_pair(StringTable *table, const char *left, const char *right) {
    size_t n;
    char *pair = join(left, right, &n);
    const int number = string_table_add(table, pair, n);
    mem_free(pair);
    return number;
}

void string_table_reserve_lines(StringTable *table, const char *text) {
    size_t lines = 0;
    for (; (text = strchr(text, '\n')); text++) lines++;
    reserve(table, lines);
}

/* A copy of n bytes with a '\0', in a block of the table. */
static char *copy(StringTable *table, const char *text, size_t n) {
    if (n >= table->room) {
        table->room = n >= BLOCK ? n + 1 : BLOCK;
        table->end = mem_alloc(table->room);
        arrput(table->blocks, table->end);
    }
    char *string = memcpy(table->end, text, n);
    string[n] = '\0';
    table->end += n + 1;
    table->room -= n + 1;
    return string;
}

int string_table_add(StringTable *table, const char *text, size_t n) {
    const int number = string_table_count(table);
    CHECK(number < INT_MAX, "too many strings");
    reserve(table, (size_t)number + 1);
    int *slot = slot_of(table, text, n);
    if (*slot < 0) {
        *slot = number;
        arrput(table->strings, copy(table, text, n));
    }
    return *slot;
}

void string_table_free(StringTable *table) {
    strings_free(table->blocks);
    arrfree(table->strings);
    mem_free(table->numbers);
    *table = (StringTable){0};
}
