/* tide report: writes the HTML page about a training. */
#include "cli/cli.h"
#include "cli/messages.h"
#include "view/report.h"

static int run(const Args *args, Err *err) {
    const int n = args->word_count;
    if (n != 1 && n != 2) return usage_error(err, "report needs one MODEL, or two; see `tide report --help`");
    if (n == 1 ? report_write(args->words[0], err) : report_compare(args->words[0], args->words[1], err)) return -1;
    message("report: %s/%s", args->words[0], n == 1 ? "report.html" : "comparison.html");
    return 0;
}

const Command command_report = {
    .name = "report",
    .summary = "write an HTML page with curves and alignments of a training, or compare two",
    .usage = "MODEL [OTHER]",
    .about = "Writes MODEL/report.html from MODEL/train.jsonl, MODEL/align/ and MODEL/valid/, as `tide train` does at\n"
             "each validation. The page is one file; any browser opens it, without a network. With OTHER, writes\n"
             "MODEL/comparison.html: the curves of both trainings, the options that differ and, if both have the same\n"
             "dev set, the translations.",
    .word = {.values = 2, .kind = VALUE_DIR},
    .files = REMARKS({"MODEL/train.jsonl", "The log of the training, which is read"},
                     {"MODEL/align", "The alignments, which are read"},
                     {"MODEL/valid", "The translations of the dev set, which are read"},
                     {"MODEL/report.html", "The page, which is written"},
                     {"MODEL/comparison.html", "The page about two trainings, which is written"}),
    .examples = REMARKS({"tide report run1 && xdg-open run1/report.html", "Write the page and look at it"},
                        {"tide report run1 run2", "Compare two trainings"}),
    .see = "train",
    .run = run,
};
