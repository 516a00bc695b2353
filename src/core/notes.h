/* notes.h: copies of named values of a pass, for a reader who wants to see what a model computes. */
#ifndef TIDE_NOTES_H
#define TIDE_NOTES_H

#include "core/tape.h"

/* A copy of a matrix or of its last row. It is named like a weight: of = "attention", name = "alpha". */
typedef struct Note Note;
struct Note {
    Note *before;
    const char *of, *name;
    int rows, cols;
    real *values;
};

/* The notes of a pass, one for each name: if a value is computed again, as in each step of a recurrent decoder, its
   last copy counts. All zero: empty. */
struct Notes {
    Arena arena;
    Note *last; /* list of all notes, the newest name first */
};

void notes_take(Notes *notes, const char *of, const char *name, const Var *var, int first);
void notes_free(Notes *notes);

/* Copies values, if somebody wants notes, because later ops may overwrite them: tape_note the last row of a matrix,
   which belongs to the last step, and tape_note_rows all rows. Both names must live as long as the notes. */
static inline void tape_note(const Tape *tape, const char *of, const char *name, const Var *var) {
    if (tape->notes) notes_take(tape->notes, of, name, var, var->rows - 1);
}
static inline void tape_note_rows(const Tape *tape, const char *of, const char *name, const Var *var) {
    if (tape->notes) notes_take(tape->notes, of, name, var, 0);
}

#endif
