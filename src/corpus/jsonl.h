/* jsonl.h: reads the pair of a line of JSON, as data sets are exported: {"zh": "…", "en": "…"} or
   {"translation": {"zh": "…", "en": "…"}}. */
#ifndef TIDE_JSONL_H
#define TIDE_JSONL_H

#include "io/lines.h"

#include <cJSON.h>

typedef struct Jsonl {
    cJSON *line;         /* the current line; NULL: it is blank */
    const char *text[2]; /* source and target, valid until the next line; "": the line does not have this text */
    long both;           /* the number of lines with both languages */
    char seen[128];      /* the names in the first line without both languages, each after a space; "": no such line */
} Jsonl;

/* Reads the current line of `lines`. langs: the codes of source and target. The text is the value whose name is the
   code; if there is none, the first value whose name is a variant of the code (language_is_variant).
   Returns 0, or -1 with *err filled: the line is not a JSON object, has more than 65,536 values, has a NUL, or one of
   the texts is neither a string nor null. */
int jsonl_parse(Jsonl *jsonl, const LineReader *lines, const char *const langs[2], Err *err);
/* After the last line: returns 0, or -1 with *err filled if there were lines, but none had both languages. */
int jsonl_end(const Jsonl *jsonl, const LineReader *lines, const char *const langs[2], Err *err);
void jsonl_free(Jsonl *jsonl);

#endif
