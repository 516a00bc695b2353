#include "cli/metric.h"
#include "cli/messages.h"
#include "io/ds.h"
#include "io/json.h"
#include "io/lines.h"
#include "tide.h"

#include <stdio.h>
#include <string.h>

/* ---- references ------------------------------------------------------------------------------------------------ */

int references_read(References *references, const char *const *paths, int count, Err *err) {
    char ***sets = mem_zalloc((size_t)count * sizeof *sets);
    *references = (References){(char *const *const *)sets, count};
    for (int i = 0; i < count; i++)
        if (!(sets[i] = lines_read_raw(paths[i], true, err))) return -1;
    return 0;
}

void references_free(References *references) {
    char ***sets = (char ***)references->sets;
    for (int i = 0; i < references->count; i++) strings_free(sets[i]);
    mem_free(sets);
}

int metric_check(char *const *hypotheses, const char *name, const References *references, const char *const *paths,
                 Err *err) {
    for (int i = 0; i < references->count; i++)
        if (arrlen(references->sets[i]) != arrlen(hypotheses))
            return err_set(err, name, 0, "%td lines, but %s has %td", arrlen(hypotheses), paths[i],
                           arrlen(references->sets[i]));
    return arrlen(hypotheses) ? 0 : err_set(err, paths[0], 0, "file is empty");
}

/* ---- printing -------------------------------------------------------------------------------------------------- */

/* Prints a member of an object, after a comma. pad: spaces before each line of the object. */
static void print_member(const char *pad, const char *name, const char *value) {
    printf(",\n%s ", pad);
    json_print(stdout, "%s: %s", name, value);
}

static void print_json(const MetricScore *score, const char *signature, const char *pad) {
    char name[32], value[64];
    printf("%s{\n%s \"name\": \"%s\",\n%s \"score\": ", pad, pad, score->name, pad);
    json_number(stdout, score->score, 2);
    print_member(pad, "signature", signature);
    if (score->details[0]) print_member(pad, "verbose_score", score->details);
    for (; *signature; signature += strcspn(signature, "|"), signature += *signature == '|') /* "case:mixed|eff:no" */
        if (sscanf(signature, "%31[^:|]:%63[^|]", name, value) == 2) print_member(pad, name, value);
    printf("\n%s}", pad);
}

void metric_print(const Metric *const *metrics, int count, char *const *hypotheses, References references, int n,
                  const Args *args) {
    const bool lowercase = args_has(args, "lc"), json = args_has(args, "json");
    if (json && count > 1) puts("[");
    for (int i = 0; i < count; i++) {
        char signature[256];
        const MetricScore score = metrics[i]->score(
            hypotheses, references, n, (BleuOptions){.lowercase = lowercase, .chinese = metrics[i]->chinese});
        snprintf(signature, sizeof signature, "nrefs:%d|case:%s|%s|version:tide-%s", references.count,
                 lowercase ? "lc" : "mixed", metrics[i]->settings, TIDE_VERSION);
        if (json) print_json(&score, signature, count > 1 ? " " : "");
        else if (args_has(args, "score-only")) printf("%.2f\n", score.score);
        else
            printf("%s = %.2f%s%s\n%s\n", score.name, score.score, *score.details ? " " : "", score.details, signature);
        if (json) puts(i + 1 < count ? "," : "");
    }
    if (json && count > 1) puts("]");
}

int hypotheses_read(const Args *args, References *references, char ***hypotheses, Err *err) {
    *hypotheses = NULL;
    if (references_read(references, args->words, args->word_count, err)) return -1;
    *hypotheses = lines_read_raw(NULL, true, err);
    return *hypotheses ? 0 : -1;
}

int metric_run(const Args *args, const Command *command, const Metric *metric, Err *err) {
    References references;
    if (!args->word_count)
        return usage_error(err, "%s needs one or more REFERENCE; see `tide %s --help`", command->name, command->name);
    char **hypotheses;
    message_waiting("translations to be scored");
    const bool failed = hypotheses_read(args, &references, &hypotheses, err) ||
                        metric_check(hypotheses, standard_input_name(), &references, args->words, err);
    if (!failed) metric_print(&metric, 1, hypotheses, references, (int)arrlen(hypotheses), args);
    references_free(&references);
    strings_free(hypotheses);
    return failed ? -1 : 0;
}
