/* Fuzz target: writes the training report from a log and, after the first byte 0xFF, one file of probe alignments. */
#include "fuzz.h"
#include "text/files.h"
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char dir[SCRATCH_SIZE], log[SCRATCH_SIZE + 32], align[SCRATCH_SIZE + 32], frame[SCRATCH_SIZE + 32],
        page[SCRATCH_SIZE + 32];
    FuzzFile files[2];
    Err err = {0};
    memory_files(files, data, size);
    scratch_directory(dir);
    snprintf(log, sizeof log, "%s/train.jsonl", dir);
    snprintf(align, sizeof align, "%s/align", dir);
    snprintf(frame, sizeof frame, "%s/align/00000001.json", dir);
    snprintf(page, sizeof page, "%s/report.html", dir);
    CHECK(!mkdir(align, 0777) && !symlink(files[0].path, log) && !symlink(files[1].path, frame), "no files");
    int status = report_write(dir, &err);
    CHECK(status ? err.reason[0] && access(page, F_OK) : !access(page, F_OK), "status %d: '%s'", status, err.reason);
    if (!status) page_check(page);
    scratch_remove(dir);
    for (int i = 0; i < 2; i++) memory_file_close(&files[i]);
    return 0;
}
