#include "train/outputs.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/numbered.h"
#include "io/output.h"
#include "text/unicode.h"
#include "train/training.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int write_lines(const char *path, char *const *lines, int n, Err *err) {
    OutputFile output;
    if (output_open(&output, path, err)) return -1;
    for (int i = 0; i < n; i++) fprintf(output.stream, "%s\n", lines[i]);
    return output_commit(&output, err);
}

int outputs_write_pairs(const char *model, char **const texts[2], Err *err) {
    char dir[PATH_SIZE], path[PATH_SIZE];
    path_in(dir, model, "valid");
    if (directory_make(dir, err)) return -1;
    path_in(path, model, "valid/source.txt");
    if (write_lines(path, texts[SOURCE], (int)arrlen(texts[SOURCE]), err)) return -1;
    path_in(path, model, "valid/reference.txt");
    return write_lines(path, texts[TARGET], (int)arrlen(texts[TARGET]), err);
}

int outputs_write(const char *model, long update, char *const *translations, int n, Err *err) {
    char dir[PATH_SIZE], path[PATH_SIZE];
    path_in(dir, model, "valid");
    numbered_path(path, dir, update, ".out");
    return write_lines(path, translations, n, err);
}

/* Sets *found to whether train.jsonl has a validation after `update` updates. */
static int find_validation(const char *model, long update, bool *found, Err *err) {
    char path[PATH_SIZE], begin[64], *rest = NULL;
    path_in(path, model, "train.jsonl");
    snprintf(begin, sizeof begin, "{\"update\": %ld,", update);
    char *text = file_read(path, NULL, err);
    *found = false;
    if (!text) return -1;
    for (char *line = strtok_r(text, "\n", &rest); line && !*found; line = strtok_r(NULL, "\n", &rest))
        *found = starts_with(line, begin) && strstr(line, "\"valid_loss\"");
    mem_free(text);
    return 0;
}

/* Removes the files of a folder that are named after a larger number than `last`. */
static int cut(const char *model, const char *folder, const char *ending, long last, Err *err) {
    char dir[PATH_SIZE], path[PATH_SIZE];
    long *written;
    path_in(dir, model, folder);
    int status = numbered_list(dir, ending, &written, err);
    for (ptrdiff_t i = 0; i < arrlen(written) && !status; i++) {
        if (written[i] <= last) continue;
        numbered_path(path, dir, written[i], ending);
        if (unlink(path) && errno != ENOENT) status = err_set(err, path, 0, "cannot be removed: %s", strerror(errno));
    }
    arrfree(written);
    return status;
}

int outputs_cut(const char *model, long update, bool validated, Err *err) {
    bool logged;
    if (find_validation(model, update, &logged, err)) return -1;
    const long last = validated || logged ? update : update - 1;
    return cut(model, "valid", ".out", last, err) || cut(model, "align", ".json", last, err) ? -1 : 0;
}

void outputs_remove(const char *model, const char *mark) {
    const char *const names[] = {"model.safetensors",
                                 MODEL_ASIDE,
                                 "checkpoint.safetensors",
                                 "checkpoint.prev.safetensors",
                                 "train.jsonl",
                                 mark,
                                 "align",
                                 "valid"};
    char path[PATH_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        path_in(path, model, names[i]);
        if (unlink(path)) rmdir(path);
    }
    rmdir(model);
}
