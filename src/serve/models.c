#include "serve/models.h"

#include "core/scope.h"
#include "serve/language.h"
#include "io/ds.h"
#include "io/files.h"
#include "text/unicode.h"
#include "translate/model_file.h"

#include <stdio.h>

void served_hold(Served *served) { atomic_fetch_add(&served->holds, 1); }

void served_drop(Served *served) {
    if (!served || atomic_fetch_sub(&served->holds, 1) > 1) return;
    shortlist_free(&served->shortlist);
    glossary_free(&served->glossary);
    translator_free(&served->translator);
    mem_free(served);
}

/* ---- loading --------------------------------------------------------------------------------------------------- */

typedef struct Load {
    const ModelFiles *files;
    const char *name;
    int place;
    Served *served; /* the result; NULL: *err says why */
    Err *err;
} Load;

/* Reads what the model of `served` translates with. Returns 0, or -1 with *err filled. */
static int load_lists(Served *served, const ModelFiles *files, Err *err) {
    const Side *target = &served->translator.target;
    if (files->glossary && glossary_init(&served->glossary, lexicon_read(files->glossary, err), target)) return -1;
    return files->shortlist
               ? shortlist_read(&served->shortlist, files->shortlist, target, files->first, files->best, err)
               : 0;
}

static void load(void *context) {
    Load *l = context;
    Served *served = mem_zalloc(sizeof *served);
    atomic_init(&served->holds, 1);
    if (model_load(&served->translator, l->files->model, l->err) || load_lists(served, l->files, l->err)) {
        served_drop(served);
        return;
    }
    served->name = l->name;
    served->place = l->place;
    l->served = served;
}

Served *served_load(const ModelFiles *files, const char *name, int place, Err *err) {
    Scope scope = {0};
    Load l = {.files = files, .name = name, .place = place, .err = err};
    err_set(err, files->model, 0, "out of memory");
    const ScopeEnd end = scope_run(&scope, load, &l, err->reason, sizeof err->reason);
    if (end == SCOPE_DONE) scope_forget(&scope);
    return end == SCOPE_DONE ? l.served : NULL;
}

/* The state of a file; all zero if there is none. */
static struct stat state_of(const char *path) {
    struct stat file;
    return path && !stat(path, &file) ? file : (struct stat){0};
}

/* The state of the file of a model, which may be given as its directory. */
static struct stat model_state(const char *model) {
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/model.safetensors", model) >= (int)sizeof path) path[0] = '\0';
    const struct stat inside = state_of(path);
    return inside.st_ino ? inside : state_of(model);
}

bool state_same(const struct stat *a, const struct stat *b) {
    return a->st_ino == b->st_ino && a->st_size == b->st_size && file_changed(a) == file_changed(b);
}

/* Returns whether `now` differs from *known, and then sets *known to `now`. A missing file counts as unchanged. */
static bool changed(struct stat *known, struct stat now) {
    if (!now.st_ino || state_same(known, &now)) return false;
    *known = now;
    return true;
}

/* Whether a file of the place has changed since it was read. */
static bool place_changed(Place *place) {
    const bool model = changed(&place->model, model_state(place->files.model));
    const bool glossary = changed(&place->glossary, state_of(place->files.glossary));
    return changed(&place->shortlist, state_of(place->files.shortlist)) || glossary || model;
}

int models_reload(ServedModels *models, int i, Err *err) {
    Place *place = &models->list[i];
    if (!place_changed(place)) return 0;
    Served *fresh = served_load(&place->files, place->name, i, err);
    if (!fresh) return -1;
    pthread_mutex_lock(&models->mutex);
    Served *old = place->served;
    place->served = fresh;
    pthread_mutex_unlock(&models->mutex);
    served_drop(old);
    return 1;
}

/* ---- places ---------------------------------------------------------------------------------------------------- */

/* The path of the directory of a model; owned by the caller. */
static char *dir_of(const char *model) {
    static const char file[] = "/model.safetensors";
    return mem_strndup(model, strlen(model) - (ends_with(model, file) ? strlen(file) : 0));
}

/* The last part of a path, and its length in bytes. */
static const char *last_part(const char *path, size_t *n) {
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') end--;
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/') begin--;
    *n = end - begin;
    return path + begin;
}

/* Whether the last parts of two paths are the same. */
static bool same_last_part(const Place *a, const Place *b) {
    size_t n, m;
    const char *one = last_part(a->dir, &n), *other = last_part(b->dir, &m);
    return m == n && !memcmp(one, other, n);
}

/* The name of place i; owned by the caller. */
static char *name_of(const ServedModels *models, int i) {
    const Place *place = &models->list[i];
    size_t n;
    for (int k = 0; k < models->count; k++)
        if (k != i && same_last_part(place, &models->list[k])) return mem_strdup(place->files.model);
    const char *name = last_part(place->dir, &n);
    return mem_strndup(name, n);
}

/* Checks that no place before place i has both its model and its name. Returns 0, or -1 with *err filled. The states of
   the files of all these places must be known. */
static int check_twice(const ServedModels *models, int i, Err *err) {
    const Place *place = &models->list[i];
    for (const Place *other = models->list; other < place; other++)
        if (place->model.st_ino && place->model.st_ino == other->model.st_ino &&
            place->model.st_dev == other->model.st_dev && same_last_part(place, other))
            return err_set(err, place->files.model, 0, "the same model is given twice");
    return 0;
}

int models_open(ServedModels *models, const ModelFiles *files, int count, Err *err) {
    *models = (ServedModels){.list = mem_zalloc((size_t)count * sizeof *models->list), .count = count};
    pthread_mutex_init(&models->mutex, NULL);
    for (int i = 0; i < count; i++) {
        models->list[i].files = files[i];
        models->list[i].dir = dir_of(files[i].model);
    }
    for (int i = 0; i < count; i++) {
        Place *place = &models->list[i];
        place->name = name_of(models, i);
        place_changed(place);
        if (check_twice(models, i, err) || !(place->served = served_load(&place->files, place->name, i, err)))
            return -1;
    }
    return 0;
}

void models_close(ServedModels *models) {
    for (int i = 0; i < models->count; i++) {
        served_drop(models->list[i].served);
        reply_free(&models->list[i].report);
        mem_free(models->list[i].name);
        mem_free(models->list[i].dir);
    }
    mem_free(models->list);
    pthread_mutex_destroy(&models->mutex);
    *models = (ServedModels){0};
}

int models_place(const ServedModels *models, const char *name) {
    for (int i = 0; i < models->count; i++)
        if (!name || !strcmp(models->list[i].name, name)) return i;
    return -1;
}

Served *models_hold(ServedModels *models, int i) {
    pthread_mutex_lock(&models->mutex);
    Served *served = models->list[i].served;
    served_hold(served);
    pthread_mutex_unlock(&models->mutex);
    return served;
}

Served *models_find(ServedModels *models, const char *source, const char *target, const char *name) {
    Served *found = NULL;
    pthread_mutex_lock(&models->mutex);
    for (int i = 0; i < models->count && !found; i++) {
        Served *served = models->list[i].served;
        const ModelOptions *o = &served->translator.options;
        if (!language_matches(source, o->langs[0]) || !language_matches(target, o->langs[1])) continue;
        if (!name || !strcmp(name, models->list[i].name)) found = served;
    }
    if (found) served_hold(found);
    pthread_mutex_unlock(&models->mutex);
    return found;
}

bool models_translate(ServedModels *models, const char *source, const char *target) {
    Served *served = models_find(models, source, target, NULL);
    served_drop(served);
    return served;
}

char **models_codes(ServedModels *models) {
    char **codes = NULL;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < models->count; i++) {
            char code[OPTION_TEXT_SIZE];
            Served *served = models_hold(models, i);
            memcpy(code, served->translator.options.langs[side], sizeof code);
            served_drop(served);
            bool known = false;
            for (ptrdiff_t k = 0; k < arrlen(codes); k++) known |= !strcmp(codes[k], code);
            if (!known) arrput(codes, mem_strdup(code));
        }
    return codes;
}
