/* presets.h: finds the presets of `tide train --preset`. A preset is a file NAME.conf in one of four folders:
   share/tide of an installed PREFIX/bin/tide; models/ of the source tree, for build/release/tide; models/ beside the
   program; models/ in the current folder, for the user's own presets. The first folder that has the file wins. The
   program itself has tide's presets, for a copy without these folders. */
#ifndef TIDE_PRESETS_H
#define TIDE_PRESETS_H

#include "io/files.h"

/* Reads a preset. Returns its text, owned by the caller, and writes its path, or "preset NAME", to `path`. NULL with
 *err filled if there is no such preset, or the file cannot be read or holds a NUL. */
char *preset_read(const char *name, char path[PATH_SIZE], Err *err);
/* Reads a text file whole, in the same way. */
char *configuration_read(const char *path, Err *err);
/* Prints a line for each preset: its name, and the first sentence of its first comment. Returns 0, or -1 with *err
   filled. */
int presets_print(Err *err);

#endif
