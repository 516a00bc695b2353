/* placeholder until the part of the other helper is there */
#ifndef TIDE_CORRECTION_TERMS_H
#define TIDE_CORRECTION_TERMS_H
#include "corpus/corrections.h"
typedef struct CorrectionTerm { char *source, *before, *after; int count; } CorrectionTerm;
static inline CorrectionTerm *correction_terms(const Correction *const *all, int n) { (void)all, (void)n; return NULL; }
static inline void correction_terms_free(CorrectionTerm *t) { (void)t; }
#endif
