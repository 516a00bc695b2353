/* tide bleu */
#include "cli/cli.h"
#include "text/lines.h"
#include "text/ds.h"
#include "tide.h"
#include "train/bleu.h"

#include <stdio.h>

static const Flag flags[] = {{"lc", 0, NULL, "compare without case"}};

static int score(const char *reference_path, bool lowercase, Err *err) {
    char **references = lines_read_raw(reference_path, err),
         **hypotheses = references ? lines_read_raw(NULL, err) : NULL;
    int status = hypotheses ? 0 : -1;
    if (!status && arrlen(references) != arrlen(hypotheses))
        status = err_set(err, "standard input", 0, "%td lines, but %s has %td", arrlen(hypotheses), reference_path,
                         arrlen(references));
    if (!status && arrlen(references) == 0) status = err_set(err, reference_path, 0, "file is empty");
    if (!status) {
        char line[256];
        Bleu bleu = bleu_corpus(hypotheses, references, (int)arrlen(references), lowercase);
        bleu_format(&bleu, line, sizeof line);
        printf("%s\nnrefs:1|case:%s|eff:no|tok:13a|smooth:exp|version:tide-%s\n", line, lowercase ? "lc" : "mixed",
               TIDE_VERSION);
    }
    lines_free(references);
    lines_free(hypotheses);
    return status;
}

static int run(const Args *args) {
    Err err;
    if (args->word_count != 1) return usage_error("bleu needs one REFERENCE; see `tide bleu --help`");
    return score(args->words[0], args_has(args, "lc"), &err) ? fail(&err) : 0;
}

const Command command_bleu = {
    .name = "bleu",
    .summary = "BLEU of translations on standard input",
    .usage = "REFERENCE [--lc] < hypotheses",
    .about = "Corpus BLEU with sacreBLEU's 13a tokenisation and exponential smoothing.",
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .run = run,
};
