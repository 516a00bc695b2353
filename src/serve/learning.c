#include "serve/learning.h"

#include "core/scope.h"
#include "io/json.h"
#include "io/system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    LONGEST_WAIT = 3600, /* seconds between tries that fail */
    GROWTH = 5 /* each learning learns all corrections, and begins when there are a fifth more than in the one before */
};

/* What a model learns from the corrections of an account, or of all accounts. */
typedef struct Course {
    Generations files;
    /* changed by the thread, except `asked` and `choice`; under the mutex: */
    Served *served;         /* held; NULL: the model of the place */
    int generation, newest; /* served; finished last */
    int waiting, seen;      /* corrections that the newest generation has not seen, and has */
    bool asked, running;    /* whether a request asks for a learning; whether there is one */
    int choice;             /* the generation to serve from now on; -1: no other one */
    Err refused;            /* why the last choice failed; its reason is empty: it did not */
    char said[SAID_SIZE];   /* why the last try failed; "": it did not */
    long changes;           /* of the accounts when `waiting` was counted */
    double retry;           /* not before this time */
    int failures;           /* tries in a row that failed */
} Course;

struct Learning {
    LearnSetup setup;
    LearnListener listener;
    const Accounts *accounts;
    ServedModels *models;
    Course *courses; /* [count] */
    int count;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool ending;
    pthread_t thread;
    bool started;
};

static void say(Learning *l, const Course *course, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void say(Learning *l, const Course *course, const char *format, ...) {
    char text[SAID_SIZE], line[PATH_SIZE + SAID_SIZE];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    snprintf(line, sizeof line, "%s: %s", course->files.dir, text);
    l->listener.notice(l->listener.context, line);
}

/* ---- generations ------------------------------------------------------------------------------------------------- */

/* Serves a generation. The files know it before the requests. Returns 0, or -1 with *err filled; then nothing has
   changed. */
static int serve_generation(Learning *l, Course *course, int generation, int newest, Err *err) {
    char path[PATH_SIZE];
    const ModelFiles files = generation_files(&course->files, generation, path);
    Served *fresh = NULL;
    if (generation &&
        !(fresh = served_load(&files, l->models->list[course->files.place].name, course->files.place, err)))
        return -1;
    if (generations_set_state(&course->files, generation, newest, err)) {
        served_drop(fresh);
        return -1;
    }
    pthread_mutex_lock(&l->mutex);
    Served *old = course->served;
    course->served = fresh;
    course->generation = generation;
    course->newest = newest;
    pthread_mutex_unlock(&l->mutex);
    served_drop(old);
    l->listener.replaced(l->listener.context);
    return 0;
}

/* Takes over the result of a learning. */
static int take_result(Learning *l, Course *course, Err *err) {
    const int next = course->newest + 1;
    const bool accepted = generation_accepted(&course->files, next);
    if (serve_generation(l, course, accepted ? next : course->generation, next, err)) return -1;
    say(l, course, accepted ? "generation %d is served" : "generation %d is not better, and was refused", next);
    return 0;
}

/* ---- learning ---------------------------------------------------------------------------------------------------- */

/* Starts `tide learn` for the next generation. Returns 0, or -1 with *err filled. */
static int start_program(const Learning *l, const Course *course, pid_t *id, Err *err) {
    char tide[PATH_SIZE], output[PATH_SIZE], corrections[PATH_SIZE], log[PATH_SIZE], model[PATH_SIZE], threads[16];
    const char *command[20];
    int n = 0;
    program_path(tide, sizeof tide, "tide");
    const Generations *const g = &course->files;
    const int next = course->newest + 1;
    generation_path(output, g, next, NULL);
    generation_path(corrections, g, next, account_file);
    generation_path(log, g, next, "log");
    snprintf(threads, sizeof threads, "%d", l->setup.threads);
    const char *const words[] = {
        tide,   "learn",    l->models->list[course->files.place].files.model,     corrections, "--output",
        output, "--served", generation_files(g, course->generation, model).model, "--threads", threads};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) command[n++] = words[i];
    if (l->setup.text) {
        command[n++] = "--keep-tsv";
        command[n++] = l->setup.text;
    }
    if (l->setup.dev) {
        command[n++] = "--valid-tsv";
        command[n++] = l->setup.dev;
    }
    command[n] = NULL;
    const int said = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (said < 0) return err_set(err, log, 0, "cannot be written: %s", strerror(errno));
    const int error = program_background(id, (char *const *)command, said);
    close(said);
    return error ? err_set(err, tide, 0, "cannot be run: %s", strerror(error)) : 0;
}

/* Waits some time, or until something is asked or the server ends. Returns false if it ends. */
static bool rest(Learning *l, double seconds) {
    pthread_mutex_lock(&l->mutex);
    if (!l->ending) condition_wait(&l->changed, &l->mutex, seconds_now() + seconds);
    const bool goes_on = !l->ending;
    pthread_mutex_unlock(&l->mutex);
    return goes_on;
}

static bool is_ending(Learning *l) {
    pthread_mutex_lock(&l->mutex);
    const bool ending = l->ending;
    pthread_mutex_unlock(&l->mutex);
    return ending;
}

/* Puts the generations that requests have chosen in the place of those that are served. */
static void take_choices(Learning *l) {
    for (int i = 0; i < l->count; i++) {
        Course *course = &l->courses[i];
        Err err = {0};
        pthread_mutex_lock(&l->mutex);
        const int choice = course->choice;
        pthread_mutex_unlock(&l->mutex);
        if (choice < 0) continue;
        if (!serve_generation(l, course, choice, course->newest, &err)) err.reason[0] = '\0';
        else say(l, course, "generation %d: %s", choice, err.reason);
        pthread_mutex_lock(&l->mutex);
        course->refused = err;
        if (course->choice == choice) course->choice = -1; /* else another request has chosen since */
        pthread_cond_broadcast(&l->changed);
        pthread_mutex_unlock(&l->mutex);
    }
}

/* Waits for the end of a program; at the end of the server ends it, too. */
static void wait_for(Learning *l, pid_t id) {
    int status;
    bool told = false;
    while (!program_ended(id, &status)) {
        const bool goes_on = rest(l, 0.2);
        if (!goes_on && !told) program_stop(id);
        if (goes_on) take_choices(l);
        else usleep(20000);
        told = !goes_on;
    }
}

/* Makes the next generation of a model. Returns 0, or -1 with *err filled. */
static int learn(Learning *l, Course *course, Err *err) {
    pid_t id;
    char said[SAID_SIZE];
    const int next = course->newest + 1;
    if (generation_begin(&course->files, next, err) || start_program(l, course, &id, err)) return -1;
    say(l, course, "generation %d learns from %d new corrections", next, course->waiting);
    wait_for(l, id);
    if (generation_finished(&course->files, next)) return take_result(l, course, err);
    generation_said(&course->files, next, said);
    if (!is_ending(l)) generation_drop(&course->files, next);
    return err_set(err, NULL, 0, "%s", said);
}

static void set_running(Learning *l, Course *course, bool running) {
    pthread_mutex_lock(&l->mutex);
    course->running = running;
    pthread_mutex_unlock(&l->mutex);
}

/* Notes the end of a try. */
static void note_end(Learning *l, Course *course, int status, const Err *err) {
    double wait = 2.5; /* after a kill, the old `tide learn` may still run for some seconds */
    if (is_ending(l)) return;
    pthread_mutex_lock(&l->mutex);
    course->failures = status ? course->failures + 1 : 0;
    for (int i = 0; i < course->failures && wait < LONGEST_WAIT; i++) wait *= 2;
    course->retry = status ? seconds_now() + wait : 0;
    course->changes = -1; /* counts again what waits */
    snprintf(course->said, sizeof course->said, "%s", status ? err->reason : "");
    pthread_mutex_unlock(&l->mutex);
    if (status) say(l, course, "generation %d: %s", course->newest + 1, err->reason);
}

/* Counts the corrections that wait, if there are others than before. */
static void count(Learning *l, Course *course) {
    Err err;
    int waiting = 0, seen = 0;
    const long changes = generations_changes(&course->files);
    if (changes == course->changes) return;
    if (generations_waiting(&course->files, course->newest, &waiting, &seen, &err)) say(l, course, "%s", err.reason);
    pthread_mutex_lock(&l->mutex);
    course->changes = changes;
    course->waiting = waiting;
    course->seen = seen;
    pthread_mutex_unlock(&l->mutex);
}

/* Whether a learning should begin; then it counts as running. */
static bool begins(Learning *l, Course *course) {
    const bool may = l->setup.after && seconds_now() >= course->retry;
    pthread_mutex_lock(&l->mutex);
    course->asked = course->asked && course->waiting;
    const bool enough = course->waiting >= l->setup.after && course->waiting >= course->seen / GROWTH;
    const bool begins = course->asked || (may && enough);
    course->asked = course->asked && !begins; /* another request asks for what comes later */
    course->running = begins;
    pthread_mutex_unlock(&l->mutex);
    return begins;
}

/* Looks whether corrections wait, and learns if there are enough. */
static void look(Learning *l, Course *course) {
    Err err = {0};
    if (generation_finished(&course->files, course->newest + 1))
        note_end(l, course, take_result(l, course, &err), &err);
    count(l, course);
    if (!begins(l, course)) return;
    note_end(l, course, learn(l, course, &err), &err);
    count(l, course);
    set_running(l, course, false);
}

typedef struct Look {
    Learning *learning;
    Course *course;
} Look;

static void look_at(void *context) {
    const Look *own = context;
    take_choices(own->learning);
    look(own->learning, own->course);
}

static void *run(void *context) {
    Learning *l = context;
    do {
        for (int i = 0; i < l->count; i++) {
            char reason[256];
            Scope scope = {0};
            const ScopeEnd end = scope_run(&scope, look_at, &(Look){l, &l->courses[i]}, reason, sizeof reason);
            if (end == SCOPE_DONE) scope_release(&scope);
            else set_running(l, &l->courses[i], false);
        }
    } while (rest(l, 1));
    return NULL;
}

/* ---- what others ask ----------------------------------------------------------------------------------------------
 */

/* The course of an account for the model of a place; NULL: there is none. */
static Course *course_of(Learning *l, const Account *account, int place) {
    const int number = !account ? -2 : l->setup.shared ? -1 : (int)(account - l->accounts->list);
    for (int i = 0; i < l->count; i++)
        if (l->courses[i].files.place == place && l->courses[i].files.account == number) return &l->courses[i];
    return NULL;
}

void learning_reload(Learning *l, int place) {
    pthread_mutex_lock(&l->mutex);
    for (Course *course = l->courses; course < l->courses + l->count; course++)
        if (course->files.place == place && course->served && course->choice < 0) course->choice = course->generation;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
}

Served *learning_hold(Learning *l, const Account *account, int place) {
    Course *course = course_of(l, account, place);
    if (!course) return NULL;
    pthread_mutex_lock(&l->mutex);
    Served *served = course->served;
    if (served) served_hold(served);
    pthread_mutex_unlock(&l->mutex);
    return served;
}

int learning_ask(Learning *l, const Account *account, int place, Err *err) {
    Course *course = course_of(l, account, place);
    int waiting = 0;
    pthread_mutex_lock(&l->mutex);
    const int newest = course->newest;
    pthread_mutex_unlock(&l->mutex);
    if (generations_waiting(&course->files, newest, &waiting, NULL, err)) return -1;
    if (!waiting) return err_set(err, NULL, 0, "there is no correction that the model has not learned from");
    pthread_mutex_lock(&l->mutex);
    course->asked = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
    return 0;
}

int learning_choose(Learning *l, const Account *account, int place, int generation, Err *err) {
    Course *course = course_of(l, account, place);
    if (generation && !generation_accepted(&course->files, generation))
        return err_set(err, NULL, 0, "there is no generation %d", generation);
    pthread_mutex_lock(&l->mutex);
    course->choice = generation;
    pthread_cond_broadcast(&l->changed);
    while (course->choice >= 0 && !l->ending) pthread_cond_wait(&l->changed, &l->mutex);
    *err = course->refused;
    const bool done = course->choice < 0;
    pthread_mutex_unlock(&l->mutex);
    if (!done) return err_set(err, NULL, 0, "the server stops");
    return *err->reason ? -1 : 0;
}

static void write_course(FILE *out, Learning *l, const Course *course) {
    char said[SAID_SIZE];
    pthread_mutex_lock(&l->mutex);
    const Course now = *course;
    pthread_mutex_unlock(&l->mutex);
    if (now.running) generation_said(&now.files, now.newest + 1, said);
    else memcpy(said, now.said, sizeof said);
    json_print(out, "{\"model\":%s,\"state\":%s,\"said\":%s", l->models->list[now.files.place].name,
               now.running ? "learning"
               : now.asked ? "waiting"
                           : "idle",
               said);
    fprintf(out, ",\"waiting\":%d,\"generation\":%d,\"generations\":[", now.waiting, now.generation);
    for (int i = 1; i <= now.newest; i++) {
        if (i > 1) fputc(',', out);
        generation_write(out, &now.files, i);
    }
    fputs("]}", out);
}

void learning_write(Learning *l, const Account *account, FILE *out) {
    bool comma = false;
    fprintf(out, "{\"after\":%d,\"shared\":%s,\"models\":[", l->setup.after, l->setup.shared ? "true" : "false");
    for (int i = 0; i < l->models->count; i++) {
        Course *course = course_of(l, account, i);
        if (!course) continue;
        if (comma) fputc(',', out);
        write_course(out, l, course);
        comma = true;
    }
    fputs("]}\n", out);
}

/* ---- beginning and end --------------------------------------------------------------------------------------------
 */

static int open_course(Learning *l, Course *course, int account, int place, Err *err) {
    char path[PATH_SIZE];
    *course = (Course){.files = {l->accounts, l->models, account, place, NULL}, .choice = -1, .changes = -1};
    if (generations_open(&course->files, l->setup.folder, err)) return -1;
    generations_state(&course->files, &course->generation, &course->newest);
    if (!course->generation) return 0;
    const ModelFiles files = generation_files(&course->files, course->generation, path);
    course->served = served_load(&files, l->models->list[place].name, place, err);
    return course->served ? 0 : -1;
}

Learning *learning_start(const LearnSetup *setup, const Accounts *accounts, ServedModels *models,
                         const LearnListener *listener, Err *err) {
    Learning *l = mem_zalloc(sizeof *l);
    const int owners = setup->shared ? 1 : accounts->count;
    *l = (Learning){.setup = *setup, .listener = *listener, .accounts = accounts, .models = models};
    pthread_mutex_init(&l->mutex, NULL);
    condition_init(&l->changed);
    l->courses = mem_zalloc((size_t)(owners * models->count) * sizeof *l->courses);
    int status = 0;
    if (!setup->text || !setup->dev)
        listener->notice(
            listener->context,
            "while a model learns, the starter corpus keeps what it knows; for a model of other text, name "
            "its text with --learn-text and --learn-dev");
    for (int i = 0; i < owners * models->count && !status; i++) {
        status = open_course(l, &l->courses[i], setup->shared ? -1 : i / models->count, i % models->count, err);
        l->count++;
    }
    if (!status) {
        const int error = pthread_create(&l->thread, NULL, run, l);
        l->started = !error;
        if (error) status = err_set(err, NULL, 0, "a thread cannot be started: %s", strerror(error));
    }
    if (!status) return l;
    learning_free(l);
    return NULL;
}

void learning_stop(Learning *l) {
    if (!l) return;
    pthread_mutex_lock(&l->mutex);
    l->ending = true;
    pthread_cond_broadcast(&l->changed);
    pthread_mutex_unlock(&l->mutex);
    if (l->started) pthread_join(l->thread, NULL);
}

void learning_free(Learning *l) {
    if (!l) return;
    for (int i = 0; i < l->count; i++) {
        served_drop(l->courses[i].served);
        generations_free(&l->courses[i].files);
    }
    mem_free(l->courses);
    pthread_cond_destroy(&l->changed);
    pthread_mutex_destroy(&l->mutex);
    mem_free(l);
}
