/* Fuzz target: a dictionary of pinyin, then after the first byte 0xFF a text. Each character of the text has a reading,
   whose parts are not empty, different and normalised. */
#include "fuzz.h"
#include "text/pinyin.h"

/* Checks one reading, or several with slashes between them. */
static void reading_check(const char *reading) {
    char *normal = text_normalise(reading, strlen(reading), NULL), *parts = mem_strdup(reading), *rest = parts,
         **found = NULL;
    CHECK(normal && !strcmp(normal, reading), "'%s' is not normalised", reading);
    for (char *part = *parts ? strsep(&rest, "/") : NULL; part; part = strsep(&rest, "/")) {
        CHECK(*part, "an empty reading in '%s'", reading);
        for (ptrdiff_t i = 0; i < arrlen(found); i++) CHECK(strcmp(found[i], part) != 0, "twice in '%s'", reading);
        arrput(found, part);
    }
    arrfree(found);
    mem_free(parts);
    mem_free(normal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Err err = {0};
    const uint8_t *cut = size ? memchr(data, 0xFF, size) : NULL;
    const size_t end = cut ? (size_t)(cut - data) : size;
    FuzzFile file = memory_file(data, end);
    Pinyin *pinyin = pinyin_read(file.path, &err);
    CHECK(pinyin || err.reason[0], "refused without a reason");
    char *text = cut ? bytes_text(cut + 1, size - end - 1) : mem_strdup("");
    if (pinyin && utf8_valid(text, strlen(text))) {
        char **readings = pinyin_of(pinyin, text);
        CHECK((size_t)arrlen(readings) == utf8_count(text), "%td readings of '%s'", arrlen(readings), text);
        for (ptrdiff_t i = 0; i < arrlen(readings); i++) reading_check(readings[i]);
        strings_free(readings);
    }
    pinyin_free(pinyin);
    memory_file_close(&file);
    mem_free(text);
    return 0;
}
