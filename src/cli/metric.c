#include "cli/metric.h"
#include "text/ds.h"
#include "text/lines.h"
#include "tide.h"

#include <stdio.h>

static int score(const char *reference_path, bool lowercase, Metric *metric, const char *settings, Err *err) {
    char **references = lines_read_raw(reference_path, err),
         **hypotheses = references ? lines_read_raw(NULL, err) : NULL;
    int status = hypotheses ? 0 : -1;
    if (!status && arrlen(references) != arrlen(hypotheses))
        status = err_set(err, "standard input", 0, "%td lines, but %s has %td", arrlen(hypotheses), reference_path,
                         arrlen(references));
    if (!status && arrlen(references) == 0) status = err_set(err, reference_path, 0, "file is empty");
    if (!status) {
        char line[256];
        metric(hypotheses, references, (int)arrlen(references), lowercase, line, sizeof line);
        printf("%s\nnrefs:1|case:%s|%s|version:tide-%s\n", line, lowercase ? "lc" : "mixed", settings, TIDE_VERSION);
    }
    lines_free(references);
    lines_free(hypotheses);
    return status;
}

int metric_run(const Args *args, const Command *command, Metric *metric, const char *settings) {
    Err err;
    if (args->word_count != 1)
        return usage_error("%s needs one REFERENCE; see `tide %s --help`", command->name, command->name);
    return score(args->words[0], args_has(args, "lc"), metric, settings, &err) ? fail(&err) : 0;
}
