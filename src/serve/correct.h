/* correct.h: answers the requests about corrections: keeps and deletes them, lists them, and finds similar sentences.
 */
#ifndef TIDE_SERVE_CORRECT_H
#define TIDE_SERVE_CORRECT_H

#include "serve/request.h"

/* POST /v1/corrections: keeps the correction of a sentence. POST /suggest: the same for clients of LibreTranslate. */
void correct_add(const Start *start);
/* POST /v1/corrections/delete. */
void correct_delete(const Start *start);
/* GET /v1/corrections: the corrections of the account, and the terms that they propose. */
void correct_list(const Start *start);
/* GET /v1/corrections.tmx: those that count, as a translation memory. */
void correct_export(const Start *start);
/* POST /v1/similar: the most similar sentences that are remembered. */
void correct_similar(const Start *start);
/* GET /v1/learning: what the models of the account have learned. */
void correct_learning(const Start *start);
/* POST /v1/learn: learns from the corrections that wait. */
void correct_learn(const Start *start);
/* POST /v1/generation: serves another generation. */
void correct_choose(const Start *start);

#endif
