/* models.h: the models that the server has loaded. A model can be replaced while requests use it. */
#ifndef TIDE_SERVE_MODELS_H
#define TIDE_SERVE_MODELS_H

#include "serve/reply.h"
#include "translate/glossary.h"
#include "translate/shortlist.h"
#include "translate/translator.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

/* A loaded model, shared by all that hold it. */
typedef struct Served {
    Translator translator;
    Glossary glossary;   /* of every request; all zero: none */
    Shortlist shortlist; /* all zero: none */
    const char *name;    /* of its place */
    int place;           /* the number of its place */
    atomic_int holds;
} Served;

/* The paths of a model and of what it translates with, and the numbers of its shortlist; see shortlist_read. */
typedef struct ModelFiles {
    const char *model, *glossary, *shortlist; /* glossary, shortlist: NULL: none */
    int first, best;
} ModelFiles;

/* Loads a model, held once, with the name and the number of its place. NULL with *err filled if a file cannot be read
   or memory is refused. The name must live longer. */
Served *served_load(const ModelFiles *files, const char *name, int place, Err *err);
void served_hold(Served *served);
/* Releases the model with its last holder. NULL: does nothing. */
void served_drop(Served *served);

/* The place of one model. */
typedef struct Place {
    ModelFiles files;
    char *dir;  /* of the model: its path, without model.safetensors */
    char *name; /* value of the field `model`: the last part of the path, or the path if that is not unique */
    Served *served;
    Reply report;    /* the last page of live_report.h, with a shared body; status 0: none. One thread uses it */
    struct stat log; /* of the training, when the page was made */
    double made;     /* when the page was made, in seconds since 1970 */
    struct stat model, glossary, shortlist; /* of the files that `served` was read from; all zero: no such file */
} Place;

typedef struct ServedModels {
    Place *list; /* [count]; the places stay, their models change under the mutex */
    int count;
    pthread_mutex_t mutex;
} ServedModels;

/* Loads `count` models. Their paths must live longer. Returns 0; or -1 with *err filled if a file cannot be read, or if
   a model is given twice. Release with models_close in both cases. */
int models_open(ServedModels *models, const ModelFiles *files, int count, Err *err);
void models_close(ServedModels *models);
/* Loads the model of place i, its glossary and its shortlist again if one of their files has changed. Returns 1 if they
   were replaced, 0 if the files are the same, or -1 with *err filled; then the old ones stay, and the files are not
   read again before one of them changes. */
int models_reload(ServedModels *models, int i, Err *err);

/* Whether the state of a file is the same. */
bool state_same(const struct stat *a, const struct stat *b);

/* The number of the place of this name; of the first one, if the name is NULL. -1: there is none. */
int models_place(const ServedModels *models, const char *name);
/* Holds and returns the model of place i. */
Served *models_hold(ServedModels *models, int i);
/* Holds and returns the first model that translates from source to target (codes of a request; see language.h), and has
   the name (NULL: any). NULL if there is none. */
Served *models_find(ServedModels *models, const char *source, const char *target, const char *name);
/* Whether a model translates from source to target. */
bool models_translate(ServedModels *models, const char *source, const char *target);
/* The codes of all languages of the models, each once, sources first: a stb_ds array of owned strings. They are copies,
   because a model may be replaced at any time. */
char **models_codes(ServedModels *models);

#endif
