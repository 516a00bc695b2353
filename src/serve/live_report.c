#include "serve/live_report.h"

#include "io/files.h"
#include "text/unicode.h"
#include "view/report.h"

#include <stdio.h>
#include <sys/stat.h>

/* The size of the log of a place; -1: none. */
static long log_size(const Place *place) {
    char path[PATH_SIZE + 16];
    struct stat file;
    snprintf(path, sizeof path, "%s/train.jsonl", place->dir);
    return !stat(path, &file) && S_ISREG(file.st_mode) ? (long)file.st_size : -1;
}

bool live_report_exists(const ServedModels *models, int i) { return log_size(&models->list[i]) >= 0; }

/* The place of the model that the request names, or the first one. NULL with an error in the reply if there is none, or
   if it has no log. */
static const Place *place_of(const Start *s) {
    const ServedModels *models = s->service->models;
    char *name = s->asked->model ? form_decode(s->asked->model, strlen(s->asked->model)) : NULL;
    const Place *found = s->asked->model ? NULL : models->list;
    for (int i = 0; name && i < models->count && !found; i++)
        if (!strcmp(models->list[i].name, name)) found = &models->list[i];
    mem_free(name);
    if (!found) reply_error(s->reply, 404, "Not found: this server has no model of this name");
    else if (log_size(found) < 0)
        reply_error(s->reply, 404, "Not found: the model %s has no log of a training", found->name);
    else return found;
    return NULL;
}

void live_report_page(const Start *s) {
    const Place *place = place_of(s);
    Reply page = {.status = 200, .type = "text/html; charset=utf-8"};
    Err err;
    if (!place) return;
    if (make_nonce(page.nonce)) {
        reply_error(s->reply, 500, "The report cannot be made");
        return;
    }
    page.body = report_text(place->dir, page.nonce, &page.size, &err);
    if (page.body) *s->reply = page;
    else reply_error(s->reply, 500, "The report cannot be made: %s", err.reason);
}

void live_report_log(const Start *s) {
    const Place *place = place_of(s);
    if (!place) return;
    MemoryFile memory;
    fprintf(memory_open(&memory), "{\"bytes\":%ld}\n", log_size(place));
    reply_memory(s->reply, "application/json", &memory);
}
