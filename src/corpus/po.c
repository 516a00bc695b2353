#include "corpus/po.h"

#include "io/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT, COMPILED, SAID, FILES }; /* the input of msgfmt, its output, and what it prints for people */

/* Copies the text to an open file, and rewinds it. */
static int copy(LineReader *lines, int fd, Err *err) {
    char bytes[1 << 14];
    long n;
    while ((n = line_reader_bytes(lines, bytes, sizeof bytes, err)) > 0)
        for (long at = 0, some; at < n; at += some) {
            some = write(fd, bytes + at, (size_t)(n - at));
            if (some <= 0) return err_set(err, lines->path, 0, "cannot be copied: %s", strerror(errno));
        }
    return n < 0 || lseek(fd, 0, SEEK_SET) ? -1 : 0;
}

static char *read_back(int fd, size_t *size, Err *err) {
    char path[FD_PATH];
    file_own_path(fd, path);
    return file_read(path, size, err);
}

/* Sets the error that msgfmt reports first, in a line such as "<stdin>:5:7: syntax error". */
static void set_error(const LineReader *lines, const char *said, Err *err) {
    const char *at = strstr(said, "<stdin>:");
    char *reason = NULL;
    const long line = at ? strtol(strchr(at, ':') + 1, &reason, 10) : 0;
    if (!reason) reason = (char *)said;
    reason += strspn(reason, ":0123456789");
    reason += strspn(reason, " ");
    err_set(err, lines->path, line, "msgfmt refuses it: %.*s", (int)strcspn(reason, "\n"), reason);
}

/* The number before " fuzzy" in a line such as "3 translated messages, 1 fuzzy translation."; 0 if there is none. */
static long count_fuzzy(const char *said) {
    const char *fuzzy = strstr(said, " fuzzy"), *at = fuzzy;
    while (at && at > said && at[-1] >= '0' && at[-1] <= '9') at--;
    return at ? strtol(at, NULL, 10) : 0;
}

static char *compile(LineReader *lines, const int fds[FILES], size_t *size, long *fuzzy, Err *err) {
    char *const command[] = {"env", "LC_ALL=C", "msgfmt", "--statistics", "--output-file=-", "-", NULL};
    enum { NOT_FOUND = 127 };
    if (copy(lines, fds[TEXT], err)) return NULL;
    const int status = program_run(command, fds[TEXT], fds[COMPILED], fds[SAID]);
    if (status < 0 || status == NOT_FOUND) {
        err_set(err, lines->path, 0, "PO needs the program msgfmt: %s", program_advice("gettext"));
        return NULL;
    }
    char *said = read_back(fds[SAID], NULL, err);
    if (!said) return NULL;
    *fuzzy = count_fuzzy(said);
    if (status) set_error(lines, said, err);
    mem_free(said);
    return status ? NULL : read_back(fds[COMPILED], size, err);
}

char *po_compile(LineReader *lines, size_t *size, long *fuzzy, Err *err) {
    int fds[FILES], open = 0;
    char *compiled = NULL;
    while (open < FILES && (fds[open] = file_in_memory(false)) >= 0) open++;
    if (open == FILES) compiled = compile(lines, fds, size, fuzzy, err);
    else err_set(err, lines->path, 0, "cannot be copied: %s", strerror(errno));
    while (open > 0) close(fds[--open]);
    return compiled;
}
