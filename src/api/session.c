/* session.c: sessions of the public API. What a session computes with belongs to its scope. If a call fails because
   memory is refused, all of it is released, and the next call makes it again. */
#include "api/api.h"

#include <string.h>

typedef struct OpenCall {
    Call call;
    TideModel *const *models;
    int count;
    const TideSessionOptions *options;
    TideSession **session; /* receives the session, which does not reference its models yet */
} OpenCall;

static bool ensemble_given(OpenCall *c) {
    Err err;
    for (int i = 0; i < c->count; i++) {
        if (!c->models[i]) return call_fail(&c->call, TIDE_BAD_ARGUMENT, "model %d is NULL", i + 1);
        if (ensemble_check(&c->models[0]->translator, &c->models[i]->translator, c->models[i]->name, &err))
            return call_fail_err(&c->call, TIDE_UNSUPPORTED, NULL, &err);
    }
    return true;
}

static void make_session(void *context) {
    OpenCall *c = context;
    TideSessionOptions options;
    if (!argument_given(&c->call, "session", c->session)) return;
    if (!c->models || c->count < 1) {
        call_fail(&c->call, TIDE_BAD_ARGUMENT, "a session needs at least one model");
        return;
    }
    if (!options_copy(&c->call, c->options, &options, sizeof options) ||
        !option_between(&c->call, "threads", options.threads, 0, 1024) || !ensemble_given(c))
        return;
    const size_t bytes = (size_t)c->count * sizeof(TideModel *);
    TideModel **models = memcpy(mem_alloc(bytes), c->models, bytes);
    TideSession *session = mem_zalloc(sizeof *session);
    *session = (TideSession){
        .models = scope_keep(models), .count = c->count, .threads = options.threads ? options.threads : 1};
    *c->session = scope_keep(session);
}

TideStatus tide_session_new(TideModel *const *models, int count, const TideSessionOptions *options,
                            TideSession **session, char *error, size_t error_size) {
    OpenCall c = {.models = models, .count = count, .options = options, .session = session};
    if (session) *session = NULL;
    const TideStatus status = call_once(&c.call, make_session, error, error_size);
    for (int i = 0; !status && i < count; i++) atomic_fetch_add(&models[i]->references, 1);
    return status;
}

void tide_session_free(TideSession *session) {
    if (!session) return;
    scope_release(&session->scope);
    for (int i = 0; i < session->count; i++) tide_free(session->models[i]);
    mem_free(session->models);
    mem_free(session);
}

const char *tide_error(const TideSession *session) { return session ? session->error : "the session is NULL"; }

void session_open(TideSession *s) {
    if (s->scope.count) return;
    const Translator **members = mem_alloc((size_t)s->count * sizeof *members);
    for (int i = 0; i < s->count; i++) members[i] = &s->models[i]->translator;
    s->pool = threads_new(s->threads);
    session_init(&s->session, members, s->count, s->pool);
    mem_free(members);
}
