/* records.h: rows of numbers that are too many for memory, in a temporary file. */
#ifndef TIDE_RECORDS_H
#define TIDE_RECORDS_H

#include "core/base.h"

#include <stdint.h>
#include <stdio.h>

/* Record i is a row of ints of any length. Of each one, memory holds eight bytes. */
typedef struct Records {
    FILE *file;     /* without a name: it is gone when this process is, however it ends */
    uint64_t *ends; /* stb_ds array: ints in the file up to the end of each record */
    char *dir;      /* where the file is, for errors */
} Records;

/* An empty list, whose file is made in a directory. -1 with *err filled where that cannot be; release it even then. */
int records_open(Records *records, const char *dir, Err *err);
/* Appends a record. -1 with *err filled where the disk is full or broken. */
int records_add(Records *records, const int *numbers, size_t n, Err *err);
/* Brings to the file what records_add left in a buffer: before records_read. */
int records_flush(Records *records, Err *err);
size_t records_length(const Records *records, int i);
/* Copies record i to where it has room. -1 with *err filled where the disk is broken. */
int records_read(const Records *records, int i, int *to, Err *err);
void records_close(Records *records);

#endif
