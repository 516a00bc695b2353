/* generations.h: the files of what a model has learned from the corrections of an account, or of all accounts. The
   folder of a model in an account has

     N/corrections.jsonl   the corrections from which generation N learned, and the other files of `tide learn`
     N/log                 what `tide learn` said
     served.json           {"generation": the one that is served, "newest": the last one that is finished}

   so that a server that was killed continues where it was. */
#ifndef TIDE_SERVE_GENERATIONS_H
#define TIDE_SERVE_GENERATIONS_H

#include "serve/accounts.h"

typedef struct Generations {
    const Accounts *accounts;
    ServedModels *models;
    int account; /* -1: all */
    int place;   /* of the model */
    char *dir;   /* owned */
} Generations;

/* Sets `dir`, below `folder` (see accounts_open); the other fields are set by the caller. Returns 0, or -1 with *err
   filled: the path is too long. Release with generations_free in both cases. */
int generations_open(Generations *generations, const char *folder, Err *err);
void generations_free(Generations *generations);

/* Reads which generation is served, 0: the model itself, and which one is finished last. */
void generations_state(const Generations *generations, int *served, int *newest);
/* Writes this, so that it survives a power failure. Returns 0, or -1 with *err filled. */
int generations_set_state(const Generations *generations, int served, int newest, Err *err);

/* A number that changes with the corrections. */
long generations_changes(const Generations *generations);
/* Counts the corrections that generation `newest` (0: none) has not seen, and those that it has (seen; NULL: does not
   count them). Returns 0, or -1 with *err filled. */
int generations_waiting(const Generations *generations, int newest, int *waiting, int *seen, Err *err);

/* Writes the path of a file of a generation; file NULL: of its folder. */
void generation_path(char path[PATH_SIZE], const Generations *generations, int generation, const char *file);
/* The files of its model; 0: the model itself. `path` receives the path of the model. */
ModelFiles generation_files(const Generations *generations, int generation, char path[PATH_SIZE]);
/* Makes its folder, with the corrections from which it learns; those of a learning that was interrupted stay, unless
   one of them was deleted since. Returns 0, or -1 with *err filled. */
int generation_begin(const Generations *generations, int generation, Err *err);
/* Removes the corrections of one that failed, so that the next learning begins with the corrections and the model of
   then. Does nothing while another process learns it. */
void generation_drop(const Generations *generations, int generation);
/* Whether it is finished, and whether it was accepted. */
bool generation_finished(const Generations *generations, int generation);
bool generation_accepted(const Generations *generations, int generation);
/* The last line that `tide learn` has said; "": none. */
enum { SAID_SIZE = sizeof((Err){0}.reason) };
void generation_said(const Generations *generations, int generation, char line[SAID_SIZE]);
/* Writes what `tide learn` has noted about it, as JSON; without the examples if they are texts of several keys. */
void generation_write(FILE *out, const Generations *generations, int generation);

#endif
