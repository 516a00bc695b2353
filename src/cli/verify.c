/* tide verify: makes a model again by its recipe, and compares the bits. */
#include "cli/messages.h"
#include "cli/pairs.h"
#include "cli/training.h"
#include "io/ds.h"
#include "io/files.h"
#include "train/verify.h"

#include <stdio.h>
#include <string.h>

static const Flag flags[] = {
    FLAGS_CORPORA,
    FLAG_FILE("guided-alignment", "the links of words with which it was trained"),
    {"parent", 1, "MODEL", "the model from which it was made: pretrained, quantized or tuned", .kind = VALUE_FILE},
    FLAG_INT("updates", "compare these first updates only, not the weights; 0: all", 0, 2e9, "0"),
    {"work", 1, "DIR",
     "directory of the new training, which the same command continues (default: that of the model and .verify)",
     .kind = VALUE_DIR},
    FLAG_RANK_TIMEOUT,
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};

static void show_link(void *context, long update) {
    Screen *screen = context;
    progress_clear(&screen->view);
    printf("update %ld: the same bits\n", update);
    fflush(stdout);
}

/* Says what was verified. */
static void show_result(const VerifyJob *job, const Recipe *r) {
    const char *model = job->model;
    if (r->kind != RECIPE_TRAIN)
        printf("%s: verified: the same bits as a copy of %s; verify that model, too\n", model, job->parent);
    else if (job->updates && job->updates < r->update)
        printf("%s: %d of %ld updates have the same bits\n", model, job->updates, r->update);
    else
        printf("%s: verified: %ld updates give the same bits; SHA-256 of its weights: %s\n", model, r->update,
               r->weights.hex);
}

/* MODEL.verify, beside the model. */
static int default_work(const char *model, char work[PATH_SIZE], Err *err) {
    size_t n = strlen(model);
    while (n > 1 && model[n - 1] == '/') n--;
    if (snprintf(work, PATH_SIZE, "%.*s.verify", (int)n, model) < PATH_SIZE) return 0;
    return err_set(err, model, 0, "the path is too long");
}

static int run(const Args *args, Err *err) {
    CorpusFiles corpora[MOST_CORPORA];
    char work[PATH_SIZE];
    if (args->word_count != 1) return usage_error(err, "verify needs one MODEL; see `tide verify --help`");
    VerifyJob job = {.model = args->words[0],
                     .corpora = corpora,
                     .guides = args_value(args, "guided-alignment", 0),
                     .parent = args_value(args, "parent", 0),
                     .work = args_value(args, "work", 0)};
    if (!job.work) job.work = work;
    if (args_int(args, "updates", &job.updates, err) || (job.corpus_count = pairs_list(args, corpora, err)) < 0 ||
        (job.work == work && default_work(job.model, work, err)))
        return -1;
    Recipe *recipe = verify_recipe(job.model, err);
    if (!recipe || training_begin(args, &job.ranks, &job.threads, err)) {
        recipe_free(recipe);
        return -1;
    }
    Screen screen = {.model = job.work};
    const VerifyCallbacks callbacks = {screen_callbacks(&screen, job.ranks), &screen, show_link};
    const int status = verify(&job, recipe, &callbacks, &training_stop, err);
    if (!status && ranks_own(job.ranks) == 0) {
        progress_clear(&screen.view);
        show_result(&job, recipe);
    }
    recipe_free(recipe);
    return training_end(&screen, job.ranks, status, err);
}

const Command command_verify = {
    .name = "verify",
    .summary = "train a model again by its recipe, and compare the bits",
    .usage = "MODEL --train-sets SRC TGT | --tsv FILE | ... [--parent MODEL] [--updates N]",
    .about =
        "Makes MODEL again by the recipe in its file, and compares the bits of the weights after 50 updates, after\n"
        "each epoch and at the end. The texts must be those of the recipe, in its order: `tide info --recipe MODEL`\n"
        "lists them. Any processor, number of threads and number of ranks gives the same bits. Never changes MODEL.\n"
        "Exit status: 0 the same bits, 1 a difference or an error, 2 usage. Ctrl-C stops; the same command "
        "continues.",
    COMMAND_FLAGS(flags),
    .prints = true,
    .word = {.values = 1, .kind = VALUE_FILE},
    .files = REMARKS({"MODEL.verify", "The new training; removed at the end if the bits are the same"}),
    .examples = REMARKS({"tide verify run1 --train-sets c.zh c.en", "Train run1 again and compare"},
                        {"tide verify run1-small --parent run1", "Quantize run1 again and compare"}),
    .see = "info quantize train tune",
    .run = run,
};
