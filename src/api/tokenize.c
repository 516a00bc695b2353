/* tokenize.c: tide_tokenize. */
#include "api/api.h"
#include "io/ds.h"
#include "text/unicode.h"

#include <string.h>

typedef struct TokenizeCall {
    Call call;
    const TideModel *model;
    TideSide side;
    const char *text;
    TidePieces **pieces;
} TokenizeCall;

static void tokenize(void *context) {
    TokenizeCall *c = context;
    size_t bad;
    if (!argument_given(&c->call, "result", c->pieces) || !argument_given(&c->call, "model", c->model) ||
        !argument_given(&c->call, "text", c->text) ||
        !option_between(&c->call, "side", (int)c->side, TIDE_SOURCE, TIDE_TARGET))
        return;
    const Translator *translator = &c->model->translator;
    char *text = text_normalise(c->text, strlen(c->text), &bad);
    if (!text) {
        call_fail(&c->call, TIDE_BAD_TEXT, "text: not valid UTF-8 at byte %zu", bad);
        return;
    }
    char **pieces = side_split(c->side == TIDE_SOURCE ? &translator->source : &translator->target, text);
    *c->pieces = pieces_keep(pieces, (int)arrlen(pieces));
    strings_free(pieces);
    mem_free(text);
}

TideStatus tide_tokenize(const TideModel *model, TideSide side, const char *text, TidePieces **pieces, char *error,
                         size_t error_size) {
    TokenizeCall c = {.model = model, .side = side, .text = text, .pieces = pieces};
    if (pieces) *pieces = NULL;
    return call_once(&c.call, tokenize, error, error_size);
}
