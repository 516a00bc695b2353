#include "io/compressed.h"

#include "core/scope.h"
#include "io/lines.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_MAGIC = 6, MOST_WORDS = 12 };

struct CompressedFormat {
    const char *name;
    unsigned char magic[MOST_MAGIC];
    int magic_length;
    bool is_archive; /* the program reads the file itself; else it is fed */
    const char *package;
    char *command[MOST_WORDS]; /* NULL ends it */
};

/* Arguments of unzip: the archive is standard input; files that are notes are left out. With -W, * does not match a /,
   but ** does. */
#define WITHOUT_NOTES "/dev/stdin", "-x", "_*", ".*", "**/_*", "**/.*"

/* xz may use four times the memory that files of xz -9 need; zstd has its own limit, 128 MiB. With a password, unzip
   does not ask for one. */
static const struct CompressedFormat formats[] = {
    {"gzip", {0x1f, 0x8b}, 2, false, "gzip", {"gzip", "-dc"}},
    {"zip", {'P', 'K', 3, 4}, 4, true, "unzip", {"unzip", "-pW", "-P", "x", WITHOUT_NOTES}},
    {"xz", {0xfd, '7', 'z', 'X', 'Z', 0}, 6, false, "xz-utils", {"xz", "-dc", "--memlimit-decompress=256MiB"}},
    {"zstd", {0x28, 0xb5, 0x2f, 0xfd}, 4, false, "zstd", {"zstd", "-dcq"}},
};
static char *const zip_names[] = {"unzip", "-Z1W", WITHOUT_NOTES, NULL};

static void fails(Compressed *c, const char *why) {
    snprintf(c->problem, sizeof c->problem, "%s cannot unpack it: %s", c->format->command[0], why);
}

/* ---- what a program says --------------------------------------------------------------------------------------- */

/* The last line of what a program has printed: the reason why it failed. unzip also prints cautions, about notes that
   an archive does not have. */
static char *last_line(char *said) {
    char *last = said + strlen(said), *rest;
    for (char *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, "caution:", 8) != 0 && line[strspn(line, " ")]) last = line;
    return last;
}

/* The reason without the names before it: "not in gzip format" of "gzip: stdin: not in gzip format". The name of a file
   in an archive may stand in the reason, and may have any bytes; those that are not printable ASCII become "?". */
static const char *reason_of(char *said) {
    char *line = last_line(said), *name = strstr(line, "stdin");
    if (name) line = name + strlen("stdin");
    line += strspn(line, name ? "*\\): " : " ");
    size_t n = strlen(line);
    while (n > 0 && line[n - 1] == ' ') line[--n] = '\0';
    for (size_t i = 0; i < n; i++)
        if (line[i] < ' ' || line[i] > '~') line[i] = '?';
    return line;
}

/* The reason of some exit statuses of unzip, which says more than what unzip prints; NULL: another status. The other
   programs do not use these. */
static const char *status_reason(int status) {
    enum { NO_DIRECTORY = 9, NO_FILE = 11, WRONG_PASSWORD = 82 };
    return status == NO_DIRECTORY     ? "it has no directory at its end"
           : status == NO_FILE        ? "it has no text"
           : status == WRONG_PASSWORD ? "it needs a password"
                                      : NULL;
}

/* Waits for the end of the program. */
static void finish(Compressed *c) {
    char said[PROGRAM_SAID_SIZE];
    const int status = program_end(&c->program, said);
    const char *reason = status_reason(status);
    c->running = false;
    if (!reason) reason = reason_of(said);
    if (status > 0 || (status < 0 && *reason)) fails(c, *reason ? reason : "it stopped");
}

/* ---- the bytes ------------------------------------------------------------------------------------------------- */

/* A few compressed bytes can become a line that fills the memory. */
static void check_line(Compressed *c, const char *bytes, size_t n) {
    size_t rest = 0; /* bytes after the last end of a line */
    while (rest < n && bytes[n - 1 - rest] != '\n') rest++;
    c->line = rest < n ? rest + 1 : c->line + n;
    if (c->line > LONGEST_LINE) fails(c, "it has a line of more than 1 GiB");
}

/* Sends bytes of the file to the program, as many as it takes without waiting. */
static void feed(Compressed *c) {
    if (c->at == c->size) {
        errno = 0;
        c->at = 0;
        c->size = fread(c->input, 1, sizeof c->input, c->file);
        if (ferror(c->file)) snprintf(c->problem, sizeof c->problem, "%s", strerror(errno));
    }
    const ssize_t n = c->size ? program_send(&c->program, c->input + c->at, c->size - c->at) : -1;
    if (n > 0) c->at += (size_t)n;
    c->sent = n < 0; /* also if the program has ended */
    if (c->sent) program_send_end(&c->program);
}

/* Waits for plain bytes, and gives the program what it needs for them. */
static ssize_t receive(Compressed *c, char *out, size_t n) {
    while (c->running && !*c->problem) {
        if (program_takes(&c->program, !c->sent)) {
            feed(c);
            continue;
        }
        const ssize_t got = program_receive(&c->program, out, n);
        if (got > 0) return got;
        finish(c);
    }
    return 0;
}

static ssize_t read_plain(void *cookie, char *out, size_t n) {
    Compressed *c = cookie;
    const ssize_t got = receive(c, out, n);
    check_line(c, out, (size_t)got);
    if (!*c->problem) return got;
    errno = EIO;
    return -1;
}

/* ---- opening --------------------------------------------------------------------------------------------------- */

/* The format of a file; NULL if it is plain. Puts the bytes back. */
static const struct CompressedFormat *format_of(FILE *file) {
    int bytes[MOST_MAGIC], n = 0;
    const struct CompressedFormat *format = formats, *const end = formats + sizeof formats / sizeof *formats;
    bytes[n++] = getc(file);
    while (format < end && bytes[0] != format->magic[0]) format++;
    if (format == end) {
        ungetc(bytes[0], file);
        return NULL;
    }
    while (n < format->magic_length && bytes[n - 1] == format->magic[n - 1]) bytes[n++] = getc(file);
    const bool whole = n == format->magic_length && bytes[n - 1] == format->magic[n - 1];
    while (n-- > 0) ungetc(bytes[n], file); /* does nothing for EOF */
    return whole ? format : NULL;
}

/* Ends the program and closes the stream, if there are any. */
static void stop(void *compressed) {
    Compressed *c = compressed;
    char said[PROGRAM_SAID_SIZE];
    if (c->running) program_end(&c->program, said);
    c->running = false;
    if (c->stream) fclose(c->stream);
    c->stream = NULL;
}

/* Starts a program, which reads the archive, or is fed with the file. */
static int start(Compressed *c, char *const *command, const char *path, Err *err) {
    const int error = program_start(&c->program, command, c->format->is_archive ? fileno(c->file) : -1);
    if (error == ENOMEM) mem_refused(0);
    if (error == ENOENT)
        return err_set(err, path, 0, "is compressed by %s: %s", c->format->name, program_advice(c->format->package));
    if (error) return err_set(err, path, 0, "%s cannot be run: %s", command[0], strerror(error));
    c->running = true;
    c->sent = c->format->is_archive;
    return 0;
}

/* Counts the texts of an archive, up to two. A name that ends in / is that of a folder. */
static int count_texts(Compressed *c) {
    char names[1 << 12], before = '\n';
    int texts = 0;
    for (ssize_t n; texts < 2 && (n = receive(c, names, sizeof names)) > 0;)
        for (ssize_t i = 0; i < n; i++) {
            texts += names[i] == '\n' && before != '\n' && before != '/';
            before = names[i];
        }
    return texts;
}

/* Checks that an archive is a file with one text. */
static int check_zip(Compressed *c, const char *path, Err *err) {
    struct stat info;
    if (fstat(fileno(c->file), &info) || !S_ISREG(info.st_mode))
        return err_set(err, path, 0, "is compressed by zip: unzip needs a file, not a stream");
    if (start(c, zip_names, path, err)) return -1;
    const int texts = count_texts(c);
    stop(c);
    if (texts > 1) fails(c, "it has several texts");
    return *c->problem ? err_set(err, path, 0, "%s", c->problem) : 0;
}

static int begin(Compressed *c, const char *path, Err *err) {
    if (c->format->is_archive && check_zip(c, path, err)) return -1;
    if (start(c, c->format->command, path, err)) return -1;
    c->stream = stream_open(c, (StreamFunctions){.read = read_plain});
    if (!c->stream) mem_refused(0);
    return 0;
}

int compressed_open(FILE *file, const char *path, Compressed **compressed, Err *err) {
    errno = 0;
    const struct CompressedFormat *format = format_of(file);
    *compressed = NULL;
    if (ferror(file)) return err_set(err, path, 0, "%s", strerror(errno));
    if (!format) return 0;
    Compressed *c = mem_zalloc(sizeof *c);
    c->format = format, c->file = file;
    scope_own(c, stop);
    const int status = begin(c, path, err);
    if (status) compressed_close(c);
    else *compressed = c;
    return status;
}

void compressed_close(Compressed *c) {
    if (!c) return;
    scope_disown(c, stop);
    stop(c);
    mem_free(c);
}
