#include "cli/streams.h"

#include "io/lines.h"
#include "io/output.h"
#include "io/system.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static OutputFile output; /* one for the whole process, as stdout; not open without --output */

int streams_output(const Args *args, const char *path, bool words, Err *err) {
    if (!strcmp(path, "-") || file_is_same(path, "/dev/stdout")) return 0;
    if (args_file_is_free(args, path, words, err) || output_open(&output, path, err)) return -1;
    fflush(stdout);
    return dup2(output.fd, STDOUT_FILENO) < 0 ? err_set(err, path, 0, "cannot be written: %s", strerror(errno)) : 0;
}

/* Whether a path opens what standard input is. */
static bool names_input(const char *path) { return !strcmp(path, "/dev/stdin") || !strcmp(path, "/dev/fd/0"); }

/* Makes `path` standard input, unless the command line also names standard input itself, which would be `path`, too. */
static int begin_input(const Args *args, const char *path, Err *err) {
    bool read = false;
    for (int i = 0; i < args->word_count; i++) read |= names_input(args->words[i]);
    for (int i = 0; i < args->given_count; i++)
        for (int k = 0; k < args->given[i].count; k++) read |= names_input(args->given[i].values[k]);
    if (read) return usage_error(err, "standard input cannot be read by its name together with --input");
    return standard_input_open(path, err);
}

int streams_begin(const Command *command, const Args *args, Err *err) {
    const char *in = command->reads ? args_value(args, "input", 0) : NULL;
    const char *out = command->prints ? args_value(args, "output", 0) : NULL;
    if (in && strcmp(in, "-") != 0 && begin_input(args, in, err)) return -1;
    if (out && command->reads && !in && !file_is_special(out) && file_is_same(out, "/dev/stdin"))
        return err_set(err, out, 0, "is read, and would be overwritten");
    return out ? streams_output(args, out, command->word.kind == VALUE_FILE, err) : 0;
}

int streams_flush(Err *err) {
    errno = 0;
    if (!fflush(stdout) && !ferror(stdout)) return 0;
    if (!output.stream) return err_set(err, NULL, 0, "standard output cannot be written");
    return err_set(err, output.path, 0, "cannot be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
}

int streams_end(int status, Err *err) {
    Err broken;
    if (!output.stream) return 0;
    const bool whole = !streams_flush(&broken);
    if (whole && (!status || lseek(output.fd, 0, SEEK_CUR) > 0)) return output_commit(&output, err);
    output_discard(&output);
    if (whole || status) return 0; /* the command has printed an error */
    *err = broken;
    return -1;
}
