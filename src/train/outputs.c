#include "train/outputs.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/numbered.h"
#include "io/output.h"
#include "text/unicode.h"

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

/* Returns in *updates the updates of the validations in train.jsonl (a stb_ds array). */
static int read_validations(const char *model, long **updates, Err *err) {
    static const char begin[] = "{\"update\": ";
    char path[PATH_SIZE], *rest = NULL;
    path_in(path, model, "train.jsonl");
    char *text = file_read(path, NULL, err);
    *updates = NULL;
    if (!text) return -1;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (starts_with(line, begin) && strstr(line, "\"valid_loss\""))
            arrput(*updates, strtol(line + strlen(begin), NULL, 10));
    mem_free(text);
    return 0;
}

static bool contains(const long *numbers, long number) {
    for (ptrdiff_t i = 0; i < arrlen(numbers); i++)
        if (numbers[i] == number) return true;
    return false;
}

int outputs_cut(const char *model, Err *err) {
    char dir[PATH_SIZE], path[PATH_SIZE];
    long *validated, *written;
    path_in(dir, model, "valid");
    if (read_validations(model, &validated, err)) return -1;
    int status = numbered_list(dir, ".out", &written, err);
    for (ptrdiff_t i = 0; i < arrlen(written) && !status; i++) {
        if (contains(validated, written[i])) continue;
        numbered_path(path, dir, written[i], ".out");
        if (unlink(path) && errno != ENOENT) status = err_set(err, path, 0, "cannot be removed: %s", strerror(errno));
    }
    arrfree(validated);
    arrfree(written);
    return status;
}
