#include "cli/metric.h"
#include "text/ds.h"
#include "text/lines.h"
#include "tide.h"

#include <stdio.h>

void metric_print(const Metric *metric, char *const *hypotheses, char *const *references, int n, bool lowercase) {
    char line[256];
    metric->score(hypotheses, references, n, lowercase, line, sizeof line);
    printf("%s\nnrefs:1|case:%s|%s|version:tide-%s\n", line, lowercase ? "lc" : "mixed", metric->settings,
           TIDE_VERSION);
}

int metric_check(char *const *hypotheses, const char *name, char *const *references, const char *path, Err *err) {
    if (arrlen(references) != arrlen(hypotheses))
        return err_set(err, name, 0, "%td lines, but %s has %td", arrlen(hypotheses), path, arrlen(references));
    return arrlen(references) ? 0 : err_set(err, path, 0, "file is empty");
}

static int score(const char *path, bool lowercase, const Metric *metric, Err *err) {
    char **references = lines_read_raw(path, err), **hypotheses = references ? lines_read_raw(NULL, err) : NULL;
    int status = hypotheses ? metric_check(hypotheses, "standard input", references, path, err) : -1;
    if (!status) metric_print(metric, hypotheses, references, (int)arrlen(references), lowercase);
    lines_free(references);
    lines_free(hypotheses);
    return status;
}

int metric_run(const Args *args, const Command *command, const Metric *metric) {
    Err err;
    if (args->word_count != 1)
        return usage_error("%s needs one REFERENCE; see `tide %s --help`", command->name, command->name);
    return score(args->words[0], args_has(args, "lc"), metric, &err) ? fail(&err) : 0;
}
