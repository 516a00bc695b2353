/* training.h: what `tide train` and `tide verify` share: progress, signals, ranks. */
#ifndef TIDE_CLI_TRAINING_H
#define TIDE_CLI_TRAINING_H

#include "cli/cli.h"
#include "train/job.h"
#include "view/progress.h"

#define FLAG_RANK_TIMEOUT                                                                                              \
    {                                                                                                                  \
        "rank-timeout", 1, "SECONDS", "with several ranks: end the training if one has not answered for so long",      \
            VALUE_REAL, 0.5, 1e6, NULL, "60"                                                                           \
    }

/* The number of the signal that ends a training; 0: none. */
extern volatile sig_atomic_t training_stop;

/* Catches the signals that end a training, and sets what happens when memory is refused. */
void training_signals(void);
/* Reads FLAG_RANK_TIMEOUT, --threads and --isa. Begins the ranks, and calls training_signals. Returns 0, or -1 with
 * *err filled; after 0, training_end must follow. */
int training_begin(const Args *args, Ranks **ranks, int *threads, Err *err);

/* Shows a training to people. */
typedef struct Screen {
    ProgressView view;
    const char *model; /* the model's directory */
} Screen;
/* The callbacks that show a training; on all ranks but rank 0, none. `traced` is NULL. The context is the screen. */
TrainCallbacks screen_callbacks(Screen *screen, Ranks *ranks);
/* Writes the report of the model, on rank 0. */
void screen_report(const Screen *screen, Ranks *ranks);

/* Prints *err if `trained`, the result of `train`, is below 0, and ends the ranks. Returns the exit status. */
int training_end(Screen *screen, Ranks *ranks, int trained, const Err *err);

#endif
