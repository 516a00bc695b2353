/* learning.h: models that learn from corrections. Each account has its own generations of a model (generations.h),
   unless all learn together. A learning is a process of its own, `tide learn`, at the lowest priority. */
#ifndef TIDE_SERVE_LEARNING_H
#define TIDE_SERVE_LEARNING_H

#include "serve/generations.h"

typedef struct LearnSetup {
    const char *folder; /* see accounts_open; not NULL */
    int after;          /* so many new corrections begin a learning; 0: only a request does */
    bool shared;        /* the models of all accounts learn from the corrections of all */
    const char *text;   /* pairs that keep what the model knows (TSV); NULL: those that `tide learn` finds */
    const char *dev;    /* a development set (TSV); NULL: the same */
    int threads;
} LearnSetup;

/* Who is told what happens, by the thread that learns. */
typedef struct LearnListener {
    void *context;
    AccountsNotice *notice;
    void (*replaced)(void *context); /* requests get another generation from now on */
} LearnListener;

typedef struct Learning Learning;

/* Loads the generations that are served, and starts the thread that waits for corrections. Everything must live longer.
   NULL with *err filled: a file cannot be read, or the thread cannot be started. */
Learning *learning_start(const LearnSetup *setup, const Accounts *accounts, ServedModels *models,
                         const LearnListener *listener, Err *err);
/* Interrupts a learning, which continues when the server starts again, and ends the thread. The other functions can
   still be called. NULL: does nothing. */
void learning_stop(Learning *learning);
/* Releases everything, after learning_stop. NULL: does nothing. */
void learning_free(Learning *learning);

/* Loads the generations of a place again: the lists with which they translate may have changed. Does not wait. */
void learning_reload(Learning *learning, int place);
/* Holds and returns the model that the account has in a place; NULL: the one of all. account NULL: none. */
Served *learning_hold(Learning *learning, const Account *account, int place);
/* Asks for a learning from all corrections that a model has not learned. Returns 0, or -1 with *err filled: there is
   none. */
int learning_ask(Learning *learning, const Account *account, int place, Err *err);
/* Serves an earlier generation, or a later one again; 0: the model with which the server was started. Returns 0, or -1
   with *err filled: there is no such generation, or it was refused. */
int learning_choose(Learning *learning, const Account *account, int place, int generation, Err *err);
/* Writes the state of all models of an account as JSON. */
void learning_write(Learning *learning, const Account *account, FILE *out);

#endif
