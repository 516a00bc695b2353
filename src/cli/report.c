/* tide report */
#include "cli/cli.h"
#include "view/report.h"

#include <stdio.h>

static int run(const Args *args) {
    Err err;
    if (args->word_count != 1) return usage_error("report needs one MODEL; see `tide report --help`");
    if (report_write(args->words[0], &err)) return fail(&err);
    fprintf(stderr, "report: %s/report.html\n", args->words[0]);
    return 0;
}

const Command command_report = {
    .name = "report",
    .summary = "a training's curves and alignments as a page",
    .usage = "MODEL",
    .about = "Writes MODEL/report.html from MODEL/train.jsonl and MODEL/align/, as `tide train` does at each\n"
             "validation. The page stands alone: any browser opens it, and it asks nothing of the network.",
    .flags = NULL,
    .flag_count = 0,
    .run = run,
};
