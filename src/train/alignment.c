#include "train/alignment.h"

#include <cJSON.h>
#include <stdlib.h>

static const float *row(const Alignment *a, int i) { return a->weight + (size_t)i * (size_t)a->n_source; }

void alignment_pharaoh(FILE *out, const Alignment *a) {
    const char *space = "";
    for (int i = 0; i + 1 < a->n_target; i++) {
        int best = 0;
        for (int j = 1; j < a->n_source; j++)
            if (row(a, i)[j] > row(a, i)[best]) best = j;
        if (best == a->n_source - 1) continue;
        fprintf(out, "%s%d-%d", space, best, i);
        space = " ";
    }
}

void alignment_soft(FILE *out, const Alignment *a) {
    for (int i = 0; i < a->n_target; i++)
        for (int j = 0; j < a->n_source; j++) fprintf(out, "%s%.6g", j ? "," : i ? " " : "", (double)row(a, i)[j]);
}

static void write_strings(FILE *out, const char *name, char *const *strings, int n) {
    fprintf(out, "\"%s\": [", name);
    for (int i = 0; i < n; i++) {
        cJSON *string = cJSON_CreateString(strings[i]);
        char *text = cJSON_PrintUnformatted(string);
        fprintf(out, "%s%s", i ? ", " : "", text ? text : "\"\"");
        free(text);
        cJSON_Delete(string);
    }
    fputs("], ", out);
}

void alignment_json(FILE *out, const Alignment *a) {
    fputc('{', out);
    write_strings(out, "source", a->source, a->n_source);
    write_strings(out, "target", a->target, a->n_target);
    fputs("\"matrix\": [", out);
    for (int i = 0; i < a->n_target; i++) {
        for (int j = 0; j < a->n_source; j++) fprintf(out, "%s%.4f", j ? ", " : i ? ", [" : "[", (double)row(a, i)[j]);
        fputc(']', out);
    }
    fputs("]}", out);
}
