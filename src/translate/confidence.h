/* confidence.h: how good a translation probably is: the chrF2, from 0 to 1, that its mean log-probability predicts.
   `tide tune` fits the prediction and stores it in the model. */
#ifndef TIDE_CONFIDENCE_H
#define TIDE_CONFIDENCE_H

#include "model/beam.h"
#include "translate/model_options.h"

/* 1 / (1 + exp(-(a + b m))), where a and b are options->confidence and m is log_probability / pieces. -1: the model has
   no prediction (a = b = 0), or there are no pieces. */
double confidence_of(const ModelOptions *options, double log_probability, int pieces);
/* The same for the best hypothesis; -1: there is none. */
double confidence_of_best(const ModelOptions *options, const Nbest *nbest);

/* Sets a and b, mapping[0] and mapping[1], to the values that give n translations with the mean log-probabilities m the
   qualities q, each from 0 to 1, with the largest likelihood Σ q ln p + (1 - q) ln(1 - p) (logistic regression of
   fractions: Papke & Wooldridge 1996, section 2). Returns whether m predicts q: whether their correlation and b are
   positive; if not, both are 0. The result is the same on every machine. */
bool confidence_fit(const double *m, const double *q, int n, double mapping[2]);
/* Pearson's correlation of x and y; 0 if one of them is constant. */
double correlation(const double *x, const double *y, int n);

#endif
