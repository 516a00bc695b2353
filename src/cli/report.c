/* tide report: writes the HTML page about a training. */
#include "cli/cli.h"
#include "cli/messages.h"
#include "view/report.h"

static int run(const Args *args, Err *err) {
    if (args->word_count != 1) return usage_error(err, "report needs one MODEL; see `tide report --help`");
    if (report_write(args->words[0], err)) return -1;
    message("report: %s/report.html", args->words[0]);
    return 0;
}

const Command command_report = {
    .name = "report",
    .summary = "write an HTML page with curves and alignments of a training",
    .usage = "MODEL",
    .about = "Writes MODEL/report.html from MODEL/train.jsonl and MODEL/align/, as `tide train` does at each\n"
             "validation. The page is one file; any browser opens it, without a network.",
    .word = {.values = 1, .kind = VALUE_DIR},
    .files =
        REMARKS({"MODEL/train.jsonl", "The log of the training, which is read"},
                {"MODEL/align", "The alignments, which are read"}, {"MODEL/report.html", "The page, which is written"}),
    .examples = REMARKS({"tide report run1 && xdg-open run1/report.html", "Write the page and look at it"}),
    .see = "train",
    .run = run,
};
