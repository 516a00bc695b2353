/* Fuzz target: calls libtide with options and texts from the input. Every call must end with a status that tide.h
   allows, never with TIDE_INTERNAL, and the session must work afterwards. Input: one byte that chooses the call, the
   options of the call as bytes, then texts that end in NULs. */
#include "fuzz.h"
#include "tide.h"

#include <math.h>

enum { MOST_TEXTS = 4 };

/* A session with a small model; made by the first call and used by all. */
static TideSession *shared_session(void) {
    static TideSession *session;
    char error[512] = "";
    TideModel *model;
    if (session) return session;
    CHECK(!tide_load("tests/fixtures/tiny-model", &model, error, sizeof error), "%s", error);
    CHECK(!tide_session_new(&model, 1, NULL, &session, error, sizeof error), "%s", error);
    tide_free(model);
    return session;
}

/* Cancels the call at step *context. */
static int stop_at(void *context, int done, int all) { return done > all || --*(int *)context == 0; }

static void check_alignment(const TideAlignment *a) {
    char *text;
    for (int k = TIDE_SVG; a->weights && k <= TIDE_PHARAOH; k++) {
        CHECK(!tide_draw(a, (TidePicture)k, &text), "a result that cannot be drawn");
        CHECK(utf8_valid(text, strlen(text)), "a picture that is not UTF-8");
        tide_text_free(text);
    }
}

static void check_result(TideStatus status, TideResult *result, int count, const char *error) {
    CHECK(status == TIDE_OK || (error[0] && !result), "status %d: '%s'", (int)status, error);
    CHECK(status >= TIDE_OK && status != TIDE_NO_MEMORY && status < TIDE_INTERNAL, "status %d: %s", (int)status, error);
    if (status) return;
    CHECK(result->count == count, "%d results for %d sentences", result->count, count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < result->sentences[i]->count; k++) {
            const TideHypothesis *h = result->sentences[i]->hypotheses[k];
            CHECK(utf8_valid(h->text, strlen(h->text)) && isfinite(h->log_probability), "'%s'", h->text);
            check_alignment(&h->alignment);
        }
    tide_result_free(result);
}

typedef struct Input {
    unsigned char call, steps;
    signed char beam, n_best, length, batch, words, shift, hard, layer, head, han;
} Input;

static TideForceOptions force_options(const Input *o, int *steps) {
    return (TideForceOptions){.size = sizeof(TideForceOptions),
                              .max_length = o->length,
                              .words = o->words,
                              .shift = o->shift,
                              .hard = o->hard,
                              .layer = o->layer,
                              .head = o->head,
                              .progress = stop_at,
                              .context = steps};
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    TideTranslateOptions options = {.size = sizeof options};
    Input o = {0};
    double reals[2] = {0, 0};
    if (size < sizeof o + sizeof reals) return 0;
    memcpy(&o, data, sizeof o);
    memcpy(reals, data + sizeof o, sizeof reals);
    size -= sizeof o + sizeof reals;
    char *bytes = bytes_text(data + sizeof o + sizeof reals, size);
    const char *texts[MOST_TEXTS];
    int count = 0, steps = o.steps;
    for (size_t at = 0; at <= size && count < MOST_TEXTS; at += strlen(bytes + at) + 1) texts[count++] = bytes + at;
    options = (TideTranslateOptions){.size = sizeof options,
                                     .beam = o.beam,
                                     .n_best = o.n_best,
                                     .normalize = reals[0],
                                     .coverage = reals[1],
                                     .max_length = o.length,
                                     .mini_batch = o.batch,
                                     .words = o.words,
                                     .shift = o.shift,
                                     .hard = o.hard,
                                     .layer = o.layer,
                                     .head = o.head,
                                     .allow_han = o.han,
                                     .progress = stop_at,
                                     .context = &steps,
                                     .prefixes = o.shift ? texts : NULL,
                                     .glossary = o.hard ? texts[count - 1] : NULL,
                                     .tag = o.layer ? texts[count - 1] : NULL,
                                     .word_penalty = o.head ? &reals[0] : NULL,
                                     .sample = o.han,
                                     .top_k = o.length,
                                     .top_p = reals[1],
                                     .temperature = reals[0],
                                     .seed = o.batch,
                                     .replace_unknown = o.words,
                                     .lexicon = o.hard ? texts[0] : NULL,
                                     .no_alignments = o.head};
    const TideForceOptions force = force_options(&o, &steps);
    TideSession *session = shared_session();
    TideResult *result;
    TideStatus status;
    const int half = count / 2;
    if (o.call % 3 == 0) status = tide_translate(session, texts, count, &options, &result);
    else if (o.call % 3 == 1) status = tide_align(session, texts, texts + half, half, &force, &result);
    else status = tide_score(session, texts, texts + half, half, &force, &result);
    check_result(status, result, o.call % 3 ? half : count, tide_error(session));
    mem_free(bytes);
    return 0;
}
