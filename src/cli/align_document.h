/* align_document.h: `tide align --document`. */
#ifndef TIDE_ALIGN_DOCUMENT_H
#define TIDE_ALIGN_DOCUMENT_H

#include "cli/args.h"

/* Aligns the sentences of --src and --tgt, and writes the pairs. Returns 0, or -1 with *err filled. */
int align_document(const Args *args, int threads, Err *err);

#endif
