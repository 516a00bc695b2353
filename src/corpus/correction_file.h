/* correction_file.h: a file of corrections (corrections.h) that this process changes. It only grows while it is open,
   and a call that adds a line returns only when the line is on the disk. So if the process is killed, every correction
   that was acknowledged is in the file, and only its last line can be incomplete. */
#ifndef TIDE_CORRECTION_FILE_H
#define TIDE_CORRECTION_FILE_H

#include "corpus/corrections.h"

/* Not thread-safe: the caller lets one thread at a time use it. */
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
