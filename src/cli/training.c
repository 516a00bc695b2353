#include "cli/training.h"
#include "cli/messages.h"
#include "io/system.h"
#include "view/report.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* ---- progress --------------------------------------------------------------------------------------------------- */

static void show_note(void *context, const char *text) {
    Screen *screen = context;
    progress_clear(&screen->view);
    message("%s", text);
}

static void show_progress(void *context, const Progress *p) {
    Screen *screen = context;
    progress_show(&screen->view, p, seconds_now(), p->update == p->updates);
}

static void show_counting(void *context, const char *what, long done, long all) {
    Screen *screen = context;
    progress_count(&screen->view, what, done, all, seconds_now(), done == all);
}

/* Writes the report. An error is printed, but does not end the training. */
static bool write_report(const char *model) {
    Err err;
    if (!report_write(model, &err)) return true;
    message("the report could not be written: %s: %s", err.path, err.reason);
    return false;
}

static void show_saving(void *context, bool begins) {
    Screen *screen = context;
    progress_status(&screen->view, begins ? "saving a checkpoint" : NULL);
}

static void show_validation(void *context, const Validation *v) {
    Screen *screen = context;
    progress_clear(&screen->view);
    char chrf[32] = "", perplexity[32] = "", best[48] = "";
    if (v->chrf >= 0) snprintf(chrf, sizeof chrf, ", chrF %.2f", v->chrf);
    if (v->perplexity) snprintf(perplexity, sizeof perplexity, ", perplexity %.4g", printable(exp(v->loss)));
    const bool bleu = v->metric == VALID_BLEU;
    if (v->best)
        snprintf(best, sizeof best, " (best %s%sso far)", bleu ? "" : valid_metric_title(v->metric), bleu ? "" : " ");
    message("update %ld, epoch %.1f: dev loss %.3f, BLEU %.2f%s%s%s", v->update, v->epoch, printable(v->loss),
            v->bleu.score, chrf, perplexity, best);
    for (int i = 0; i < v->examples; i++) {
        message("    %s", v->sources[i]);
        message("    -> %s", v->outputs[i]);
    }
    write_report(screen->model);
}

TrainCallbacks screen_callbacks(Screen *screen, Ranks *ranks) {
    messages_progress(&screen->view);
    if (ranks_own(ranks)) return (TrainCallbacks){0};
    return (TrainCallbacks){screen, show_note, show_progress, show_counting, show_saving, show_validation, NULL, NULL};
}

void screen_report(const Screen *screen, Ranks *ranks) {
    if (ranks_own(ranks) == 0 && write_report(screen->model)) message("report: %s/report.html", screen->model);
}

/* ---- signals ---------------------------------------------------------------------------------------------------- */

volatile sig_atomic_t training_stop;
static volatile sig_atomic_t several_ranks;

/* A second signal ends the program at once. But mpirun and batch systems may send several signals to each rank. */
static void on_signal(int number) {
    if (training_stop && !several_ranks) _exit(EXIT_SIGNAL + number);
    training_stop = number;
}

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

/* The default of --threads for a rank that may run on `own` processors. The ranks of a machine share its processors.
   But if mpirun has bound a rank to some processors, these are for this rank alone, and it uses all of them. */
static int threads_of_rank(const Ranks *ranks, int own) {
    const bool bound = own < processors_all();
    const int share = bound ? own : own / ranks_count_on_node(ranks);
    return share > 0 ? share : 1;
}

static void no_memory(size_t bytes) {
    fprintf(
        stderr,
        "tide: out of memory (%zu bytes were asked for); a smaller preset, --mini-batch or --workspace needs less\n",
        bytes);
    _exit(EXIT_FAILED);
}

void training_signals(void) {
    signals_of_training(on_signal);
    mem_on_failure(no_memory);
}

int training_begin(const Args *args, Ranks **ranks, int *threads, Err *err) {
    double timeout;
    if (machine_flags(args, threads, err) || args_real(args, "rank-timeout", &timeout, err)) return -1;
    *ranks = ranks_begin(timeout);
    several_ranks = ranks_count(*ranks) > 1;
    if (several_ranks && !args_has(args, "threads")) *threads = threads_of_rank(*ranks, *threads);
    training_signals();
    return 0;
}

/* A stop while the data is read is an error of `train`, too. mpirun would report another status than 0 as a failure of
   the rank, and end the others. */
static int exit_status(int trained) {
    const int signal = trained < 0 ? training_stop : trained;
    if (several_ranks) return trained < 0 ? EXIT_FAILED : 0;
    return signal ? EXIT_SIGNAL + signal : trained < 0 ? EXIT_FAILED : 0;
}

int training_end(Screen *screen, Ranks *ranks, int trained, const Err *err) {
    const int own = ranks_own(ranks);
    if (own == 0) progress_clear(&screen->view);
    if (trained < 0 && several_ranks) {
        Err of_rank;
        err_set(&of_rank, err->path, err->line, "rank %d: %.400s", own, err->reason);
        fail(&of_rank);
    } else if (trained < 0) {
        fail(err);
    }
    ranks_end(ranks, trained < 0);
    return exit_status(trained);
}
