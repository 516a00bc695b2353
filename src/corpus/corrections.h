/* corrections.h: translations that people corrected, in a file of their own: one object of JSON in each line,

     {"id":1,"time":"2026-11-29T12:00:00Z","model":"zh-en","langs":["zh","en"],"source":"…","translation":"…",
      "correction":"…"}
     {"deleted":1,"time":"2026-11-29T12:05:00Z"}

   without the line break of this comment. The file only grows while it is open, and a line is on the disk before the
   call that wrote it returns. So whenever the process is killed, every correction that was acknowledged is in the file,
   and only its last line can be incomplete. */
#ifndef TIDE_CORRECTIONS_H
#define TIDE_CORRECTIONS_H

#include "core/base.h"

#include <stdio.h>

enum { CORRECTION_CHARACTERS = 2000 }; /* limit for each text of a correction, in code points */

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

/* Whether a correction can be accepted: returns 0, or -1 with the reason in *err. `id` is not read; `time` may be NULL.
   Refused: a text that is not valid UTF-8, is blank (the translation may be), has more than CORRECTION_CHARACTERS, or
   has a control character or a line break that is neither a tab nor at one of its ends; a correction that equals its
   source after normalisation, or is so much longer or shorter that it cannot be a translation; one in a wrong script: a
   correction into Chinese or Japanese without their characters, unless all its words stand in the source; one into
   English without Latin letters; one into a language without Han characters that has more of them than of letters.
   Markup is text. Codes of languages have 1 to 35 letters, digits, '-' and '_'. */
int correction_check(const Correction *correction, Err *err);

/* The corrections of a file that are not deleted, without a lock and without changing the file: a stb_ds array by
   ascending id, not NULL even if it is empty; release with corrections_free. The file may be compressed, may have blank
   lines, and may lack the last newline; an incomplete last line is skipped. The texts are valid UTF-8 without NULs, but
   not checked otherwise: see correction_check. Returns NULL with *err filled: the file cannot be read, or a line is not
   as above (path and line). */
Correction *corrections_read(const char *path, Err *err);
/* Releases a stb_ds array of corrections; NULL is accepted. */
void corrections_free(Correction *corrections);

/* Of n corrections those that count, in their order: a later correction of the same sentence in the same languages
   takes the place of an earlier one. Sentences are the same if their normalised texts are equal. Returns a stb_ds array
   of pointers into `all`, NULL if n is 0; release with arrfree. */
const Correction **corrections_current(const Correction *all, int n);

/* Writes a correction as a line of a file. The caller looks at ferror. */
void correction_write(FILE *out, const Correction *correction);

/* Writes a translation memory (TMX 1.4b), with the time of each correction as creation date, and the name of the model
   as a property "x-model". A character that XML cannot have is written as U+FFFD. The caller looks at ferror. */
void corrections_write_tmx(FILE *out, const Correction *const *corrections, int n);

/* A file that this process can change. Not thread-safe: the caller lets one thread at a time use it. */
typedef struct CorrectionFile CorrectionFile;

/* Opens a file, and creates it if it does not exist (mode 0600; the directory, too, with mode 0700). Locks it until it
   is closed or the process ends in any way; a second opener fails. Brings the file in order: cuts off an incomplete
   last line, and if entries are deleted, writes the file anew without their texts (a line "deleted" with the greatest
   id stays, if needed, so that no id is used again). most_bytes: the limit for corrections_add. Returns NULL with *err
   filled: the file is in use, is not a regular file or cannot be written; a line is broken (path and line), and then
   nothing is changed. warning->reason is "", unless the file system has no locks, a last line was cut off, or the disk
   is too full to write the file anew. */
CorrectionFile *corrections_open(const char *path, size_t most_bytes, Err *warning, Err *err);
/* Unlocks the file and releases everything. Does nothing for NULL. */
void corrections_close(CorrectionFile *file);

/* The corrections that are not deleted, by ascending id. Sets *n to their number. Valid until the next call of
   corrections_add, corrections_delete or corrections_close; the texts of an entry until it is deleted. */
const Correction *corrections_all(const CorrectionFile *file, int *n);
/* Bytes of the file. */
size_t corrections_size(const CorrectionFile *file);

/* Appends a copy of a correction, without blanks at the ends of its texts, and sets *id. `id` is not read; if `time` is
   NULL, it is now. If the correction that counts for this sentence (corrections_current) is the same, nothing is
   written, and *id is its id. Returns 0 when the line is on the disk, or -1 with *err filled: correction_check refuses
   the correction, the file would have more than most_bytes, it cannot be written (a full disk), or it was removed. Then
   the file is as it was before. */
int corrections_add(CorrectionFile *file, const Correction *correction, long *id, Err *err);
/* Deletes an entry: appends a line, for which most_bytes is no limit. The text of the entry stays in the file until it
   is opened again. If an earlier correction of the same sentence is left, that one counts from now on. Returns 0 when
   the line is on the disk; with *err filled 1, if there is no such entry, or -1, if the file cannot be written. */
int corrections_delete(CorrectionFile *file, long id, Err *err);

#endif
