/* source_lines.h: the sentences of standard input for `tide translate`, read a bounded number ahead of their
   translation. */
#ifndef TIDE_SOURCE_LINES_H
#define TIDE_SOURCE_LINES_H

#include "io/lines.h"
#include "text/side.h"

typedef struct SourceLines {
    LineReader reader; /* all zero: the sentences are given */
    const Side *side;
    int max_length; /* limit for the pieces of a sentence */
    bool eager;     /* each line is translated when it arrives, and a line that is not text is refused */
    bool regular;   /* a file, from which a read never waits */
    bool ended;
    char **lines; /* stb_ds array, owned: normalised lines that are not translated yet */
    long total;   /* number of lines of the input; 0: not known */
    long refused; /* number of refused lines: standard error has a message about each, and `lines` an empty line */
    Err wrong;    /* why the input cannot be read after `lines`; reason "": there is no error */
} SourceLines;

/* Opens standard input. side: the source of the models; one_by_one: for input that is not a file, `eager` is wanted;
   for a terminal it always holds. Returns 0, or -1 with *err filled. Release with source_close. */
int source_open(SourceLines *source, const Side *side, int max_length, bool one_by_one, Err *err);
/* Makes the source one of given sentences: a stb_ds array, which it then owns. Release with source_close. */
void source_given(SourceLines *source, char **lines);
/* Refuses the given sentences that are too long, and makes their prefixes empty. prefixes: one for each sentence. */
void source_check(SourceLines *source, const Side *side, int max_length, char *const *prefixes);
/* Reads lines until enough are waiting, or until another read would wait while there are some. Refuses a line that is
   too long, and if the source is eager also one that is not text. Returns the number of waiting lines, 0 at the end, or
   -1 with *err filled: the input cannot be read further, and all lines before were taken. */
int source_fill(SourceLines *source, Err *err);
/* The exit status of a command that has translated all sentences: 0; EXIT_FAILED if one was refused; -1 with *err
   filled if several were refused. unit: what *err calls a sentence, such as "line". */
int source_status(const SourceLines *source, const char *unit, Err *err);
/* Removes the first n waiting lines. */
void source_take(SourceLines *source, int n);
void source_close(SourceLines *source);

#endif
