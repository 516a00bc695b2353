/* choice.h: lists of names such as "char|bpe|none". The value of a name is its index in the list. */
#ifndef TIDE_CHOICE_H
#define TIDE_CHOICE_H

/* Returns the index of a name in a list, from 0; -1 if the list does not have the name. */
int choice_find(const char *choices, const char *name);
/* Returns a pointer to the name at an index of a list, and its length in bytes; NULL if there is no such index. */
const char *choice_name(const char *choices, int index, int *length);

#endif
