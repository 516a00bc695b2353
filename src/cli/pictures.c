#include "cli/pictures.h"

#include "cli/messages.h"
#include "cli/rasterize.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/output.h"
#include "text/unicode.h"

#include <strings.h>
#include <unistd.h>

int pictures_flags(const Args *args, const char *dir, Pictures *pictures, Err *err) {
    static const char *const flags[] = {"per-page", "blank", "row-scale", "picture-language", NULL};
    int language;
    *pictures = (Pictures){.dir = dir, .title = args_value(args, "title", 0)};
    if (args_int(args, "per-page", &pictures->per_page, err) || args_choice(args, "picture-language", &language, err))
        return -1;
    pictures->style = (HeatmapStyle){.transpose = args_has(args, "transpose"),
                                     .blank = args_has(args, "blank"),
                                     .row_scale = args_has(args, "row-scale"),
                                     .language = (HeatmapLanguage)language};
    for (int i = 0; flags[i] && !dir; i++)
        if (args_has(args, flags[i]))
            return usage_error(err, "--%s is for pictures; name their folder or file", flags[i]);
    if (!pictures->title) return 0;
    if (pictures->per_page < 2) return usage_error(err, "--title is for sheets, with --per-page 2 or more");
    return about_check("title", pictures->title, err) ? usage_error(err, "%s", err->reason) : 0;
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

int pictures_open(Pictures *pictures, const Translator *model, const char *path, Err *err) {
    const char *dir = pictures->dir, *title = model->about.text[ABOUT_TITLE];
    OutputFile output;
    if (!pictures->title) pictures->title = title ? title : path;
    if (!raster_format(dir)) return check_folder(dir, err) || directory_make(dir, err) ? -1 : 0;
    /* A file is opened already here, so that a wrong path fails before the work and not after it. */
    if (raster_check(err) || output_open(&output, dir, err)) return -1;
    output_discard(&output);
    return 0;
}

int picture_write(const char *path, const Heatmap *heatmap, Err *err) {
    OutputFile output;
    if (output_open(&output, path, err)) return -1;
    heatmap_svg(output.stream, heatmap);
    return output_commit(&output, err);
}

/* Says once that no font has the Chinese characters of a picture. */
static void check_fonts(Pictures *pictures, const Heatmap *heatmap) {
    if (pictures->warned) return;
    bool han = pictures->style.language == HEATMAP_ZH || (pictures->per_page > 1 && text_has_han(pictures->title));
    for (int k = 0; k < heatmap->count; k++) {
        const Alignment *a = &heatmap->alignments[k];
        for (int i = 0; i < a->n_source && !han; i++) han = text_has_han(a->source[i]);
        for (int i = 0; i < a->n_target && !han; i++) han = text_has_han(a->target[i]);
    }
    if (!han) return;
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

static bool is_pdf(const Pictures *pictures) { return raster_format(pictures->dir) == RASTER_PDF; }

static int not_drawn(const Pictures *pictures, Err *err) {
    return err_set(err, pictures->dir, 0, "a picture cannot be drawn");
}

/* Opens DIR/0001.svg ... */
static int begin_svg(Pictures *pictures, Err *err) {
    char path[512];
    if (snprintf(path, sizeof path, "%s/%04d.svg", pictures->dir, pictures->count + 1) >= (int)sizeof path)
        return err_set(err, path, 0, "the path is too long");
    if (output_open(&pictures->page.file, path, err)) return -1;
    pictures->page.stream = pictures->page.file.stream;
    return 0;
}

static int begin_page(Pictures *pictures, Err *err) {
    struct Page *page = &pictures->page;
    if (!raster_format(pictures->dir)) return begin_svg(pictures, err);
    if (is_pdf(pictures) && arrlen(pictures->pages) == MOST_PAGES)
        return err_set(err, pictures->dir, 0, "more than %d pages", MOST_PAGES);
    page->fd = file_in_memory(true); /* rsvg-convert inherits it */
    page->stream = page->fd < 0 ? NULL : fdopen(dup(page->fd), "w");
    if (!page->stream && page->fd >= 0) close(page->fd);
    return page->stream ? 0 : not_drawn(pictures, err);
}

/* Ends the page; writes it unless it is one of a PDF. */
static int end_page(Pictures *pictures, Err *err) {
    struct Page *page = &pictures->page;
    int status = 0;
    if (pictures->per_page > 1) sheet_end(&pictures->sheet);
    pictures->count++;
    FILE *stream = page->stream;
    page->stream = NULL;
    if (!raster_format(pictures->dir)) return output_commit(&page->file, err);
    const bool failed = ferror(stream);
    if (fclose(stream) || failed) status = not_drawn(pictures, err);
    if (!status && is_pdf(pictures)) {
        arrput(pictures->pages, page->fd);
        return 0;
    }
    if (!status) status = write_png(pictures, page->fd, err);
    close(page->fd);
    return status;
}

/* Draws a picture on the sheet, or on a new one. */
static int add_to_sheet(Pictures *pictures, const Heatmap *heatmap, Err *err) {
    const int number = ++pictures->numbered;
    if (pictures->page.stream && sheet_add(&pictures->sheet, heatmap, number)) return 0;
    if (pictures->page.stream && end_page(pictures, err)) return -1;
    if (begin_page(pictures, err)) return -1;
    pictures->sheet =
        sheet_new(pictures->page.stream, &pictures->style, pictures->title, pictures->count + 1, pictures->per_page);
    sheet_add(&pictures->sheet, heatmap, number);
    return 0;
}

int pictures_add(Pictures *pictures, Heatmap heatmap, Err *err) {
    heatmap.style = pictures->style;
    if (raster_format(pictures->dir)) check_fonts(pictures, &heatmap);
    if (pictures->per_page > 1) return add_to_sheet(pictures, &heatmap, err);
    if (begin_page(pictures, err)) return -1;
    heatmap_svg(pictures->page.stream, &heatmap);
    return end_page(pictures, err);
}

void pictures_skip(Pictures *pictures) {
    if (pictures->per_page == 1) pictures->count++;
}

int pictures_close(Pictures *pictures, Err *err) {
    if (pictures->page.stream && end_page(pictures, err)) return -1;
    const int n = (int)arrlen(pictures->pages);
    return n ? raster_write(pictures->dir, pictures->pages, n, err) : 0;
}

void pictures_free(Pictures *pictures) {
    struct Page *page = &pictures->page;
    if (page->stream && !raster_format(pictures->dir)) output_discard(&page->file);
    if (page->stream && raster_format(pictures->dir)) {
        fclose(page->stream);
        close(page->fd);
    }
    for (ptrdiff_t i = 0; i < arrlen(pictures->pages); i++) close(pictures->pages[i]);
    arrfree(pictures->pages);
}
