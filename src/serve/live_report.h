/* live_report.h: the report of a training whose model is served, while the training runs. */
#ifndef TIDE_SERVE_LIVE_REPORT_H
#define TIDE_SERVE_LIVE_REPORT_H

#include "serve/request.h"

/* Whether the directory of place i has the log of a training. */
bool live_report_exists(const ServedModels *models, int i);
/* Replies with the page of tide report for the model that the request names, made from the present log; the page looks
   for changes every few seconds. The page is kept while the log is the same. Only one thread at a time may call this.
   Status 404 if there is no such model, or no log. */
void live_report_page(const Start *start);
/* Replies with {"bytes": N}, the size of the log. */
void live_report_log(const Start *start);

#endif
