#include "cli/rasterize.h"

#include "io/ds.h"
#include "io/output.h"
#include "io/system.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

RasterFormat raster_format(const char *path) {
    const char *dot = strrchr(path, '.');
    if (dot && !strcasecmp(dot, ".png")) return RASTER_PNG;
    if (dot && !strcasecmp(dot, ".pdf")) return RASTER_PDF;
    return RASTER_NONE;
}

/* Runs a program whose output is not read. Returns its exit status, and whether it wrote something. */
static int run_quietly(char *const *command, bool *wrote) {
    const int out = file_in_memory(false);
    const int status = out < 0 ? -1 : program_run(command, -1, out, -1);
    *wrote = out >= 0 && lseek(out, 0, SEEK_END) > 0;
    if (out >= 0) close(out);
    return status;
}

int raster_check(Err *err) {
    bool wrote;
    if (!run_quietly((char *[]){"rsvg-convert", "--version", NULL}, &wrote)) return 0;
    return err_set(err, NULL, 0, "PNG and PDF need the program rsvg-convert: %s", program_advice("librsvg2-bin"));
}

bool raster_has_chinese(void) {
    bool wrote;
    return run_quietly((char *[]){"fc-list", ":lang=zh", NULL}, &wrote) != 0 || wrote;
}

int raster_write(const char *path, const int *fds, int n, Err *err) {
    const bool pdf = raster_format(path) == RASTER_PDF;
    char **command = NULL, file[FD_PATH];
    OutputFile output;
    if (output_open(&output, path, err)) return -1;
    const char *const words[] = {"rsvg-convert", pdf ? "--format=pdf" : "--format=png", "--zoom=2"};
    const int word_count = pdf ? 2 : 3; /* the zoom makes a PNG sharp on slides; a PDF keeps its size */
    for (int i = 0; i < word_count; i++) arrput(command, mem_strdup(words[i]));
    for (int i = 0; i < (pdf ? n : 1); i++) {
        file_own_path(fds[i], file);
        arrput(command, mem_strdup(file));
    }
    arrput(command, NULL);
    const int status = program_run(command, -1, output.fd, -1);
    strings_free(command);
    if (!status) return output_commit(&output, err);
    output_discard(&output);
    return err_set(err, path, 0, "rsvg-convert failed with exit status %d", status);
}
