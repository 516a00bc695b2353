/* dev_outputs.h: the translations of the dev set at the validations of a training, as data of the report. */
#ifndef TIDE_DEV_OUTPUTS_H
#define TIDE_DEV_OUTPUTS_H

#include "core/base.h"

#include <stdio.h>

/* The validations whose translations belong to the dev set of a training. */
typedef struct DevOutputs {
    double after, last; /* updates: of the last change of the dev set, -1 if there is none; of the last validation */
    double best;        /* update of the best validation; -1: none */
} DevOutputs;

/* Writes JSON: {"total": N, "pairs": [[source, reference], ..], "recorded": M, "validations": [{"update": U, "texts":
   [..], "scores": [..]}, ..]}, or null if DIR/valid has no translations. total: the number of pairs in the dev set.
   pairs, texts: the first pairs, as many as the limits of report_write allow. scores: the chrF of each text, 0..100.
   recorded: the number of validations with translations; `validations` has as many of them as these limits allow.
   Returns 0, or -1 with *err filled if a file cannot be read or ends too early. */
int dev_outputs_write(FILE *out, const char *dir, const DevOutputs *which, Err *err);

#endif
