/* explain.c: tide_explain. */
#include "api/api.h"
#include "io/ds.h"

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
    if (!options_copy(&c->call, c->given, o, sizeof *o) || !option_between(&c->call, "top", o->top, -1, MOST_TOP))
        return false;
    if (o->pieces && !texts_given(&c->call, "piece", o->pieces, o->piece_count)) return false;
    *search = search_options_default();
    search->attention.hard = o->hard;
    search->max_length = o->max_length ? o->max_length : MOST_PIECES;
    search->tag = o->tag;
    search->precision = o->precision;
    return search_begin(&c->call, search, 1);
}

/* The ids of the translation: a stb_ds array; NULL after call_fail. */
static int *target_ids(ExplainCall *c, const Side *side) {
    Err err;
    if (c->options.pieces) {
        int *ids = side_piece_ids(side, (char *const *)c->options.pieces, c->options.piece_count, &err);
        if (!ids) call_fail_err(&c->call, TIDE_BAD_TEXT, NULL, &err);
        return ids;
    }
    char *text = call_normalise(&c->call, "target", 0, c->target);
    int *ids = text ? side_encode(side, text) : NULL;
    mem_free(text);
    return ids;
}

static bool lengths_allowed(ExplainCall *c, const Side *side, char *source, const int *ids, int most) {
    const int target = (int)arrlen(ids) - 1; /* without </s> */
    Err err;
    if (side_check_lengths(side, &source, 1, most, NULL, &err))
        return call_fail(&c->call, TIDE_TOO_LONG, "source: %s", err.reason);
    if (target > most)
        return call_fail(&c->call, TIDE_TOO_LONG, "target: a sentence of %d pieces, where %d are the limit", target,
                         most);
    return option_between(&c->call, "step", c->step, 0, target);
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
    char *source = call_normalise(&c->call, "source", 0, c->source);
    int *ids = source ? target_ids(c, &translator->target) : NULL;
    if (ids && lengths_allowed(c, &translator->source, source, ids, search.max_length)) {
        const int top = c->options.top > 0 ? c->options.top : c->options.top ? 0 : STEP_WORDS;
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
