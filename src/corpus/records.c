#include "corpus/records.h"

#include "io/ds.h"
#include "io/files.h"

int records_open(Records *records, const char *dir, Err *err) {
    *records = (Records){.dir = mem_strdup(dir)};
    records->file = file_temporary(dir, err);
    return records->file ? 0 : -1;
}

int records_add(Records *records, const int *numbers, size_t n, Err *err) {
    const uint64_t end = arrlen(records->ends) ? arrlast(records->ends) : 0;
    if (n > 0 && fwrite(numbers, sizeof *numbers, n, records->file) != n)
        return file_temporary_broken(records->dir, err);
    arrput(records->ends, end + n);
    return 0;
}

int records_flush(Records *records, Err *err) {
    return fflush(records->file) ? file_temporary_broken(records->dir, err) : 0;
}

static uint64_t record_offset(const Records *records, int i) { return i ? records->ends[i - 1] : 0; }

size_t records_length(const Records *records, int i) { return (size_t)(records->ends[i] - record_offset(records, i)); }

int records_read(const Records *records, int i, int *to, Err *err) {
    const size_t bytes = records_length(records, i) * sizeof *to;
    const off_t at = (off_t)(record_offset(records, i) * sizeof *to);
    return file_read_at(fileno(records->file), to, bytes, at) ? file_temporary_broken(records->dir, err) : 0;
}

void records_close(Records *records) {
    if (records->file) fclose(records->file);
    arrfree(records->ends);
    mem_free(records->dir);
    *records = (Records){0};
}
