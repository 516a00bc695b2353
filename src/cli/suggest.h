/* suggest.h: the name that a person may have meant. */
#ifndef TIDE_SUGGEST_H
#define TIDE_SUGGEST_H

/* The name that is most similar to a word. In this order: the name of tide for what other toolkits call the word
   (--lr), a name in which one letter differs, a name that begins with the word, a name in which few letters differ, a
   name of which the word is a part between dashes (`epochs` of after-epochs). Begin with {.word = word, .distance =
   UNLIKE}. */
enum { UNLIKE = 99 };
typedef struct Nearest {
    const char *word;
    const char *name; /* NULL: no name is similar */
    int distance;
} Nearest;

/* Takes another name, if it is more similar than those before. */
void suggest_nearest(Nearest *nearest, const char *name);

/* Returns an explanation for a flag of other programs that has no counterpart, or NULL. word: the flag as typed, also
   with `=VALUE`. usage: the usage line of the command, which decides what applies to it. */
const char *suggest_instead(const char *word, const char *usage);

#endif
