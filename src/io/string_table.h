/* string_table.h: distinct strings, numbered from 0 in the order in which they were added: the pieces of a vocabulary,
   the words of a corpus. What belongs to a string is in an array of the caller, at the string's number. It hashes each
   string once and copies it into a block. */
#ifndef TIDE_STRING_TABLE_H
#define TIDE_STRING_TABLE_H

#include <stddef.h>

/* A table of all zeros is empty and ready. Several threads may read one table while none adds to it. */
typedef struct StringTable {
    char **strings; /* stb_ds array: string 0, string 1, ..; each stays in its block until string_table_free */
    int *numbers;   /* hash table with open addressing; -1: empty slot */
    size_t slots;   /* the length of `numbers`: 0 or a power of two; at least twice the number of strings */
    char **blocks;  /* stb_ds array of owned memory */
    char *end;      /* where the next string is stored, in the newest block */
    size_t room;    /* bytes from there to the end of the block */
} StringTable;

int string_table_count(const StringTable *table);
/* The number of the string of n bytes at `text`, which contain no '\0'; -1 if it is not in the table. */
int string_table_find(const StringTable *table, const char *text, size_t n);
/* The same, but adds a copy of a string that is not in the table. At most INT_MAX strings. */
int string_table_add(StringTable *table, const char *text, size_t n);
/* The number of a pair of texts, as one string; -1 if it is not in the table. The second one adds the pair. */
int string_table_find_pair(const StringTable *table, const char *left, const char *right);
int string_table_add_pair(StringTable *table, const char *left, const char *right);
/* Makes room for one string for each line of `text`, so that the table need not grow later. */
void string_table_reserve_lines(StringTable *table, const char *text);
void string_table_free(StringTable *table);

#endif
