/* records.h: a list of integer rows in a temporary file, for rows that do not fit into memory. */
#ifndef TIDE_RECORDS_H
#define TIDE_RECORDS_H

#include "core/base.h"

#include <stdint.h>
#include <stdio.h>

/* Record i is a row of ints of any length. Memory holds 8 bytes for each record. */
typedef struct Records {
    FILE *file;     /* without a name: the system removes it when the process ends */
    uint64_t *ends; /* stb_ds array: offset of the end of each record, in ints */
    char *dir;      /* directory of the file, for errors */
} Records;

/* Makes an empty list with a temporary file in `dir`. Returns 0, or -1 with *err filled if the file cannot be created;
   call records_close even then. */
int records_open(Records *records, const char *dir, Err *err);
/* Appends a row of n ints. Returns 0, or -1 with *err filled if the disk is full or the file fails. */
int records_add(Records *records, const int *numbers, size_t n, Err *err);
/* Writes buffered records to the file. Required between records_add and records_read. Returns as records_add. */
int records_flush(Records *records, Err *err);
size_t records_length(const Records *records, int i);
/* Copies record i to `to`, which has room for records_length ints. Returns 0, or -1 with *err filled if the file cannot
   be read. */
int records_read(const Records *records, int i, int *to, Err *err);
void records_close(Records *records);

#endif
