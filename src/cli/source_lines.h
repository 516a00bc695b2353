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
    bool eager;     /* each line is translated when it arrives, and a line that cannot be translated is left out */
    bool regular;   /* a file, from which a read never waits */
    bool ended;
    char **lines; /* stb_ds array, owned: normalised lines that are not translated yet */
    long total;   /* number of lines of the input; 0: not known */
    long refused; /* lines that could not be translated */
    Err wrong;    /* what follows the lines; reason "": nothing is wrong */
} SourceLines;

/* Opens standard input. side: the source of the models; one_by_one: for input that is not a file, `eager` is wanted;
   for a terminal it always holds. Returns 0, or -1 with *err filled. Release with source_close. */
int source_open(SourceLines *source, const Side *side, int max_length, bool one_by_one, Err *err);
/* Makes the source one of given sentences: a stb_ds array, which it then owns. Release with source_close. */
void source_given(SourceLines *source, char **lines);
/* Reads lines until enough are waiting, or until another read would wait while there are some. Returns the number of
   waiting lines, 0 at the end, or -1 with *err filled: a line cannot be translated, and all lines before it were taken;
   or, at the end of eager input, some could not be translated. Such lines are printed on standard error when they
   arrive, and their place has an empty line. */
int source_fill(SourceLines *source, Err *err);
/* Removes the first n waiting lines. */
void source_take(SourceLines *source, int n);
void source_close(SourceLines *source);

#endif
