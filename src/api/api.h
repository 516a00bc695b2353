/* api.h: what the files of the public API share: how a call runs, fails, and copies its options. */
#ifndef TIDE_API_H
#define TIDE_API_H

#include "core/scope.h"
#include "tide.h"
#include "translate/ensemble.h"
#include "translate/explain.h"
#include "translate/search_options.h"
#include "translate/session.h"
#include "translate/shortlist.h"

#include <stdatomic.h>

struct TideModel {
    Translator translator;
    char *name;            /* its path, for errors */
    const char **tags;     /* a stb_ds array that ends in NULL */
    atomic_int references; /* the caller's, and one for each session and each shortlist */
};

struct TideShortlist {
    Shortlist list;
    TideModel *model; /* with a reference to it */
};

enum { ERROR_SIZE = 1024 };

struct TideSession {
    TideModel **models; /* [count] */
    int count, threads;
    char error[ERROR_SIZE];
    Scope scope; /* owns pool and session; empty: they do not exist, and the next call makes them (session_open) */
    Threads *pool;
    Session session;
};

/* One call of a public function. It is the first member of the struct with the call's arguments. */
typedef void CallWork(void *call);
typedef struct Call {
    TideStatus status;
    char *error; /* ERROR_SIZE bytes */
    CallWork *work;
    TideSession *session; /* that the call uses; NULL: none */
    bool keeps;           /* for call_once: if the call succeeds, the caller owns all that it has taken */
    void *host;           /* the locale of the thread outside of the call: see locale_enter; NULL: memory was refused */
} Call;

/* Runs work(call) in `scope` and in the locale "C". call->error must be set; it receives the line about a failure, or
   "". Returns call->status: TIDE_OK, the status that `work` set with call_fail, TIDE_NO_MEMORY if an allocation was
   refused, or TIDE_INTERNAL if a CHECK failed. If `work` ended in one of the last two ways, the scope is empty. */
TideStatus call_run(Call *call, Scope *scope, CallWork *work);
/* Runs work(call) in a scope of its own. At the end of the call, releases the memory that `work` neither freed nor gave
   away with scope_keep, unless call->keeps. Returns as call_run does. error: NULL, or `size` bytes for the line about a
   failure. */
TideStatus call_once(Call *call, CallWork *work, char *error, size_t size);
/* Runs work(call) in the scope of the session, with session->session made. Returns as call_run does, or
   TIDE_BAD_ARGUMENT if session is NULL. tide_error(session) has the line about a failure. */
TideStatus call_session(Call *call, TideSession *session, CallWork *work);
/* Sets the status of a call and its line of text. Returns false, for `return call_fail(..)`. */
bool call_fail(Call *call, TideStatus status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Sets the status of a call and, as its line of text, an Err: "path:line: reason"; "name line: reason" if the Err has
   no path and name is not NULL; without a line number "path: reason" or "reason". Returns false. */
bool call_fail_err(Call *call, TideStatus status, const char *name, const Err *err);

/* Whether a struct of the caller can have this size: a smaller or a much larger number is not the size of a struct. */
bool struct_size_valid(size_t size);
/* Copies the caller's struct `given`, whose first member is its size, to `options` of `size` bytes. Fields that the
   caller's struct does not have are zero; given == NULL: all fields are zero. Returns false after call_fail: the
   size is not valid, or the caller set a field that this version does not know. */
bool options_copy(Call *call, const void *given, void *options, size_t size);
/* Makes pool and session of a TideSession whose scope is empty; otherwise does nothing. Runs in that scope. */
void session_open(TideSession *session);

/* Checks of arguments: return whether the argument is right; if it is not, they fail the call. */
bool option_between(Call *call, const char *name, int value, int least, int most);
/* n is not negative, and none of n texts is NULL. */
bool texts_given(Call *call, const char *name, const char *const *texts, int n);
/* The text of a file is valid UTF-8. */
bool file_text_given(Call *call, const char *name, const char *text);
/* A pointer is not NULL. */
bool argument_given(Call *call, const char *name, const void *pointer);
/* The options of a search are right, and the first `count` models can do what they ask for. Then the session gets the
   tag and the products of the search. */
bool search_begin(Call *call, const SearchOptions *search, int count);
/* Returns the normalised text, owned by the caller; NULL after call_fail. number: which of several texts it is, from 1;
   0: there is one only. */
char *call_normalise(Call *call, const char *name, int number, const char *text);

/* ---- results ---- */

/* One hypothesis before it is packed into a result. */
typedef struct Draft {
    char *text; /* owned */
    double log_probability, score;
    int pieces;
    double confidence;          /* -1: none */
    Alignment alignment;        /* owned */
    const double *piece_scores; /* [pieces]; NULL: none */
} Draft;

/* Returns a result for n sentences, each of which is still NULL. It belongs to the scope until result_keep. */
TideResult *result_new(int n);
/* Sets sentence i of a result to n hypotheses. Releases the texts and alignments of the drafts. */
void result_set(TideResult *result, int i, Draft *drafts, int n);
/* Returns n texts as one block, which belongs to the caller of the library, not to the scope. */
TidePieces *pieces_keep(char *const *texts, int n);
/* Returns a copy of an explanation as one block, which belongs to the caller of the library, not to the scope. */
TideExplanation *explanation_keep(const Explanation *explanation);
/* Gives a complete result to the caller of the library: it no longer belongs to the scope. Returns the result. */
TideResult *result_keep(TideResult *result);

#endif
