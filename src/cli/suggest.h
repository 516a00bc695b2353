/* suggest.h: the name that a person may have meant. */
#ifndef TIDE_SUGGEST_H
#define TIDE_SUGGEST_H

enum { UNLIKE = 99 };

/* The name that is most similar to a word, among the names that suggest_nearest has seen. Initial value: {.word = word,
   .distance = UNLIKE}. The most similar is the first of these:
   - the name in tide for what other toolkits call the word (learn-rate for `lr`);
   - a name that differs from the word in one letter;
   - a name that begins with the word;
   - a name that differs from the word in few letters;
   - a name that contains the word as a part between dashes (after-epochs for `epochs`). */
typedef struct Nearest {
    const char *word;
    const char *name; /* NULL: no name is similar */
    int distance;     /* of name; UNLIKE if there is none */
} Nearest;

/* Compares another name with the word, and keeps it if it is more similar than the names before. */
void suggest_nearest(Nearest *nearest, const char *name);

/* Returns an explanation for a flag of other programs that has no counterpart, or NULL. word: the flag as typed, also
   with `=VALUE`. usage: the usage line of the command, which decides what applies to it. */
const char *suggest_instead(const char *word, const char *usage);

#endif
