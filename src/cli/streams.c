#include "cli/streams.h"

#include "io/lines.h"
#include "io/output.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static OutputFile output; /* one for the whole process, as stdout; not open without --output */

int streams_output(const Args *args, const char *path, Err *err) {
    if (args_file_is_free(args, path, err) || output_open(&output, path, err)) return -1;
    fflush(stdout);
    return dup2(output.fd, STDOUT_FILENO) < 0 ? err_set(err, path, 0, "cannot be written: %s", strerror(errno)) : 0;
}

int streams_begin(const Command *command, const Args *args, Err *err) {
    const char *in = command->reads ? args_value(args, "input", 0) : NULL;
    const char *out = command->prints ? args_value(args, "output", 0) : NULL;
    if (in && standard_input_open(in, err)) return -1;
    return out ? streams_output(args, out, err) : 0;
}

int streams_end(int status, Err *err) {
    if (!output.stream) return 0;
    errno = 0;
    const bool whole = !fflush(stdout) && !ferror(stdout);
    if (whole && (!status || lseek(output.fd, 0, SEEK_CUR) > 0)) return output_commit(&output, err);
    if (!status) err_set(err, output.path, 0, "cannot be written%s%s", errno ? ": " : "", errno ? strerror(errno) : "");
    output_discard(&output);
    return status ? 0 : -1; /* the command has printed an error */
}
