#include "serve/correct.h"

#include "corpus/correction_check.h"
#include "corpus/correction_terms.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "text/unicode.h"

#include <string.h>

static const char json_type[] = "application/json";

/* The account of a client whose key was checked. NULL with an error in the reply: the server keeps no corrections. */
static Account *account_of(const Start *s, const char *key) {
    Account *account = s->service->accounts ? accounts_of(s->service->accounts, key) : NULL;
    if (!account)
        reply_error(s->reply, 404, "Not found: this server keeps no corrections; see tide serve --corrections");
    return account;
}

/* The model of a request. NULL with an error in the reply; else the caller holds it. */
static Served *model_of(const Start *s, const Fields *fields) {
    if (!fields->source || !fields->target) {
        reply_error(s->reply, 400, "Invalid request: missing %s parameter", fields->source ? "target" : "source");
        return NULL;
    }
    Served *served = models_find(s->service->models, fields->source, fields->target, fields->model);
    if (!served) reply_error(s->reply, 400, "no model translates from %s to %s", fields->source, fields->target);
    return served;
}

/* The only sentence of a text, as a request for its translation has it; owned by the caller. NULL with an error in the
   reply. */
static char *sentence_of(const Start *s, const Texts *q, const Translator *translator) {
    Passage passage = passage_split(q->list[0], unspaced_language(translator->options.langs[0]), PASSAGE_TEXT);
    char *sentence = NULL;
    if (arrlen(passage.sentences) == 1) sentence = mem_strdup(passage.sentences[0]);
    else
        reply_error(s->reply, 400, "Invalid request: q has %td sentences; correct one at a time",
                    arrlen(passage.sentences));
    passage_free(&passage);
    return sentence;
}

/* ---- POST /v1/corrections ---------------------------------------------------------------------------------------- */

static bool is_one(const Texts *texts) { return arrlen(texts->list) == 1; }

/* Keeps the correction of a request to a model. */
static void keep(const Start *s, const Fields *fields, Account *account, Served *served) {
    char(*langs)[OPTION_TEXT_SIZE] = served->translator.options.langs;
    char *sentence = sentence_of(s, &fields->q, &served->translator);
    if (!sentence) return;
    const Correction correction = {.model = (char *)served->name,
                                   .langs = {langs[SOURCE], langs[TARGET]},
                                   .source = sentence,
                                   .translation = is_one(&fields->translation) ? fields->translation.list[0] : NULL,
                                   .correction = fields->correction};
    long id;
    Err err;
    if (correction_check(&correction, &err)) {
        reply_error(s->reply, 400, "Invalid request: %s", err.reason);
    } else if (account_add(s->service->accounts, account, &correction, &id, &err)) {
        reply_error(s->reply, 507, "The correction could not be kept: %s", err.reason);
    } else {
        MemoryFile memory;
        const bool suggests = s->asked->endpoint == ENDPOINT_SUGGEST;
        fprintf(memory_open(&memory), suggests ? "{\"success\":true}\n" : "{\"id\":%ld}\n", id);
        reply_memory(s->reply, json_type, &memory);
    }
    mem_free(sentence);
}

static int check_correction(const Start *s, const Fields *fields) {
    if (!is_one(&fields->q)) return reply_error(s->reply, 400, "Invalid request: a correction takes one text q");
    if (arrlen(fields->translation.list) > 1)
        return reply_error(s->reply, 400, "Invalid request: a correction takes one translation");
    return fields->correction ? 0 : reply_error(s->reply, 400, "Invalid request: missing correction parameter");
}

void correct_add(const Start *s) {
    Fields fields = {0};
    Account *account;
    Served *served;
    if (!request_fields(s, &fields) && (account = account_of(s, request_key(s, &fields))) &&
        !check_correction(s, &fields) && (served = model_of(s, &fields))) {
        keep(s, &fields, account, served);
        served_drop(served);
    }
    fields_free(&fields);
}

/* ---- the other requests ------------------------------------------------------------------------------------------ */

void correct_delete(const Start *s) {
    Fields fields = {0};
    Account *account;
    Err err;
    if (!request_parse(s, &fields) && (account = account_of(s, request_key(s, &fields)))) {
        const int status = account_delete(s->service->accounts, account, fields.id, &err);
        if (!status) reply_fixed(s->reply, json_type, "{}\n");
        else if (status > 0) reply_error(s->reply, 404, "Not found: %s", err.reason);
        else reply_error(s->reply, 507, "The correction could not be deleted: %s", err.reason);
    }
    fields_free(&fields);
}

static void write_correction(FILE *out, const Correction *c) {
    fprintf(out, "{\"id\":%ld,", c->id);
    json_print(out, "\"time\":%s,\"model\":%s,\"source\":%s,\"target\":%s,\"q\":%s", c->time, c->model,
               c->langs[SOURCE], c->langs[TARGET], c->source);
    if (c->translation) json_print(out, ",\"translation\":%s", c->translation);
    json_print(out, ",\"correction\":%s}", c->correction);
}

/* Writes the terms that the corrections of each direction propose. */
static void write_terms(FILE *out, const Accounts *accounts, const Correction *all, int n) {
    const Correction **current = corrections_current(all, n);
    int written = 0;
    for (int d = 0; d < accounts->directions; d++) {
        const char *const langs[] = {accounts->common[d].langs[SOURCE], accounts->common[d].langs[TARGET]};
        TermProposal *terms = correction_terms(current, (int)arrlen(current), langs);
        for (ptrdiff_t i = 0; i < arrlen(terms); i++) {
            if (written++) fputc(',', out);
            json_print(out, "{\"source\":%s,\"before\":%s,\"after\":%s,\"count\":%d}", terms[i].source, terms[i].before,
                       terms[i].after, terms[i].count);
        }
        correction_terms_free(terms);
    }
    arrfree(current);
}

/* Writes the corrections, the newest first. */
static void write_list(FILE *out, const Accounts *accounts, const Correction *all, int n) {
    fputs("{\"corrections\":[", out);
    for (int i = n - 1; i >= 0; i--) {
        write_correction(out, &all[i]);
        if (i) fputc(',', out);
    }
    fputs("],\"terms\":[", out);
    write_terms(out, accounts, all, n);
    fputs("]}\n", out);
}

static void write_memory(FILE *out, const Accounts *accounts, const Correction *all, int n) {
    (void)accounts;
    const Correction **current = corrections_current(all, n);
    corrections_write_tmx(out, current, (int)arrlen(current));
    arrfree(current);
}

/* Answers with what `write` makes of the account's corrections; file: its name, NULL: it is none. They are read from
   the disk, so that other requests do not wait. */
static void answer(const Start *s, const char *type, const char *file,
                   void (*write)(FILE *out, const Accounts *accounts, const Correction *all, int n)) {
    char path[PATH_SIZE];
    const Account *account = account_of(s, s->key);
    Err err;
    if (!account) return;
    path_in(path, account->dir, account_file);
    Correction *all = corrections_read(path, &err);
    if (!all) {
        reply_error(s->reply, 500, "The corrections cannot be read: %s", err.reason);
        return;
    }
    MemoryFile memory;
    write(memory_open(&memory), s->service->accounts, all, (int)arrlen(all));
    reply_memory(s->reply, type, &memory);
    s->reply->file = file ? mem_strdup(file) : NULL;
    corrections_free(all);
}

void correct_list(const Start *s) { answer(s, json_type, NULL, write_list); }
void correct_export(const Start *s) { answer(s, "application/x-tmx+xml", "corrections.tmx", write_memory); }

/* Writes {"similar": [{source, target, similarity, correction}]}. */
static void write_similar(FILE *out, const Similar *found) {
    fputs("{\"similar\":[", out);
    for (ptrdiff_t i = 0; i < arrlen(found); i++) {
        json_print(out, i ? ",{\"source\":%s,\"target\":%s" : "{\"source\":%s,\"target\":%s", found[i].source,
                   found[i].target);
        fprintf(out, ",\"similarity\":%.4f,\"correction\":%ld}", found[i].similarity, found[i].id);
    }
    fputs("]}\n", out);
}

static void find_similar(const Start *s, const Fields *fields, const Served *served) {
    enum { MOST = 3 };
    static const double least = 0.6;
    const Accounts *accounts = s->service->accounts;
    char *sentence = sentence_of(s, &fields->q, &served->translator);
    if (!sentence) return;
    const Account *account = accounts_of(accounts, request_key(s, fields));
    Similar *found = accounts_similar(accounts, account, &served->translator, sentence, MOST, least);
    MemoryFile memory;
    write_similar(memory_open(&memory), found);
    reply_memory(s->reply, json_type, &memory);
    tm_similar_free(found);
    mem_free(sentence);
}

void correct_similar(const Start *s) {
    Fields fields = {0};
    Served *served = NULL;
    if (!s->service->accounts) {
        reply_error(s->reply, 404, "Not found: this server remembers nothing; see tide serve --corrections, --memory");
    } else if (!request_fields(s, &fields)) {
        if (!is_one(&fields.q)) reply_error(s->reply, 400, "Invalid request: similar sentences take one text q");
        else if ((served = model_of(s, &fields))) find_similar(s, &fields, served);
        served_drop(served);
    }
    fields_free(&fields);
}

/* ---- learning ---------------------------------------------------------------------------------------------------- */

static Learning *learning_of(const Start *s) {
    Learning *learning = s->service->learning;
    if (!learning) reply_error(s->reply, 404, "Not found: this server learns nothing; see tide serve --corrections");
    return learning;
}

void correct_learning(const Start *s) {
    Learning *learning = learning_of(s);
    if (!learning) return;
    MemoryFile memory;
    learning_write(learning, accounts_of(s->service->accounts, s->key), memory_open(&memory));
    reply_memory(s->reply, json_type, &memory);
}

/* The place of the model that a request names. -1 with an error in the reply: there is none, or no generation is
 * chosen. */
static int asked_place(const Start *s, const Fields *fields, bool chooses) {
    const int place = models_place(s->service->models, fields->model);
    if (place < 0) return reply_error(s->reply, 404, "Not found: this server has no model of this name");
    if (chooses && fields->generation < 0)
        return reply_error(s->reply, 400, "Invalid request: missing generation parameter");
    return place;
}

/* Answers a request for the model of an account. */
static void ask(const Start *s, bool chooses) {
    Fields fields = {0};
    Learning *learning = learning_of(s);
    Err err;
    int place;
    if (learning && !request_parse(s, &fields) && (place = asked_place(s, &fields, chooses)) >= 0) {
        const Account *account = accounts_of(s->service->accounts, request_key(s, &fields));
        const int status = chooses ? learning_choose(learning, account, place, fields.generation, &err)
                                   : learning_ask(learning, account, place, &err);
        if (status) reply_error(s->reply, 409, "%s", err.reason);
        else reply_fixed(s->reply, json_type, "{}\n");
    }
    fields_free(&fields);
}

void correct_learn(const Start *s) { ask(s, false); }
void correct_choose(const Start *s) { ask(s, true); }
