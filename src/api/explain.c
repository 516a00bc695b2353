/* explain.c: tide_explain. */
#include "api/api.h"
#include "io/ds.h"
#include "text/unicode.h"
#include "translate/search_options.h"

#include <string.h>

typedef struct ExplainCall {
    Call call;
    const char *source, *target;
    int step;
    const void *given; /* the caller's options */
    TideExplainOptions options;
    TideExplanation **explanation;
} ExplainCall;

/* Checks the options, and sets the tag and the products of the session. */
static bool options_given(ExplainCall *c, SearchOptions *search) {
    enum { MOST_TOP = 1000 };
    TideExplainOptions *o = &c->options;
    TideSession *session = c->call.session;
    const char *name = session->models[0]->name;
    Err err;
    if (!options_copy(&c->call, c->given, o, sizeof *o) || !option_between(&c->call, "top", o->top, -1, MOST_TOP))
        return false;
    if (o->pieces && !texts_given(&c->call, "piece", o->pieces, o->piece_count)) return false;
    *search = search_options_default();
    search->attention.hard = o->hard;
    search->max_length = o->max_length ? o->max_length : MOST_PIECES;
    search->tag = o->tag;
    search->precision = o->precision;
    const int status = search_options_check(search, session->session.members, &name, 1, NAMES_OF_FIELDS, &err);
    if (!status) search_options_session(search, &session->session);
    return !status ||
           call_fail_err(&c->call, status == SEARCH_WRONG ? TIDE_BAD_ARGUMENT : TIDE_UNSUPPORTED, NULL, &err);
}

/* Returns the normalised text, which the caller owns; NULL after call_fail. */
static char *normalise(ExplainCall *c, const char *name, const char *text) {
    size_t bad;
    char *normal = text_normalise(text, strlen(text), &bad);
    if (!normal) call_fail(&c->call, TIDE_BAD_TEXT, "%s: not valid UTF-8 at byte %zu", name, bad);
    return normal;
}

/* The ids of the translation: a stb_ds array; NULL after call_fail. */
static int *target_ids(ExplainCall *c, const Side *side) {
    Err err;
    if (c->options.pieces) {
        int *ids = pieces_ids(side, (char *const *)c->options.pieces, c->options.piece_count, &err);
        if (!ids) call_fail_err(&c->call, TIDE_BAD_TEXT, NULL, &err);
        return ids;
    }
    char *text = normalise(c, "target", c->target);
    int *ids = text ? side_encode(side, text) : NULL;
    mem_free(text);
    return ids;
}

static bool lengths_allowed(ExplainCall *c, const Side *side, const char *source, const int *ids, int most) {
    int *read = side_encode(side, source);
    const int n = (int)arrlen(read), m = (int)arrlen(ids);
    arrfree(read);
    if (n > most || m > most)
        return call_fail(&c->call, TIDE_TOO_LONG, "%s: %d pieces, but max_length is %d", n > most ? "source" : "target",
                         n > most ? n : m, most);
    return option_between(&c->call, "step", c->step, 0, m - 1);
}

static void explain(void *context) {
    ExplainCall *c = context;
    Session *session = &c->call.session->session;
    const Translator *translator = &c->call.session->models[0]->translator;
    SearchOptions search;
    Err err;
    if (!argument_given(&c->call, "result", c->explanation) || !argument_given(&c->call, "source", c->source) ||
        !options_given(c, &search) || (!c->options.pieces && !argument_given(&c->call, "target", c->target)))
        return;
    char *source = normalise(c, "source", c->source);
    int *ids = source ? target_ids(c, &translator->target) : NULL;
    if (ids && lengths_allowed(c, &translator->source, source, ids, search.max_length)) {
        const int top = c->options.top > 0 ? c->options.top : c->options.top ? 0 : 10;
        Explanation x = session_explain(session, source, ids, c->step, top, search.attention);
        if (explanation_check(&x, &err)) call_fail_err(&c->call, TIDE_UNSUPPORTED, NULL, &err);
        else *c->explanation = explanation_keep(&x);
        explanation_free(&x);
    }
    arrfree(ids);
    mem_free(source);
}

TideStatus tide_explain(TideSession *session, const char *source, const char *target, int step,
                        const TideExplainOptions *options, TideExplanation **explanation) {
    ExplainCall c = {.source = source, .target = target, .step = step, .given = options, .explanation = explanation};
    if (explanation) *explanation = NULL;
    return call_session(&c.call, session, explain);
}
