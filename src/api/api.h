/* api.h: what the files of the public API share: how a call runs, fails, and copies its options. */
#ifndef TIDE_API_H
#define TIDE_API_H

#include "core/scope.h"
#include "tide.h"
#include "translate/ensemble.h"
#include "translate/session.h"

#include <locale.h>
#include <stdatomic.h>

struct TideModel {
    Translator translator;
    char *name;       /* its path, for errors */
    atomic_int holds; /* the caller's, and one for each session */
};

enum { ERROR_SIZE = 1024 };

struct TideSession {
    TideModel **models; /* [count] */
    int count, threads;
    Scope scope; /* owns the rest, which the first call makes, and the first one after a failed call */
    bool ready;  /* the session has the rest */
    Threads *pool;
    Session session;
    char error[ERROR_SIZE];
};

/* One call of a public function. It is the first member of the struct with the call's arguments. */
typedef void CallWork(void *call);
typedef struct Call {
    TideStatus status;
    char *error; /* ERROR_SIZE bytes */
    CallWork *work;
    TideSession *session; /* that the call uses; NULL: none */
    locale_t host;        /* the locale of the thread outside of the call */
} Call;

/* Runs work(call) in the scope and in the locale "C". Returns the call's status, or that of a failure that ended the
   scope; fills call->error. */
TideStatus call_run(Call *call, Scope *scope, CallWork *work);
/* The same for a call without session, whose scope ends with the call. The memory that a successful call did not free
   or give away with scope_keep is released. *error (NULL: none), of `size` bytes, receives the line about a failure. */
TideStatus call_once(Call *call, CallWork *work, char *error, size_t size);
/* The same for a call of a session, which may be NULL: that is an error. `work` may use session->session. */
TideStatus call_session(Call *call, TideSession *session, CallWork *work);
/* Sets the status of a call and its line of text. */
void call_fail(Call *call, TideStatus status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Sets the status, and the text of an Err. name: the word before a line number of an Err without path; NULL: none. */
void call_fail_err(Call *call, TideStatus status, const char *name, const Err *err);

/* Copies the caller's options, whose first member is their size, to `options` of `size` bytes, and fills the rest with
   zeros. options == NULL: all zeros. Returns 0, or -1 with the call's status set if the size cannot be right, or if the
   caller set an option that this version does not know. */
int options_copy(Call *call, const void *given, void *options, size_t size);
/* Makes what the session computes with, unless it is there. Called in the session's scope. */
void session_ready(TideSession *session);
/* Whether `value` is between least and most; fails the call if it is not. */
bool option_between(Call *call, const char *name, int value, int least, int most);
/* Checks that all of n texts are given. */
bool texts_given(Call *call, const char *name, const char *const *texts, int n);

/* ---- results ---- */

/* One hypothesis before it is packed into a result. */
typedef struct Draft {
    char *text; /* owned */
    double log_probability, score;
    int pieces;
    Alignment alignment; /* owned */
} Draft;

/* A result for n sentences, each of which is still NULL. */
TideResult *result_new(int n);
/* Sets sentence i of a result to n hypotheses. Releases what the drafts own. */
void result_set(TideResult *result, int i, Draft *drafts, int n);
/* Gives a complete result to the caller: it no longer belongs to the scope. Returns it. */
TideResult *result_keep(TideResult *result);

#endif
