/* Fuzz target: writes the training report from a log and, after bytes 0xFF, one file of probe alignments and the files
   of translations: source, reference and the output of a validation. */
#include "fuzz.h"
#include "io/files.h"
#include "view/report.h"
#include "scratch.h"

#include <cJSON.h>
#include <stdlib.h>
#include <sys/stat.h>

/* Checks that the page is UTF-8 without NULs and that its data is JSON with the members that its script reads. */
static void page_check(const char *path) {
    static const char begin[] = "<script type=\"application/json\" id=\"data\">", end[] = "</script>";
    Err err;
    size_t size;
    char *page = file_read(path, &size, &err), *data = page ? strstr(page, begin) : NULL;
    CHECK(page && strlen(page) == size && utf8_valid(page, size), "the page is no text");
    CHECK(data && strstr(data, end), "the page has no data");
    data += strlen(begin);
    cJSON *json = cJSON_ParseWithLength(data, (size_t)(strstr(data, end) - data));
    CHECK(json && cJSON_IsArray(cJSON_GetObjectItem(json, "reports")) &&
              cJSON_IsArray(cJSON_GetObjectItem(json, "validations")) &&
              cJSON_IsArray(cJSON_GetObjectItem(json, "frames")),
          "the page's data is not what its script reads: %.2000s", data);
    cJSON_Delete(json);
    mem_free(page);
}

/* Makes a file of each part of the bytes between bytes 0xFF, which never occur in UTF-8. Returns their number, at most
   `most`. */
static int split(FuzzFile *files, int most, const uint8_t *data, size_t size) {
    int n = 0;
    for (const uint8_t *end = data + size, *cut = data; cut && n < most; n++) {
        cut = size && n < most - 1 ? memchr(data, 0xFF, size) : NULL;
        files[n] = memory_file(data, (size_t)((cut ? cut : end) - data));
        if (cut) data = cut + 1;
        size = (size_t)(end - data);
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"train.jsonl", "align/00000001.json", "valid/source.txt", "valid/reference.txt",
                                        "valid/00000001.out"};
    enum { FILES = sizeof names / sizeof *names };
    char dir[SCRATCH_SIZE], path[SCRATCH_SIZE + 32];
    FuzzFile files[FILES];
    Err err = {0};
    const int n = split(files, FILES, data, size);
    scratch_directory(dir);
    snprintf(path, sizeof path, "%s/align", dir);
    CHECK(!mkdir(path, 0777), "no folder");
    snprintf(path, sizeof path, "%s/valid", dir);
    CHECK(!mkdir(path, 0777), "no folder");
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/%s", dir, names[i]);
        CHECK(!symlink(files[i].path, path), "no file");
    }
    snprintf(path, sizeof path, "%s/report.html", dir);
    int status = report_write(dir, &err);
    CHECK(status ? err.reason[0] && access(path, F_OK) : !access(path, F_OK), "status %d: '%s'", status, err.reason);
    if (!status) page_check(path);
    scratch_remove(dir);
    for (int i = 0; i < n; i++) memory_file_close(&files[i]);
    return 0;
}
