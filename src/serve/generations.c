#include "serve/generations.h"

#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "io/output.h"
#include "io/string_table.h"
#include "io/utf8.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the folder -------------------------------------------------------------------------------------------------- */

int generations_open(Generations *g, const char *folder, Err *err) {
    enum { ROOM = 40 }; /* for what generation_path adds */
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    if (g->account < 0) fprintf(out, "%s/shared/", folder);
    else fprintf(out, "%s/", g->accounts->list[g->account].dir);
    const char *name = g->models->list[g->place].name;
    for (const char *at = name; *at; at++)
        fputc(*at == '/' || (*at == '.' && at == name) ? '_' : *at, out); /* not .. */
    g->dir = memory_close(&memory, NULL);
    return strlen(g->dir) + ROOM < PATH_SIZE ? 0 : err_set(err, g->dir, 0, "the path is too long");
}

void generations_free(Generations *g) {
    mem_free(g->dir);
    g->dir = NULL;
}

void generation_path(char path[PATH_SIZE], const Generations *g, int generation, const char *file) {
    snprintf(path, PATH_SIZE, file ? "%s/%d/%s" : "%s/%d", g->dir, generation, file);
}

/* Reads a file of JSON. NULL: there is none, or it is broken. */
static cJSON *json_read(const char *path) {
    Err err;
    size_t size;
    char *text = access(path, R_OK) ? NULL : file_read(path, &size, &err);
    cJSON *json = text ? json_parse(text, size) : NULL;
    mem_free(text);
    return json;
}

/* The number of a JSON object's field; 0: there is none. */
static int number_in(const cJSON *json, const char *name) {
    const cJSON *field = cJSON_GetObjectItemCaseSensitive(json, name);
    return cJSON_IsNumber(field) ? field->valueint : 0;
}

static const char state_file[] = "served.json";

void generations_state(const Generations *g, int *served, int *newest) {
    char path[PATH_SIZE];
    path_in(path, g->dir, state_file);
    cJSON *json = json_read(path);
    *served = number_in(json, "generation");
    *newest = number_in(json, "newest");
    cJSON_Delete(json);
}

int generations_set_state(const Generations *g, int served, int newest, Err *err) {
    char path[PATH_SIZE], text[80];
    path_in(path, g->dir, state_file);
    const int n = snprintf(text, sizeof text, "{\"generation\": %d, \"newest\": %d}\n", served, newest);
    return output_write(path, text, (size_t)n, err);
}

/* ---- corrections ------------------------------------------------------------------------------------------------- */

/* Whether the model learns from the corrections of account i. */
static bool has_account(const Generations *g, int i) { return g->account < 0 || g->account == i; }

long generations_changes(const Generations *g) {
    long changes = 0;
    for (int i = 0; i < g->accounts->count; i++)
        if (has_account(g, i)) changes += atomic_load(&g->accounts->list[i].changes);
    return changes;
}

/* Orders corrections by time, those of one time by id. */
static int by_time(const void *left, const void *right) {
    const Correction *a = left, *b = right;
    const int order = strcmp(a->time, b->time);
    return order ? order : (a->id > b->id) - (a->id < b->id);
}

/* Adds the corrections of an account that have the direction of the model. */
static int add_corrections(const Generations *g, const Account *account, Correction **all, Err *err) {
    char path[PATH_SIZE];
    Served *served = models_hold(g->models, g->place);
    char(*langs)[OPTION_TEXT_SIZE] = served->translator.options.langs;
    path_in(path, account->dir, account_file);
    Correction *own = corrections_read(path, err), *others = NULL;
    const int status = own ? 0 : -1;
    for (ptrdiff_t i = 0; i < arrlen(own); i++) {
        if (!strcmp(own[i].langs[0], langs[0]) && !strcmp(own[i].langs[1], langs[1])) arrput(*all, own[i]);
        else arrput(others, own[i]);
    }
    arrfree(own);
    corrections_free(others);
    served_drop(served);
    return status;
}

/* The corrections from which the model learns, the oldest first and numbered: a stb_ds array, released by
   corrections_free. Returns 0, or -1 with *err filled. */
static int read_corrections(const Generations *g, Correction **all, Err *err) {
    int status = 0;
    *all = NULL;
    for (int i = 0; i < g->accounts->count && !status; i++)
        if (has_account(g, i)) status = add_corrections(g, &g->accounts->list[i], all, err);
    for (ptrdiff_t i = 0; i < arrlen(*all); i++) (*all)[i].id = i + 1; /* the order of those of one second */
    if (*all) qsort(*all, arrlenu(*all), sizeof **all, by_time);
    for (ptrdiff_t i = 0; i < arrlen(*all); i++) (*all)[i].id = i + 1;
    return status;
}

/* How many corrections of a list another list does not have. */
static int count_others(const Correction *list, const Correction *other) {
    StringTable known = {0};
    int n = 0;
    for (ptrdiff_t i = 0; i < arrlen(other); i++) string_table_add_pair(&known, other[i].source, other[i].correction);
    for (ptrdiff_t i = 0; i < arrlen(list); i++)
        n += string_table_find_pair(&known, list[i].source, list[i].correction) < 0;
    string_table_free(&known);
    return n;
}

int generations_waiting(const Generations *g, int newest, int *waiting, int *seen, Err *err) {
    char path[PATH_SIZE];
    Correction *all, *old = NULL;
    *waiting = 0;
    if (read_corrections(g, &all, err)) return -1;
    generation_path(path, g, newest, account_file);
    if (newest && !access(path, F_OK)) old = corrections_read(path, err);
    *waiting = count_others(all, old);
    if (seen) *seen = (int)arrlen(old);
    corrections_free(old);
    corrections_free(all);
    return 0;
}

/* ---- one generation ---------------------------------------------------------------------------------------------- */

ModelFiles generation_files(const Generations *g, int generation, char path[PATH_SIZE]) {
    ModelFiles files = g->models->list[g->place].files;
    if (!generation) return files;
    generation_path(path, g, generation, "model.safetensors");
    files.model = path;
    return files;
}

void generation_drop(const Generations *g, int generation) {
    char path[PATH_SIZE];
    Err warning, err;
    generation_path(path, g, generation, NULL);
    const int lock = directory_lock(path, &warning, &err);
    if (lock < 0) return;
    generation_path(path, g, generation, account_file);
    unlink(path);
    close(lock);
}

/* Whether a file of corrections has one that was deleted since. */
static bool has_deleted(const char *path, const Correction *all) {
    Err unread;
    Correction *old = corrections_read(path, &unread);
    const int deleted = count_others(old, all);
    corrections_free(old);
    return deleted;
}

int generation_begin(const Generations *g, int generation, Err *err) {
    char path[PATH_SIZE];
    OutputFile out;
    Correction *all;
    generation_path(path, g, generation, NULL);
    if (directory_make(path, err)) return -1;
    generation_path(path, g, generation, account_file);
    int status = read_corrections(g, &all, err);
    if (!status && !access(path, F_OK) && has_deleted(path, all)) generation_drop(g, generation);
    if (!status && access(path, F_OK)) {
        status = output_open(&out, path, err);
        for (ptrdiff_t i = 0; i < arrlen(all) && !status; i++) correction_write(out.stream, &all[i]);
        if (!status) status = output_commit(&out, err);
    }
    corrections_free(all);
    return status;
}

bool generation_accepted(const Generations *g, int generation) {
    char path[PATH_SIZE];
    generation_path(path, g, generation, "model.safetensors");
    return !access(path, F_OK);
}

/* What `tide learn` has noted about a generation; NULL: nothing yet. */
static cJSON *learned_of(const Generations *g, int generation) {
    char path[PATH_SIZE];
    generation_path(path, g, generation, "learned.json");
    return json_read(path);
}

bool generation_finished(const Generations *g, int generation) {
    cJSON *json = learned_of(g, generation);
    const bool accepted = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "accepted"));
    const bool finished = json && (!accepted || generation_accepted(g, generation)); /* the model comes last */
    cJSON_Delete(json);
    return finished;
}

/* Reads the last bytes of an open file, and cuts off the line breaks at its end. */
static void read_end(int fd, char text[SAID_SIZE]) {
    struct stat file;
    const off_t size = fstat(fd, &file) ? 0 : file.st_size, most = SAID_SIZE - 1;
    ssize_t n = file_read_some(fd, text, SAID_SIZE - 1, size > most ? size - most : 0);
    while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r')) n--;
    text[n > 0 ? n : 0] = '\0';
}

void generation_said(const Generations *g, int generation, char line[SAID_SIZE]) {
    char path[PATH_SIZE], text[SAID_SIZE] = "";
    generation_path(path, g, generation, "log");
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        read_end(fd, text);
        close(fd);
    }
    const char *at = strrchr(text, '\n');
    at = at ? at + 1 : text;
    snprintf(line, SAID_SIZE, "%s", utf8_valid(at, strlen(at)) ? at : "");
}

void generation_write(FILE *out, const Generations *g, int generation) {
    cJSON *json = learned_of(g, generation);
    if (g->account < 0 && g->accounts->count > 1) cJSON_DeleteItemFromObjectCaseSensitive(json, "examples");
    char *text = json ? cJSON_PrintUnformatted(json) : NULL;
    fprintf(out, "{\"generation\":%d,\"learned\":%s}", generation, text ? text : "null");
    cJSON_free(text);
    cJSON_Delete(json);
}
