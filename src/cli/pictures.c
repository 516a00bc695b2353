#include "cli/pictures.h"

#include "cli/messages.h"
#include "cli/rasterize.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/output.h"
#include "text/unicode.h"

#include <strings.h>
#include <sys/mman.h>
#include <unistd.h>

int pictures_flags(const Args *args, Pictures *pictures, Err *err) {
    if (args_int(args, "per-page", &pictures->per_page, err)) return -1;
    if (!args_has(args, "per-page") || (pictures->dir && raster_format(pictures->dir))) return 0;
    return usage_error(err, "--per-page is for a file whose name ends in .pdf or .png");
}

/* Checks that a folder of pictures does not have the name of a picture in a format that tide does not write. */
static int check_folder(const char *dir, Err *err) {
    static const char *const formats[] = {"svg", "jpg", "jpeg", "gif", "webp", "eps", "html", NULL};
    const char *dot = strrchr(dir, '.');
    for (const char *const *format = formats; *format && dot; format++)
        if (!strcasecmp(dot + 1, *format))
            return err_set(err, dir, 0, "is not a name for pictures: FILE.pdf, FILE.png, or a folder for SVG files");
    return 0;
}

int pictures_open(Pictures *pictures, Err *err) {
    const char *dir = pictures->dir;
    OutputFile output;
    if (!raster_format(dir)) return check_folder(dir, err) || directory_make(dir, err) ? -1 : 0;
    /* A file is opened already here, so that a wrong path fails before the work and not after it. */
    if (raster_check(err) || output_open(&output, dir, err)) return -1;
    output_discard(&output);
    return 0;
}

int picture_write(const char *path, const Alignment *alignment, bool transpose, Err *err) {
    OutputFile output;
    if (output_open(&output, path, err)) return -1;
    heatmap_svg(output.stream, alignment, transpose, NULL);
    return output_commit(&output, err);
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

/* ---- pages ----------------------------------------------------------------------------------------------------- */

enum { PAGE_WIDTH = 794, PAGE_HEIGHT = 1123, PAGE_MARGIN = 38, PAGE_GAP = 24 }; /* A4 with 96 pixels for an inch */

/* The place of picture i on a page for n. */
static HeatmapPlace place_of(int i, int n) {
    const int columns = n < 3 ? 1 : n < 9 ? 2 : 3, rows = (n + columns - 1) / columns;
    const int across = (PAGE_WIDTH - 2 * PAGE_MARGIN + PAGE_GAP) / columns,
              down = (PAGE_HEIGHT - 2 * PAGE_MARGIN + PAGE_GAP) / rows;
    return (HeatmapPlace){PAGE_MARGIN + i % columns * across, PAGE_MARGIN + i / columns * down, across - PAGE_GAP,
                          down - PAGE_GAP};
}

static bool is_pdf(const Pictures *pictures) { return raster_format(pictures->dir) == RASTER_PDF; }

static int not_drawn(const Pictures *pictures, Err *err) {
    return err_set(err, pictures->dir, 0, "a picture cannot be drawn");
}

static int begin_page(Pictures *pictures, Err *err) {
    struct Sheet *sheet = &pictures->sheet;
    if (is_pdf(pictures) && arrlen(pictures->pages) == MOST_PAGES)
        return err_set(err, pictures->dir, 0, "more than %d pages", MOST_PAGES);
    const int fd = memfd_create("picture.svg", 0); /* rsvg-convert inherits it */
    FILE *stream = fd < 0 ? NULL : fdopen(dup(fd), "w");
    if (!stream && fd >= 0) close(fd);
    if (!stream) return not_drawn(pictures, err);
    *sheet = (struct Sheet){.stream = stream, .fd = fd};
    if (pictures->per_page > 1)
        fprintf(stream,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n"
                "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n",
                PAGE_WIDTH, PAGE_HEIGHT);
    return 0;
}

/* Ends the page; writes it if it is a PNG. */
static int end_page(Pictures *pictures, Err *err) {
    struct Sheet sheet = pictures->sheet;
    int status = 0;
    pictures->sheet = (struct Sheet){0};
    if (pictures->per_page > 1) fputs("</svg>\n", sheet.stream);
    const bool failed = ferror(sheet.stream);
    if (fclose(sheet.stream) || failed) status = not_drawn(pictures, err);
    if (!status && is_pdf(pictures)) {
        arrput(pictures->pages, sheet.fd);
        return 0;
    }
    pictures->count++;
    if (!status) status = write_png(pictures, sheet.fd, err);
    close(sheet.fd);
    return status;
}

static int add_raster(Pictures *pictures, const Alignment *alignment, Err *err) {
    struct Sheet *sheet = &pictures->sheet;
    const int n = pictures->per_page;
    check_fonts(pictures, alignment);
    if (!sheet->stream && begin_page(pictures, err)) return -1;
    const HeatmapPlace place = place_of(sheet->pictures, n);
    heatmap_svg(sheet->stream, alignment, pictures->transpose, n > 1 ? &place : NULL);
    return ++sheet->pictures < n ? 0 : end_page(pictures, err);
}

int pictures_close(Pictures *pictures, Err *err) {
    if (pictures->sheet.stream && end_page(pictures, err)) return -1;
    const int n = (int)arrlen(pictures->pages);
    return n ? raster_write(pictures->dir, pictures->pages, n, err) : 0;
}

void pictures_free(Pictures *pictures) {
    if (pictures->sheet.stream) {
        fclose(pictures->sheet.stream);
        close(pictures->sheet.fd);
    }
    for (ptrdiff_t i = 0; i < arrlen(pictures->pages); i++) close(pictures->pages[i]);
    arrfree(pictures->pages);
}

int pictures_add(Pictures *pictures, const Alignment *alignment, Err *err) {
    char path[512];
    if (raster_format(pictures->dir)) return add_raster(pictures, alignment, err);
    if (snprintf(path, sizeof path, "%s/%04d.svg", pictures->dir, ++pictures->count) >= (int)sizeof path)
        return err_set(err, path, 0, "the path is too long");
    return picture_write(path, alignment, pictures->transpose, err);
}
