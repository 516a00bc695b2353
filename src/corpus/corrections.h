/* corrections.h: translations that people corrected, in a file of their own: one object of JSON in each line,

     {"id":1,"time":"2026-11-29T12:00:00Z","model":"zh-en","langs":["zh","en"],"source":"…","translation":"…",
      "correction":"…"}
     {"deleted":1,"time":"2026-11-29T12:05:00Z"}

   without the line break of this comment. correction_file.h changes such a file. */
#ifndef TIDE_CORRECTIONS_H
#define TIDE_CORRECTIONS_H

#include "core/base.h"

#include <stdbool.h>
#include <stdio.h>

enum { CORRECTION_IDS = 1 << 30 }; /* the greatest id */

/* All texts are UTF-8. */
typedef struct Correction {
    long id;           /* from 1, ascending within a file; never used again, not even after the entry was deleted */
    char *time;        /* UTC, "2026-11-29T12:00:00Z" */
    char *model;       /* the name of the model that translated */
    char *langs[2];    /* codes of source and target */
    char *source;      /* what was translated */
    char *translation; /* what the model wrote; NULL: unknown */
    char *correction;  /* what it should have written */
} Correction;

/* The corrections of a file that are not deleted, without a lock and without changing the file: a stb_ds array by
   ascending id, not NULL even if it is empty; release with corrections_free. The file may be compressed, may have blank
   lines, and may lack the last newline; an incomplete last line is skipped. The texts are valid UTF-8 without NULs, but
   not checked otherwise: see correction_check. Returns NULL with *err filled: the file cannot be read, or a line is not
   as above (path and line). */
Correction *corrections_read(const char *path, Err *err);
/* Releases the texts of a correction. */
void correction_clear(Correction *correction);
/* Releases a stb_ds array of corrections; NULL is accepted. */
void corrections_free(Correction *corrections);

/* Of n corrections those that count, in their order: a later correction of the same sentence in the same languages
   takes the place of an earlier one. Sentences are the same if their normalised texts are equal. Returns a stb_ds array
   of pointers into `all`, NULL if n is 0; release with arrfree. */
const Correction **corrections_current(const Correction *all, int n);

/* What corrections of the same sentence in the same languages share; the caller owns it. */
char *correction_key(const Correction *correction);
/* The index of an id in a stb_ds array by ascending id; -1: it is not there. */
int corrections_find(const Correction *all, long id);

/* What the lines of a file say. */
typedef struct CorrectionLines {
    Correction *all; /* stb_ds array by ascending id, not NULL: those that are not deleted */
    int deleted;     /* corrections that have lines in the file, but are deleted */
    long last_id;    /* the greatest id; 0: none */
    size_t size;     /* bytes up to the end of the last line that is complete */
    bool open_end;   /* this line lacks its newline */
} CorrectionLines;
/* Reads the `size` bytes of a file, and a NUL after them. Returns 0, or -1 with *err filled as corrections_read does;
   then nothing must be released. */
int corrections_parse(CorrectionLines *lines, const char *bytes, size_t size, const char *path, Err *err);

/* Whether a text has the form of the times in a file. */
bool correction_time_valid(const char *text);

/* Writes a correction as a line of a file. The caller looks at ferror. */
void correction_write(FILE *out, const Correction *correction);

/* Writes a translation memory (TMX 1.4b), with the time of each correction as creation date, and the name of the model
   as a property "x-model". A character that XML cannot have is written as U+FFFD. The caller looks at ferror. */
void corrections_write_tmx(FILE *out, const Correction *const *corrections, int n);

#endif
