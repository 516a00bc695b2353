#include "view/report.h"

#include "core/scope.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "io/numbered.h"
#include "io/output.h"
#include "text/unicode.h"
#include "view/comparison.h"
#include "view/dev_outputs.h"
#include "view/web.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_UPDATES 1e15
enum { MOST_POINTS = 1000, MOST_FRAMES = 100, FRAME_BYTES = 8 << 20 };

static const char markup[] =
#include "view/web/report.html.inc"
    ;
static const char style[] =
#include "view/web/explanations.css.inc"
#include "view/web/report.css.inc"
    ;
static const char script[] =
#include "view/web/explanations.js.inc"
#include "view/web/differences.js.inc"
#include "view/web/report_texts.js.inc"
#include "view/web/report_outputs.js.inc"
#include "view/web/report.js.inc"
    ;
static const char live_script[] = /* follows `script` */
#include "view/web/report_live.js.inc"
    ;

typedef struct Report {
    const char *dir;
    cJSON *reports, *validations; /* arrays of the log's lines */
    double last;                  /* last update in the log */
    double dev_set;               /* update of the last change of the dev set; -1: none */
    size_t bytes;                 /* of the log */
    long recorded;                /* validations with a file of alignments */
    char *frames;                 /* those on the page: one set for each validation; JSON, with commas */
    char *outputs;                /* translations of the dev set, as dev_outputs_write writes them */
} Report;

static int no_memory(const char *path, Err *err) { return err_set(err, path, 0, "no memory for the report"); }

static const cJSON *get(const cJSON *object, const char *name) {
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

static bool is_update(const cJSON *json) {
    return cJSON_IsNumber(json) && json->valuedouble >= 0 && json->valuedouble <= MOST_UPDATES;
}

/* ---- thinning ------------------------------------------------------------------------------------------------- */

/* Deletes all items of an array except `most` evenly spaced ones and `keep` (NULL: none). */
static void thin(cJSON *array, long most, const cJSON *keep) {
    long n = cJSON_GetArraySize(array), i = 0, k = 0;
    if (n <= most) return;
    for (cJSON *item = array->child, *next; item; item = next, i++) {
        next = item->next;
        if (i == spaced_index(k, n, most)) k++;
        else if (item != keep) cJSON_Delete(cJSON_DetachItemViaPointer(array, item));
    }
}

/* ---- the log -------------------------------------------------------------------------------------------------- */

static int read_line(Report *r, const char *line, size_t n, const char *path, long number, Err *err) {
    cJSON *object = json_parse(line, n);
    if (!object && errno == ENOMEM) return no_memory(path, err);
    const cJSON *update = get(object, "update");
    const bool is_set = cJSON_IsNumber(get(object, "training_set")); /* the first lines, if there are several sets */
    if (is_set || !is_update(update) || !utf8_valid(line, n)) {      /* cJSON does not check for UTF-8 */
        cJSON_Delete(object);
        return is_set ? 0 : err_set(err, path, number, "is not a line of a training's log");
    }
    r->last = update->valuedouble;
    const cJSON *changed = get(object, "changed");
    if (cJSON_IsString(changed) && !strcmp(changed->valuestring, "dev set")) r->dev_set = r->last;
    cJSON_AddItemToArray(get(object, "valid_loss") ? r->validations : r->reports, object);
    return 0;
}

static const cJSON *best_of(const cJSON *validations) {
    const cJSON *item, *best = NULL;
    cJSON_ArrayForEach(item, validations) {
        if (cJSON_IsTrue(get(item, "best"))) best = item;
    }
    return best;
}

/* The update of the best validation; -1: none. */
static double best_update(const Report *r) {
    const cJSON *best = best_of(r->validations);
    return best ? get(best, "update")->valuedouble : -1;
}

static int read_log(Report *r, Err *err) {
    char path[PATH_SIZE];
    size_t size;
    path_in(path, r->dir, "train.jsonl");
    char *text = file_read(path, &size, err);
    if (!text) return -1;
    int status = 0;
    long number = 1;
    for (char *line = text, *end; !status && (end = memchr(line, '\n', (size_t)(text + size - line))); line = end + 1)
        status = read_line(r, line, (size_t)(end - line), path, number++, err);
    mem_free(text);
    r->bytes = size;
    thin(r->reports, MOST_POINTS, NULL);
    thin(r->validations, MOST_POINTS, best_of(r->validations));
    return status;
}

/* ---- alignments ----------------------------------------------------------------------------------------------- */

/* Appends the strings of a JSON array, which owns them, to a stb_ds array. Returns whether it is such an array. */
static bool read_strings(const cJSON *array, char ***strings) {
    const cJSON *item;
    cJSON_ArrayForEach(item, array) {
        if (!cJSON_IsString(item)) return false;
        arrput(*strings, item->valuestring);
    }
    return cJSON_IsArray(array);
}

/* Appends the numbers of a matrix to a stb_ds array. Returns whether it is a matrix of this size. */
static bool read_matrix(const cJSON *matrix, ptrdiff_t rows, ptrdiff_t columns, float **numbers) {
    const cJSON *row, *cell;
    cJSON_ArrayForEach(row, matrix) {
        if (!cJSON_IsArray(row) || cJSON_GetArraySize(row) != columns) return false;
        cJSON_ArrayForEach(cell, row) {
            if (!cJSON_IsNumber(cell)) return false;
            arrput(*numbers, (float)cell->valuedouble);
        }
    }
    return cJSON_IsArray(matrix) && cJSON_GetArraySize(matrix) == rows;
}

/* Writes an alignment in the page's JSON format. Returns whether the object is an alignment. */
static bool write_alignment(FILE *out, const cJSON *object) {
    char **source = NULL, **target = NULL;
    float *weight = NULL;
    arrsetcap(weight, 1); /* never NULL: an alignment without pieces has weights, too */
    const bool sound = read_strings(get(object, "source"), &source) && read_strings(get(object, "target"), &target) &&
                       read_matrix(get(object, "matrix"), arrlen(target), arrlen(source), &weight);
    if (sound) web_alignment(out, &(Alignment){source, (int)arrlen(source), target, (int)arrlen(target), weight});
    arrfree(source);
    arrfree(target);
    arrfree(weight);
    return sound;
}

/* Writes the alignments of one validation. Returns whether the frame is a set of alignments. */
static bool write_frame(FILE *out, const cJSON *frame) {
    const cJSON *update = get(frame, "update"), *alignments = get(frame, "alignments"), *item;
    if (!is_update(update) || !cJSON_IsArray(alignments)) return false;
    fprintf(out, "{\"update\":%.0f,\"alignments\":[", update->valuedouble);
    cJSON_ArrayForEach(item, alignments) {
        if (item != alignments->child) fputc(',', out);
        if (!write_alignment(out, item)) return false;
    }
    fputs("]}", out);
    return true;
}

static void delete_json(void *json) { cJSON_Delete(json); }

static int read_frame(FILE *out, const char *path, Err *err) {
    size_t size;
    char *text = file_read(path, &size, err);
    if (!text) return -1;
    cJSON *frame = json_parse(text, size);
    const bool refused = !frame && errno == ENOMEM;
    if (frame) scope_own(frame, delete_json);
    const bool sound = write_frame(out, frame);
    scope_disown(frame, delete_json);
    cJSON_Delete(frame);
    mem_free(text);
    if (refused) return no_memory(path, err);
    return sound ? 0 : err_set(err, path, 0, "is not a set of alignments");
}

/* Lists the updates that have a file of alignments, in ascending order (a stb_ds array), and adds up the sizes of these
   files in bytes. */
static int list_frames(const Report *r, const char *align, long **updates, double *bytes, Err *err) {
    long *all;
    if (numbered_list(align, ".json", &all, err)) return -1;
    for (ptrdiff_t i = 0; i < arrlen(all) && (double)all[i] <= r->last; i++) {
        char path[PATH_SIZE];
        struct stat info;
        numbered_path(path, align, all[i], ".json");
        if (stat(path, &info)) continue;
        arrput(*updates, all[i]);
        *bytes += (double)info.st_size;
    }
    arrfree(all);
    return 0;
}

/* How many of n files, of `bytes` bytes in total, the page may hold. */
static long most_frames(long n, double bytes) {
    long most = n < MOST_FRAMES ? n : MOST_FRAMES;
    while (most > 2 && (double)most * bytes > (double)FRAME_BYTES * (double)n) most--;
    return most;
}

static int read_frames(Report *r, Err *err) {
    char align[PATH_SIZE];
    long *updates = NULL;
    double bytes = 0;
    path_in(align, r->dir, "align");
    int status = list_frames(r, align, &updates, &bytes, err);
    r->recorded = arrlen(updates);
    numbers_thin(updates, most_frames(r->recorded, bytes), (long)best_update(r));
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    for (ptrdiff_t i = 0; !status && i < arrlen(updates); i++) {
        char path[PATH_SIZE];
        numbered_path(path, align, updates[i], ".json");
        if (i) fputc(',', out);
        status = read_frame(out, path, err);
    }
    r->frames = memory_close(&memory, NULL);
    arrfree(updates);
    return status;
}

static int read_outputs(Report *r, Err *err) {
    const DevOutputs which = {r->dev_set, r->last, best_update(r)};
    MemoryFile memory;
    const int status = dev_outputs_write(memory_open(&memory), r->dir, &which, err);
    r->outputs = memory_close(&memory, NULL);
    return status;
}

/* ---- the page ------------------------------------------------------------------------------------------------- */

/* The name of the training in a directory. whole: room for it. */
static const char *name_of(const char *dir, char whole[PATH_MAX]) {
    return realpath(dir, whole) ? basename(whole) : dir;
}

/* Writes the members of the JSON object that the page's script reads as `data`. name: of the training. */
static int write_members(FILE *out, const Report *r, const char *name, Err *err) {
    char *reports = cJSON_PrintUnformatted(r->reports), *validations = cJSON_PrintUnformatted(r->validations);
    const int status = reports && validations ? 0 : no_memory(r->dir, err);
    if (!status) {
        fputs("\"name\":", out);
        web_text(out, name);
        fprintf(out, ",\"reports\":%s,\"validations\":%s,\"recorded\":%ld,\"frames\":[%s],\"outputs\":%s", reports,
                validations, r->recorded, r->frames ? r->frames : "", r->outputs);
    }
    cJSON_free(reports);
    cJSON_free(validations);
    return status;
}

/* Returns the page, owned by the caller. nonce: of a live page; NULL: a page for a file. */
static char *page_of(const char *title, const char *data, const char *nonce, size_t *size) {
    char scripts[sizeof script + sizeof live_script];
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    stpcpy(stpcpy(scripts, script), nonce ? live_script : "");
    web_page(out, &(WebPage){title, style, markup, data, scripts, nonce});
    return memory_close(&memory, size);
}

/* Reads the files of a training. with_frames: also its alignments. Release with report_free, after an error too. */
static int report_read(Report *r, const char *dir, bool with_frames, Err *err) {
    *r = (Report){.dir = dir, .dev_set = -1, .reports = cJSON_CreateArray(), .validations = cJSON_CreateArray()};
    scope_own(r->reports, delete_json);
    scope_own(r->validations, delete_json);
    int status = r->reports && r->validations ? read_log(r, err) : no_memory(dir, err);
    if (!status && with_frames) status = read_frames(r, err);
    return status ? status : read_outputs(r, err);
}

static void report_free(Report *r) {
    scope_disown(r->reports, delete_json);
    scope_disown(r->validations, delete_json);
    cJSON_Delete(r->reports);
    cJSON_Delete(r->validations);
    mem_free(r->frames);
    mem_free(r->outputs);
}

char *report_text(const char *dir, const char *nonce, size_t *size, Err *err) {
    char whole[PATH_MAX], title[PATH_MAX + 16];
    const char *name = name_of(dir, whole);
    Report r;
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    fputc('{', out);
    const int status = report_read(&r, dir, true, err) || write_members(out, &r, name, err);
    if (nonce) fprintf(out, ",\"bytes\":%zu", r.bytes);
    fputc('}', out);
    char *data = memory_close(&memory, NULL);
    snprintf(title, sizeof title, "The training of %s", name);
    char *text = status ? NULL : page_of(title, data, nonce, size);
    mem_free(data);
    report_free(&r);
    return text;
}

/* Writes the data of one of two trainings, without the braces. */
static int write_compared(FILE *out, const char *dir, const char *name, Err *err) {
    Report r;
    const int status = report_read(&r, dir, false, err) || write_members(out, &r, name, err);
    report_free(&r);
    fputs(",\"options\":", out);
    return status ? -1 : comparison_options(out, dir, err);
}

/* Writes the data of a page that compares two trainings. */
static int write_comparison(FILE *out, const char *const dirs[2], const char *const names[2], Err *err) {
    fputc('{', out);
    if (write_compared(out, dirs[0], names[0], err)) return -1;
    fputs(",\"other\":{", out);
    if (write_compared(out, dirs[1], names[1], err)) return -1;
    fputs("},\"sameDevSet\":", out);
    if (comparison_dev_sets(out, dirs, err)) return -1;
    fputc('}', out);
    return 0;
}

/* Writes a page into a directory. text: the page, which this releases; NULL: there is none, and *err is filled. */
static int write_page(const char *dir, const char *name, char *text, size_t size, Err *err) {
    char path[PATH_SIZE];
    path_in(path, dir, name);
    const int status = text ? output_write(path, text, size, err) : -1;
    mem_free(text);
    return status;
}

int report_write(const char *dir, Err *err) {
    size_t size = 0;
    char *text = report_text(dir, NULL, &size, err);
    return write_page(dir, "report.html", text, size, err);
}

int report_compare(const char *dir, const char *other, Err *err) {
    char whole[2][PATH_MAX], title[2 * PATH_MAX + 32];
    const char *const dirs[2] = {dir, other};
    const char *names[2] = {name_of(dir, whole[0]), name_of(other, whole[1])};
    if (!strcmp(names[0], names[1])) memcpy(names, dirs, sizeof names);
    MemoryFile memory;
    size_t size = 0;
    const int status = write_comparison(memory_open(&memory), dirs, names, err);
    char *data = memory_close(&memory, NULL);
    snprintf(title, sizeof title, "The trainings of %s and %s", names[0], names[1]);
    char *text = status ? NULL : page_of(title, data, NULL, &size);
    mem_free(data);
    return write_page(dir, "comparison.html", text, size, err);
}
