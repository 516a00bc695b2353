/* suggest.h: the name that a person may have meant. */
#ifndef TIDE_SUGGEST_H
#define TIDE_SUGGEST_H

/* Returns the index of the name that is most similar to `word`, or -1 if none is. In this order: the name of tide for
   what other toolkits call `word` (--lr), a name in which one letter differs, a name that begins with `word`, a name in
   which few letters differ, a name of which `word` is a part between dashes (`epochs` of after-epochs).
   name(context, i) returns name i, and NULL after the last one. */
int suggest_nearest(const char *word, const char *(*name)(const void *context, int i), const void *context);

/* Returns an explanation for a flag of other programs that has no counterpart, or NULL. word: the flag as typed, also
   with `=VALUE`. usage: the usage line of the command, which decides what applies to it. */
const char *suggest_instead(const char *word, const char *usage);

#endif
