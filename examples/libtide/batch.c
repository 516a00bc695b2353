/* batch.c: translates standard input with several threads, and writes an n-best list and a picture of one
   alignment. Each thread has a session of its own; all sessions share one model.
   usage: batch MODEL PICTURE.svg < sentences */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tide.h>

enum { THREADS = 4, MOST = 1000, N_BEST = 3 };

typedef struct Job {
    pthread_t thread;
    TideModel *model;
    char **sentences; /* [count], the part of this thread */
    int count;
    TideProgress *progress; /* NULL: not shown */
    TideResult *result;     /* NULL: failed */
    char error[256];
} Job;

static int show_progress(void *context, int done, int all) {
    (void)context;
    fprintf(stderr, "\rthe first part: %d of %d", done, all);
    return 0; /* any other value cancels the translation */
}

static void *run(void *context) {
    Job *job = context;
    TideSession *session;
    const TideTranslateOptions options = {
        .size = sizeof options, .beam = 5, .n_best = N_BEST, .words = 1, .progress = job->progress};
    if (tide_session_new(&job->model, 1, NULL, &session, job->error, sizeof job->error)) return NULL;
    if (tide_translate(session, (const char *const *)job->sentences, job->count, &options, &job->result))
        snprintf(job->error, sizeof job->error, "%s", tide_error(session));
    tide_session_free(session);
    return NULL;
}

static void print(const TideSentence *sentence) {
    for (int k = 0; k < sentence->count; k++) {
        const TideHypothesis *h = sentence->hypotheses[k];
        printf("%7.3f %s\n", h->score, h->text);
    }
}

/* Writes the alignment of the first sentence of a result. Returns 0 or -1. */
static int draw(const TideResult *result, const char *path) {
    char *picture = NULL;
    FILE *out = result->count ? fopen(path, "w") : NULL;
    if (!out) return -1;
    const TideStatus status = tide_draw(&result->sentences[0]->hypotheses[0]->alignment, TIDE_SVG, &picture);
    if (!status) fputs(picture, out);
    tide_text_free(picture);
    return fclose(out) || status ? -1 : 0;
}

int main(int argc, char **argv) {
    static char *sentences[MOST];
    Job jobs[THREADS] = {0};
    TideModel *model;
    char error[256] = "usage: batch MODEL PICTURE.svg < sentences", *line = NULL;
    size_t size = 0;
    int n = 0;
    if (argc != 3 || tide_load(argv[1], &model, error, sizeof error)) return fprintf(stderr, "%s\n", error), 1;
    while (n < MOST && getline(&line, &size, stdin) >= 0) {
        line[strcspn(line, "\n")] = '\0';
        sentences[n++] = line;
        line = NULL;
    }
    free(line);
    for (int i = 0; i < THREADS; i++) {
        const int first = n * i / THREADS, end = n * (i + 1) / THREADS;
        jobs[i] = (Job){.model = model, .sentences = sentences + first, .count = end - first};
        if (i == 0) jobs[i].progress = show_progress; /* the other parts are as large, so one line is enough */
        if (pthread_create(&jobs[i].thread, NULL, run, &jobs[i])) return 1;
    }
    int status = 0;
    for (int i = 0; i < THREADS; i++) {
        pthread_join(jobs[i].thread, NULL);
        if (!jobs[i].result) status = 1, fprintf(stderr, "\n%s\n", jobs[i].error);
        for (int k = 0; jobs[i].result && k < jobs[i].result->count; k++) print(jobs[i].result->sentences[k]);
        if (jobs[i].result && i == THREADS - 1 && draw(jobs[i].result, argv[2])) status = 1;
        tide_result_free(jobs[i].result);
    }
    tide_free(model);
    for (int i = 0; i < n; i++) free(sentences[i]);
    fputc('\n', stderr);
    return status;
}
