/* Fuzz target: a file of corrections. What it holds is checked, exported and searched for terms. */
#include "corpus/correction_check.h"
#include "corpus/correction_terms.h"
#include "fuzz.h"
#include "io/files.h"

/* Writes a translation memory and reads it back. */
static void check_memory(const Correction *const *corrections, int n) {
    MemoryFile memory;
    Err err;
    RawPair pair;
    size_t size;
    int status = 0;
    corrections_write_tmx(memory_open(&memory), corrections, n);
    char *text = memory_close(&memory, &size);
    FuzzFile file = memory_file(text, size);
    const CorpusFiles files = {FORM_TMX, {file.path, NULL}, {0}};
    Reader *reader = reader_open(&files, (const char *const[]){"zh", "en"}, &err);
    while (reader && (status = reader_next(reader, &pair, &err)) > 0) continue;
    CHECK(!reader || status == 0 || strstr(err.reason, "no translation unit") || strstr(err.reason, "more than 1 MiB"),
          "line %ld: %s in %s", err.line, err.reason, text);
    reader_close(reader);
    memory_file_close(&file);
    mem_free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FuzzFile file = memory_file(data, size);
    Err err;
    Correction *all = corrections_read(file.path, &err);
    const int n = (int)arrlen(all);
    const Correction **current = corrections_current(all, n);
    for (int i = 0; i < n; i++) {
        CHECK(i == 0 || all[i].id > all[i - 1].id, "id %ld follows %ld", all[i].id, all[i - 1].id);
        if (!correction_check(&all[i], &err)) CHECK(*all[i].source && *all[i].correction, "an empty text is accepted");
    }
    if (all) check_memory(current, (int)arrlen(current));
    correction_terms_free(correction_terms(current, (int)arrlen(current), (const char *const[]){"zh", "en"}));
    correction_terms_free(correction_terms(current, (int)arrlen(current), (const char *const[]){"en", "zh"}));
    arrfree(current);
    corrections_free(all);
    memory_file_close(&file);
    return 0;
}
