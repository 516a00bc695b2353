#include "cli/rasterize.h"

#include "io/program.h"
#include "io/ds.h"
#include "io/output.h"

#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

const char *raster_format(const char *path) {
    static const char *const formats[] = {"png", "pdf", NULL};
    const char *dot = strrchr(path, '.');
    for (const char *const *format = formats; *format && dot; format++)
        if (!strcasecmp(dot + 1, *format)) return *format;
    return "";
}

/* Runs a program whose output is not read. Returns its exit status, and whether it wrote something. */
static int run_quietly(char *const *command, bool *wrote) {
    const int out = memfd_create("output", MFD_CLOEXEC);
    const int status = out < 0 ? -1 : program_run(command, -1, out, -1);
    *wrote = out >= 0 && lseek(out, 0, SEEK_END) > 0;
    if (out >= 0) close(out);
    return status;
}

int raster_check(Err *err) {
    bool wrote;
    if (!run_quietly((char *[]){"rsvg-convert", "--version", NULL}, &wrote)) return 0;
    return err_set(err, NULL, 0, "PNG and PDF need the program rsvg-convert: install the package librsvg2-bin");
}

bool raster_has_chinese(void) {
    bool wrote;
    return run_quietly((char *[]){"fc-list", ":lang=zh", NULL}, &wrote) != 0 || wrote;
}

int raster_write(const char *path, const int *fds, int n, Err *err) {
    static char zoom[] = "--zoom=2"; /* sharp on slides; a PDF keeps its size */
    const bool pdf = !strcmp(raster_format(path), "pdf");
    OutputFile output;
    enum { FIRST = 3, NAME = 32 }; /* words before the files; room for the name of a file */
    const int files = pdf ? n : 1;
    if (output_open(&output, path, err)) return -1;
    char **command = mem_zalloc((size_t)(FIRST + files + 1) * sizeof *command); /* NULL ends it */
    char *names = mem_alloc((size_t)files * NAME), program[] = "rsvg-convert", format[] = "--format=pdf";
    if (!pdf) memcpy(format, "--format=png", sizeof format);
    int words = 0;
    command[words++] = program;
    command[words++] = format;
    if (!pdf) command[words++] = zoom;
    for (int i = 0; i < files; i++) {
        snprintf(names + (ptrdiff_t)i * NAME, NAME, "/proc/self/fd/%d", fds[i]);
        command[words++] = names + (ptrdiff_t)i * NAME;
    }
    const int status = program_run(command, -1, output.fd, -1);
    mem_free(command);
    mem_free(names);
    if (!status) return output_commit(&output, err);
    output_discard(&output);
    return err_set(err, path, 0, "rsvg-convert failed with exit status %d", status);
}
