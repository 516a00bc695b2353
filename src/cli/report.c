/* tide report: writes the HTML page about a training. */
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
    .summary = "write an HTML page with curves and alignments of a training",
    .usage = "MODEL",
    .about = "Writes MODEL/report.html from MODEL/train.jsonl and MODEL/align/, as `tide train` does at each\n"
             "validation. The page is one file; any browser opens it, without a network.",
    .flags = NULL,
    .flag_count = 0,
    .run = run,
};
