#include "view/comparison.h"

#include "io/files.h"
#include "io/safetensors.h"
#include "view/web.h"

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

static bool exists(const char *dir, const char *name) {
    char path[PATH_SIZE];
    path_in(path, dir, name);
    return !access(path, F_OK);
}

/* Returns the configuration in DIR/model.safetensors, owned by the caller; NULL with *err filled. */
static char *read_configuration(const char *dir, Err *err) {
    char path[PATH_SIZE];
    path_in(path, dir, "model.safetensors");
    Safetensors *file = safetensors_open(path, err);
    if (!file) return NULL;
    const char *text = safetensors_meta(file, "config");
    char *copy = text ? mem_strdup(text) : NULL;
    safetensors_close(file, 0, err);
    if (!copy) err_set(err, path, 0, "not a model of tide");
    return copy;
}

int comparison_options(FILE *out, const char *dir, Err *err) {
    if (!exists(dir, "model.safetensors")) {
        fputs("null", out);
        return 0;
    }
    char *lines = read_configuration(dir, err), *rest = NULL;
    if (!lines) return -1;
    fputc('[', out);
    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (line != lines) fputc(',', out);
        web_text(out, line);
    }
    fputc(']', out);
    mem_free(lines);
    return 0;
}

/* Sets *same to whether two files have the same bytes. */
static int compare_files(const char *const dirs[2], const char *name, bool *same, Err *err) {
    char path[PATH_SIZE], *text[2] = {NULL, NULL};
    size_t size[2];
    int status = 0;
    for (int i = 0; i < 2 && !status; i++) {
        path_in(path, dirs[i], name);
        text[i] = file_read(path, &size[i], err);
        status = text[i] ? 0 : -1;
    }
    if (!status) *same = size[0] == size[1] && !memcmp(text[0], text[1], size[0]);
    mem_free(text[0]);
    mem_free(text[1]);
    return status;
}

int comparison_dev_sets(FILE *out, const char *const dirs[2], Err *err) {
    static const char *const names[] = {"valid/source.txt", "valid/reference.txt"};
    bool all_same = true;
    for (int i = 0; i < 2; i++) {
        bool same = false;
        if (!exists(dirs[0], names[i]) || !exists(dirs[1], names[i])) {
            fputs("null", out);
            return 0;
        }
        if (compare_files(dirs, names[i], &same, err)) return -1;
        all_same = all_same && same;
    }
    fputs(all_same ? "true" : "false", out);
    return 0;
}
