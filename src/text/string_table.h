/* string_table.h: distinct strings, numbered from 0 in the order in which they were added. The pieces of a vocabulary
   and of BPE merges are such tables: a command that translates one sentence spends most of its start on building them.
 */
#ifndef TIDE_STRING_TABLE_H
#define TIDE_STRING_TABLE_H

#include <stddef.h>

/* A table of all zeros is empty and ready. Several threads may read one table while none adds to it. */
typedef struct StringTable {
    const char **strings; /* stb_ds array; the strings are in `blocks` */
    int *numbers;         /* hash table with open addressing; -1: empty slot */
    size_t slots;         /* length of numbers: 0, or a power of two, at least 2 × the number of strings */
    char **blocks;        /* stb_ds array of owned memory */
    char *end;            /* where the next string is stored, in the newest block */
    size_t room;          /* bytes from there to the end of the block */
} StringTable;

int string_table_count(const StringTable *table);
/* String `number`, owned by the table; the pointer stays valid until string_table_free. */
const char *string_table_at(const StringTable *table, int number);
/* The number of the string of n bytes at `text`, which contain no '\0'; -1 if it is not in the table. */
int string_table_find(const StringTable *table, const char *text, size_t n);
/* The same, but adds a copy of a string that is not in the table. At most INT_MAX strings. */
int string_table_add(StringTable *table, const char *text, size_t n);
/* Makes room for as many strings as `text` has lines, which saves the steps of growing. Returns this number. */
size_t string_table_reserve_lines(StringTable *table, const char *text);
void string_table_free(StringTable *table);

#endif
