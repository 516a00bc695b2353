/* accounts.h: what belongs to a key: its corrections, and the memory that answers with them. Without keys there is one
   account, that of everyone. Nobody sees a text of another account. */
#ifndef TIDE_SERVE_ACCOUNTS_H
#define TIDE_SERVE_ACCOUNTS_H

#include "corpus/correction_file.h"
#include "serve/keys.h"
#include "serve/models.h"
#include "translate/translation_memory.h"

#include <stdatomic.h>

/* A direction of the models, and the pairs that are remembered in it. */
typedef struct Remembered {
    char *langs[2]; /* codes, owned */
    TranslationMemory *memory;
} Remembered;

extern const char account_file[]; /* the name of the file of corrections in the folder of an account */

typedef struct Account {
    char *dir; /* owned: a folder, whose name does not tell the key */
    pthread_mutex_t mutex;
    CorrectionFile *file;   /* under the mutex */
    Remembered *directions; /* [Accounts.directions], owned */
    atomic_long changes;    /* counts what was added and deleted */
} Account;

typedef struct Accounts {
    const Keys *keys;
    Account *list; /* [count]: one for each key, in their order; 0: the server keeps no corrections */
    int count;
    Remembered *common; /* [directions], owned: of translation memories in files, for everyone */
    int directions;
} Accounts;

/* Receives a line for the operator. */
typedef void AccountsNotice(void *context, const char *line);

/* Opens the accounts in `folder` (NULL: no corrections are kept), and reads `count` translation memories (TMX). The
   directions are those of the models. Returns 0, or -1 with *err filled: another server uses the folder, a file is
   broken, or a translation memory has no pair in any direction. Release with accounts_close in both cases. */
int accounts_open(Accounts *accounts, const char *folder, const char *const *memories, int count, const Keys *keys,
                  ServedModels *models, AccountsNotice *notice, void *context, Err *err);
void accounts_close(Accounts *accounts);

/* The account of a client whose key, if the server has keys, is one of them. NULL: no corrections are kept. */
Account *accounts_of(const Accounts *accounts, const char *key);

/* The translation that the account (NULL: none) or a file remembers for a normalised sentence, owned by the caller;
   NULL: there is none. *id is that of the correction; 0: it is from a file. */
char *accounts_find(const Accounts *accounts, const Account *account, const Translator *translator,
                    const char *sentence, long *id);
/* The `most` most similar pairs of both, as tm_similar gives them. Pairs of a file have the id 0. */
Similar *accounts_similar(const Accounts *accounts, const Account *account, const Translator *translator,
                          const char *sentence, int most, double least);

/* Keeps a correction, whose codes of languages are those of a model, and remembers it, as corrections_add does. */
int account_add(const Accounts *accounts, Account *account, const Correction *correction, long *id, Err *err);
/* Deletes a correction, as corrections_delete does. */
int account_delete(const Accounts *accounts, Account *account, long id, Err *err);

#endif
