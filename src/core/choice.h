/* choice.h: lists of names such as "char|bpe|none". The value of a name is its index in the list. */
#ifndef TIDE_CHOICE_H
#define TIDE_CHOICE_H

/* Returns the index of a name in a list, from 0; -1 if the list does not have the name. */
int choice_find(const char *choices, const char *name);
/* Returns a pointer to the name at an index of a list, and its length in bytes; NULL if there is no such index. */
const char *choice_name(const char *choices, int index, int *length);

/* Makes a list from a table, so that a new kind needs only one line in the table. The table is a macro KINDS(FIRST,
   NEXT) with the lines FIRST(id, name), NEXT(id, name), and so on. KINDS(CHOICE_FIRST, CHOICE_NEXT) is the list of
   the names in the order of the lines. */
#define CHOICE_FIRST(id, name) name
#define CHOICE_NEXT(id, name)  "|" name

#endif
