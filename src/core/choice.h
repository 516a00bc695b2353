/* choice.h: lists of names such as "char|bpe|none", in which a name stands for its index. */
#ifndef TIDE_CHOICE_H
#define TIDE_CHOICE_H

/* The index of a name in such a list, from 0; -1 for any other name. */
int choice_find(const char *choices, const char *name);
/* The inverse: where the name at an index begins in the list, and its length in bytes; NULL if the list is shorter. */
const char *choice_name(const char *choices, int index, int *length);

/* Makes such a list from a table, so that a new kind needs only one line in the table. The table is a macro
   KINDS(FIRST, NEXT) with the lines FIRST(id, name), NEXT(id, name), and so on. KINDS(CHOICE_FIRST, CHOICE_NEXT) is
   then the list of the names, in the order of the lines. */
#define CHOICE_FIRST(id, name) name
#define CHOICE_NEXT(id, name)  "|" name

#endif
