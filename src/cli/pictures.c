#include "cli/pictures.h"

#include "cli/messages.h"
#include "cli/rasterize.h"
#include "text/ds.h"
#include "text/files.h"
#include "text/output.h"
#include "text/unicode.h"

#include <sys/mman.h>
#include <unistd.h>

int pictures_open(Pictures *pictures, Err *err) {
    return *raster_format(pictures->dir) ? raster_check(err) : directory_make(pictures->dir, err);
}
void pictures_skip(Pictures *pictures) { pictures->count++; }

int picture_write(const char *path, const Alignment *alignment, bool transpose, Err *err) {
    OutputFile output;
    if (output_open(&output, path, err)) return -1;
    heatmap_svg(output.stream, alignment, transpose);
    return output_commit(&output, err);
}

/* Draws into a file in memory. Returns its descriptor, or -1 with *err filled. */
static int draw_page(const Alignment *alignment, bool transpose, Err *err) {
    const int fd = memfd_create("picture.svg", 0); /* rsvg-convert inherits it */
    FILE *stream = fd < 0 ? NULL : fdopen(dup(fd), "w");
    if (stream && !heatmap_svg(stream, alignment, transpose) && !fclose(stream)) return fd;
    if (fd >= 0) close(fd);
    return err_set(err, NULL, 0, "a picture cannot be drawn");
}

/* Says once that no font has the Chinese characters of an alignment. */
static void check_fonts(Pictures *pictures, const Alignment *alignment) {
    bool han = false;
    for (int i = 0; i < alignment->n_source; i++) han |= text_has_han(alignment->source[i]);
    for (int i = 0; i < alignment->n_target; i++) han |= text_has_han(alignment->target[i]);
    if (!han || pictures->warned) return;
    pictures->warned = true;
    if (!raster_has_chinese())
        message("%s: no font has Chinese characters: install the package fonts-noto-cjk", pictures->dir);
}

/* Writes NAME.png; after the first picture, NAME-2.png ... */
static int write_png(const Pictures *pictures, int page, Err *err) {
    char path[512];
    const int stem = (int)strlen(pictures->dir) - (int)strlen(".png");
    const int n = pictures->count > 1 ? snprintf(path, sizeof path, "%.*s-%d.png", stem, pictures->dir, pictures->count)
                                      : snprintf(path, sizeof path, "%s", pictures->dir);
    if (n >= (int)sizeof path) return err_set(err, path, 0, "the path is too long");
    return raster_write(path, &page, 1, err);
}

static int add_raster(Pictures *pictures, const Alignment *alignment, Err *err) {
    check_fonts(pictures, alignment);
    const bool pdf = !strcmp(raster_format(pictures->dir), "pdf");
    if (pdf && arrlen(pictures->pages) == MOST_PAGES)
        return err_set(err, pictures->dir, 0, "more than %d pages", MOST_PAGES);
    const int page = draw_page(alignment, pictures->transpose, err);
    if (page < 0) return -1;
    if (pdf) {
        arrput(pictures->pages, page);
        return 0;
    }
    pictures->count++;
    const int status = write_png(pictures, page, err);
    close(page);
    return status;
}

int pictures_close(Pictures *pictures, Err *err) {
    const int n = (int)arrlen(pictures->pages);
    return n ? raster_write(pictures->dir, pictures->pages, n, err) : 0;
}

void pictures_free(Pictures *pictures) {
    for (ptrdiff_t i = 0; i < arrlen(pictures->pages); i++) close(pictures->pages[i]);
    arrfree(pictures->pages);
}

int pictures_add(Pictures *pictures, const Alignment *alignment, Err *err) {
    char path[512];
    if (*raster_format(pictures->dir)) return add_raster(pictures, alignment, err);
    if (snprintf(path, sizeof path, "%s/%04d.svg", pictures->dir, ++pictures->count) >= (int)sizeof path)
        return err_set(err, path, 0, "the path is too long");
    return picture_write(path, alignment, pictures->transpose, err);
}
