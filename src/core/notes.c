#include "core/notes.h"

#include <string.h>

/* Returns the note of this name, which may be new. */
static Note *note_of(Notes *notes, const char *of, const char *name) {
    Note *note = notes->last;
    while (note && (strcmp(note->name, name) != 0 || strcmp(note->of, of) != 0)) note = note->before;
    if (note) return note;
    note = arena_alloc(&notes->arena, sizeof *note);
    *note = (Note){.before = notes->last, .of = of, .name = name};
    return notes->last = note;
}

void notes_take(Notes *notes, const char *of, const char *name, const Var *var, int first) {
    Note *note = note_of(notes, of, name);
    const size_t size = (size_t)(var->rows - first) * (size_t)var->cols;
    if (!note->values || (size_t)note->rows * (size_t)note->cols < size)
        note->values = arena_alloc(&notes->arena, size * sizeof *note->values);
    note->rows = var->rows - first;
    note->cols = var->cols;
    memcpy(note->values, var_row_values(var, first), size * sizeof *note->values);
}

void notes_free(Notes *notes) {
    arena_free(&notes->arena);
    *notes = (Notes){0};
}
