/* shortlist.c: shortlists of the public API. */
#include "api/api.h"

typedef struct ShortlistCall {
    Call call;
    TideModel *model;
    const char *lines;
    const TideShortlistOptions *options;
    TideShortlist **shortlist;
} ShortlistCall;

static void make_shortlist(void *context) {
    ShortlistCall *c = context;
    enum { USUAL_FIRST = 1000, USUAL_BEST = 100, MOST = 1000000 };
    TideShortlistOptions o;
    Err err;
    if (!argument_given(&c->call, "result", c->shortlist) || !argument_given(&c->call, "model", c->model) ||
        !argument_given(&c->call, "text", c->lines) || !options_copy(&c->call, c->options, &o, sizeof o) ||
        !option_between(&c->call, "first", o.first, -MOST, MOST) ||
        !option_between(&c->call, "best", o.best, 0, MOST) || !file_text_given(&c->call, "shortlist", c->lines))
        return;
    TideShortlist *shortlist = mem_zalloc(sizeof *shortlist);
    shortlist->model = c->model;
    const int first = o.first ? o.first : USUAL_FIRST;
    if (shortlist_parse(&shortlist->list, c->lines, &c->model->translator.target, first > 0 ? first : 0,
                        o.best ? o.best : USUAL_BEST, &err))
        call_fail(&c->call, TIDE_BAD_TEXT, "shortlist, line %ld: %s", err.line, err.reason);
    else *c->shortlist = shortlist;
}

TideStatus tide_shortlist_new(TideModel *model, const char *lines, const TideShortlistOptions *options,
                              TideShortlist **shortlist, char *error, size_t error_size) {
    ShortlistCall c = {.call.keeps = true, .model = model, .lines = lines, .options = options, .shortlist = shortlist};
    if (shortlist) *shortlist = NULL;
    const TideStatus status = call_once(&c.call, make_shortlist, error, error_size);
    if (!status) atomic_fetch_add(&model->references, 1);
    return status;
}

void tide_shortlist_free(TideShortlist *shortlist) {
    if (!shortlist) return;
    shortlist_free(&shortlist->list);
    tide_free(shortlist->model);
    mem_free(shortlist);
}
