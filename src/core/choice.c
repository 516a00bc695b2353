#include "core/choice.h"

#include <string.h>

const char *choice_name(const char *choices, int index, int *length) {
    for (; choices && index > 0; index--) {
        choices = strchr(choices, '|');
        if (choices) choices++;
    }
    *length = choices ? (int)strcspn(choices, "|") : 0;
    return choices;
}

int choice_find(const char *choices, const char *name) {
    const char *choice;
    int length;
    for (int i = 0; (choice = choice_name(choices, i, &length)); i++)
        if (length > 0 && !strncmp(choice, name, (size_t)length) && name[length] == '\0') return i;
    return -1;
}
