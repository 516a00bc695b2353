#include "serve/live_report.h"

#include "io/files.h"
#include "text/unicode.h"
#include "view/report.h"

#include <stdio.h>
#include <sys/stat.h>

/* The state of the log of a place; all zero: there is none. */
static struct stat log_state(const Place *place) {
    char path[PATH_SIZE + 16];
    struct stat file;
    snprintf(path, sizeof path, "%s/train.jsonl", place->dir);
    return !stat(path, &file) && S_ISREG(file.st_mode) ? file : (struct stat){0};
}

/* The size of the log; -1: none. */
static long log_size(const Place *place) {
    const struct stat log = log_state(place);
    return log.st_ino ? (long)log.st_size : -1;
}

bool live_report_exists(const ServedModels *models, int i) { return log_size(&models->list[i]) >= 0; }

/* The place of the model that the request names, or the first one. NULL with an error in the reply if there is none, or
   if it has no log. */
static Place *place_of(const Start *s) {
    ServedModels *models = s->service->models;
    char *name = s->asked->model ? form_decode(s->asked->model, strlen(s->asked->model)) : NULL;
    const int place = s->asked->model && !name ? -1 : models_place(models, name);
    Place *found = place < 0 ? NULL : &models->list[place];
    mem_free(name);
    if (!found) reply_error(s->reply, 404, "Not found: this server has no model of this name");
    else if (log_size(found) < 0)
        reply_error(s->reply, 404, "Not found: the model %s has no log of a training", found->name);
    else return found;
    return NULL;
}

/* Whether the last page shows the present state of the training. The trainer writes other files of the page shortly
   before or after it writes to the log. A page that was made at that time is therefore used for only a second. */
static bool is_present(const Place *place, const struct stat *log, double now) {
    const double age = now - place->made;
    return place->report.status && state_same(&place->log, log) &&
           (place->made - 1e-9 * (double)file_changed(log) > 5 || (age >= 0 && age < 1));
}

/* Makes the page with a nonce of its own, which nobody can know before the page has its final text. */
static int make_page(const Place *place, Reply *page, Err *err) {
    *page = (Reply){.status = 200, .type = "text/html; charset=utf-8"};
    if (make_nonce(page->nonce)) return err_set(err, NULL, 0, "the system has no random numbers");
    page->body = report_text(place->dir, page->nonce, &page->size, err);
    if (!page->body) return -1;
    reply_share(page);
    return 0;
}

void live_report_page(const Start *s) {
    Place *place = place_of(s);
    Reply page;
    Err err;
    struct timespec clock;
    if (!place) return;
    const struct stat log = log_state(place);
    clock_gettime(CLOCK_REALTIME, &clock);
    const double now = (double)clock.tv_sec + 1e-9 * (double)clock.tv_nsec;
    if (!is_present(place, &log, now)) {
        if (make_page(place, &page, &err)) {
            reply_error(s->reply, 500, "The report cannot be made: %s", err.reason);
            return;
        }
        reply_free(&place->report);
        place->report = page;
        place->log = log;
        place->made = now;
    }
    *s->reply = reply_again(&place->report);
}

void live_report_log(const Start *s) {
    const Place *place = place_of(s);
    if (!place) return;
    MemoryFile memory;
    fprintf(memory_open(&memory), "{\"bytes\":%ld}\n", log_size(place));
    reply_memory(s->reply, "application/json", &memory);
}
