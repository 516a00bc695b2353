/* tide quantize: writes a copy of a model with 8 bits for each weight of its matrices. */
#include "cli/models.h"
#include "io/files.h"

#include <stdio.h>
#include <sys/stat.h>

static const Flag flags[] = {FLAG_FORCE};

static double mebibytes(const char *path) {
    struct stat info;
    return stat(path, &info) ? 0 : (double)info.st_size / (1 << 20);
}

static int run(const Args *args, Err *err) {
    char from[PATH_SIZE], to[PATH_SIZE];
    if (args->word_count != 2) return usage_error(err, "quantize needs MODEL and OUT; see `tide quantize --help`");
    const char *model = args->words[0], *output = args->words[1];
    if (model_directory_make(args, output, model, to, err) || model_copy(model, NULL, true, to, err) ||
        model_find(model, from, err))
        return -1;
    printf("%s: %.1f MiB; %s: %.1f MiB\n", from, mebibytes(from), to, mebibytes(to));
    return 0;
}

const Command command_quantize = {
    .name = "quantize",
    .summary = "write a copy of a model with a quarter of the size",
    .usage = "MODEL OUT [--force]",
    .about =
        "Writes OUT/model.safetensors, in which each weight of a matrix has 8 bits: an integer from -127 to 127 and\n"
        "one scale for each column, or for each row of an embedding. All commands read such a model, and its products\n"
        "are those of 8-bit integers: see the guide. A training cannot start from it.",
    COMMAND_FLAGS(flags),
    .word = {.values = 2, .kind = VALUE_FILE},
    .examples = REMARKS({"tide quantize run1 run1-small", "Write run1-small/model.safetensors"}),
    .see = "export info translate",
    .run = run,
};
