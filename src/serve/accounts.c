#include "serve/accounts.h"

#include "core/scope.h"
#include "corpus/correction_check.h"
#include "io/ds.h"
#include "io/files.h"
#include "text/unicode.h"

#include <sha2.h>
#include <stdio.h>
#include <string.h>

const char account_file[] = "corrections.jsonl";

enum { FOLDER_DIGITS = 16 };
static const size_t most_bytes = 64 << 20; /* of the corrections of an account */

/* ---- directions ------------------------------------------------------------------------------------------------- */

static Remembered *directions_new(const Accounts *accounts, const Remembered *like) {
    Remembered *list = mem_zalloc((size_t)(accounts->directions ? accounts->directions : 1) * sizeof *list);
    for (int i = 0; i < accounts->directions; i++) {
        for (int side = 0; side < 2; side++) list[i].langs[side] = mem_strdup(like[i].langs[side]);
        list[i].memory = tm_new();
    }
    return list;
}

static void directions_free(Remembered *list, int count) {
    for (int i = 0; list && i < count; i++) {
        for (int side = 0; side < 2; side++) mem_free(list[i].langs[side]);
        tm_free(list[i].memory);
    }
    mem_free(list);
}

/* The memory of a direction; NULL: there is none. */
static TranslationMemory *memory_of(const Remembered *list, int count, const char *source, const char *target) {
    for (int i = 0; i < count; i++)
        if (!strcmp(list[i].langs[SOURCE], source) && !strcmp(list[i].langs[TARGET], target)) return list[i].memory;
    return NULL;
}

/* The memory of a translator's direction, in the list of an account or of the files. */
static TranslationMemory *memory_for(const Accounts *accounts, const Remembered *list, const Translator *translator) {
    const ModelOptions *o = &translator->options;
    return memory_of(list, accounts->directions, o->langs[SOURCE], o->langs[TARGET]);
}

/* Finds the directions of the models. */
static void find_directions(Accounts *accounts, ServedModels *models) {
    Remembered *found = mem_zalloc((size_t)models->count * sizeof *found);
    accounts->common = found;
    for (int i = 0; i < models->count; i++) {
        Served *served = models_hold(models, i);
        const ModelOptions *o = &served->translator.options;
        if (!memory_for(accounts, found, &served->translator)) {
            Remembered *own = &found[accounts->directions++];
            for (int side = 0; side < 2; side++) own->langs[side] = mem_strdup(o->langs[side]);
            own->memory = tm_new();
        }
        served_drop(served);
    }
}

/* ---- opening ---------------------------------------------------------------------------------------------------- */

/* Reads a translation memory into each direction that it has. */
static int read_memory(const Accounts *accounts, const char *path, AccountsNotice *notice, void *context, Err *err) {
    const CorpusFiles files = {.form = FORM_TMX, .path = {path}};
    bool any = false;
    for (int i = 0; i < accounts->directions; i++) {
        const Remembered *own = &accounts->common[i];
        const char *const langs[2] = {own->langs[SOURCE], own->langs[TARGET]};
        TmCounts counts;
        char line[PATH_SIZE + 200];
        if (tm_read(own->memory, &files, langs, 0, &counts, err)) continue;
        any = true;
        snprintf(line, sizeof line, "%s: %ld pairs from %s to %s are remembered; %ld cannot be used", path,
                 counts.added, langs[SOURCE], langs[TARGET], counts.dropped);
        notice(context, line);
    }
    return any ? 0 : -1;
}

/* Remembers a correction. Its direction may be one that no model has any longer, and a file that somebody wrote may
   have sources of blanks. */
static void remember(const Accounts *accounts, const Account *account, const Correction *c) {
    size_t n;
    TranslationMemory *memory =
        memory_of(account->directions, accounts->directions, c->langs[SOURCE], c->langs[TARGET]);
    correction_trim(c->source, &n);
    if (memory && n) tm_put(memory, c->source, c->correction, c->id);
}

static void open_account(Accounts *accounts, Account *account, const char *folder, const char *key) {
    char digits[SHA256_DIGEST_STRING_LENGTH];
    MemoryFile path;
    if (key) SHA256Data((const uint8_t *)key, strlen(key), digits);
    fprintf(memory_open(&path), "%s/%.*s", folder, FOLDER_DIGITS, key ? digits : "everyone");
    account->dir = memory_close(&path, NULL);
    account->directions = directions_new(accounts, accounts->common);
    pthread_mutex_init(&account->mutex, NULL);
}

/* Opens the file of an account, and remembers its corrections. */
static int read_corrections(const Accounts *accounts, Account *account, AccountsNotice *notice, void *context,
                            Err *err) {
    char path[PATH_SIZE], line[ERR_TEXT];
    Err warning;
    int n;
    if (strlen(account->dir) + strlen(account_file) + 2 > sizeof path)
        return err_set(err, account->dir, 0, "the path is too long");
    path_in(path, account->dir, account_file);
    if (!(account->file = corrections_open(path, most_bytes, &warning, err))) return -1;
    if (*warning.reason) {
        err_text(&warning, line);
        notice(context, line);
    }
    const Correction *all = corrections_all(account->file, &n);
    for (int i = 0; i < n; i++) remember(accounts, account, &all[i]);
    return 0;
}

int accounts_open(Accounts *accounts, const char *folder, const char *const *memories, int count, const Keys *keys,
                  ServedModels *models, AccountsNotice *notice, void *context, Err *err) {
    *accounts = (Accounts){.keys = keys};
    find_directions(accounts, models);
    for (int i = 0; i < count; i++)
        if (read_memory(accounts, memories[i], notice, context, err)) return -1;
    if (!folder) return 0;
    if (directory_make_private(folder, err)) return -1;
    const int all = keys->count ? keys->count : 1;
    accounts->list = mem_zalloc((size_t)all * sizeof *accounts->list);
    for (; accounts->count < all; accounts->count++)
        open_account(accounts, &accounts->list[accounts->count], folder,
                     keys->count ? keys->list[accounts->count].text : NULL);
    for (int i = 0; i < all; i++)
        if (read_corrections(accounts, &accounts->list[i], notice, context, err)) return -1;
    return 0;
}

void accounts_close(Accounts *accounts) {
    for (int i = 0; i < accounts->count; i++) {
        Account *account = &accounts->list[i];
        corrections_close(account->file);
        directions_free(account->directions, accounts->directions);
        pthread_mutex_destroy(&account->mutex);
        mem_free(account->dir);
    }
    mem_free(accounts->list);
    directions_free(accounts->common, accounts->directions);
    *accounts = (Accounts){0};
}

/* ---- finding ---------------------------------------------------------------------------------------------------- */

Account *accounts_of(const Accounts *accounts, const char *key) {
    if (!accounts->count) return NULL;
    const Key *own = accounts->keys->count ? keys_find(accounts->keys, key) : NULL;
    return &accounts->list[own ? own - accounts->keys->list : 0];
}

char *accounts_find(const Accounts *accounts, const Account *account, const Translator *translator,
                    const char *sentence, long *id) {
    TranslationMemory *own = account ? memory_for(accounts, account->directions, translator) : NULL;
    TranslationMemory *common = memory_for(accounts, accounts->common, translator);
    char *found = own ? tm_find(own, sentence, id) : NULL;
    if (found || !common) return found;
    *id = 0;
    return tm_find(common, sentence, NULL);
}

/* Inserts a pair behind those that are as similar. */
static void insert(Similar **list, Similar pair) {
    arrput(*list, pair);
    for (ptrdiff_t at = arrlen(*list) - 1; at > 0 && (*list)[at - 1].similarity < pair.similarity; at--) {
        (*list)[at] = (*list)[at - 1];
        (*list)[at - 1] = pair;
    }
}

/* Releases the pairs after the first `most`. */
static void cut(Similar *list, int most) {
    if (!list || arrlen(list) <= most) return;
    for (ptrdiff_t i = most; i < arrlen(list); i++) {
        mem_free(list[i].source);
        mem_free(list[i].target);
    }
    arrsetlen(list, (size_t)most); /* does not move the list */
}

Similar *accounts_similar(const Accounts *accounts, const Account *account, const Translator *translator,
                          const char *sentence, int most, double least) {
    TranslationMemory *own = account ? memory_for(accounts, account->directions, translator) : NULL;
    TranslationMemory *common = memory_for(accounts, accounts->common, translator);
    Similar *found = own ? tm_similar(own, sentence, most, least) : NULL;
    Similar *others = common ? tm_similar(common, sentence, most, least) : NULL;
    for (ptrdiff_t i = 0; i < arrlen(others); i++) {
        others[i].id = 0;
        insert(&found, others[i]);
    }
    arrfree(others);
    cut(found, most);
    return found;
}

/* ---- changes: what outlives the request is allocated outside of its scope -----------------------------------------
 */

typedef struct Change {
    const Accounts *accounts;
    Account *account;
    const Correction *correction; /* to add */
    long id;                      /* to delete, or of what was added */
    int status;
    Err *err;
} Change;

/* The entry with the id of the change; NULL: there is none. */
static const Correction *entry_of(const Change *c) {
    int n;
    const Correction *all = corrections_all(c->account->file, &n);
    for (int i = n - 1; i >= 0; i--)
        if (all[i].id == c->id) return &all[i];
    return NULL;
}

static void add(void *context) {
    Change *c = context;
    c->status = corrections_add(c->account->file, c->correction, &c->id, c->err);
    if (c->status) return;
    remember(c->accounts, c->account, entry_of(c));
    atomic_fetch_add(&c->account->changes, 1);
}

/* Forgets the correction of a sentence. What was corrected before it for the same sentence counts again. */
static void forget(const Change *c, TranslationMemory *memory, const char *sentence) {
    int n;
    const Correction *all = corrections_all(c->account->file, &n);
    tm_remove(memory, sentence, c->id);
    for (int i = 0; i < n; i++) {
        char *source = text_normalise(all[i].source, strlen(all[i].source), NULL);
        if (!strcmp(source, sentence)) remember(c->accounts, c->account, &all[i]);
        mem_free(source);
    }
}

static void delete (void *context) {
    Change *c = context;
    const Account *account = c->account;
    const Correction *entry = entry_of(c);
    TranslationMemory *memory =
        entry ? memory_of(account->directions, c->accounts->directions, entry->langs[SOURCE], entry->langs[TARGET])
              : NULL;
    char *sentence = memory ? text_normalise(entry->source, strlen(entry->source), NULL) : NULL;
    c->status = corrections_delete(account->file, c->id, c->err);
    if (!c->status && memory) forget(c, memory, sentence);
    if (!c->status) atomic_fetch_add(&c->account->changes, 1);
    mem_free(sentence);
}

/* Runs a change. First makes sure that there is memory: without, the request fails, and nothing has changed. */
static int run(Change *c, void (*change)(void *context)) {
    enum { ENOUGH = 4 << 20 };
    pthread_mutex_lock(&c->account->mutex);
    const size_t size = corrections_size(c->account->file); /* lists of its entries may double */
    pthread_mutex_unlock(&c->account->mutex);
    mem_free(mem_alloc(ENOUGH + 2 * size));
    pthread_mutex_lock(&c->account->mutex);
    scope_outside(change, c);
    pthread_mutex_unlock(&c->account->mutex);
    return c->status;
}

int account_add(const Accounts *accounts, Account *account, const Correction *correction, long *id, Err *err) {
    Change c = {.accounts = accounts, .account = account, .correction = correction, .err = err};
    const int status = run(&c, add);
    *id = c.id;
    return status;
}

int account_delete(const Accounts *accounts, Account *account, long id, Err *err) {
    return run(&(Change){.accounts = accounts, .account = account, .id = id, .err = err}, delete);
}
