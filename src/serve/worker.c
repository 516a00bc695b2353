#include "serve/worker.h"

#include "serve/events.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/json.h"
#include "translate/confidence.h"
#include "translate/explain.h"
#include "translate/inline_markup.h"
#include "translate/search_tree.h"

#include <math.h>

/* One batch. */
typedef struct WorkerBatch {
    Worker *worker;
    Session *session;
    Job **jobs;
    int n;
    SearchTree *trees; /* [n] of JOB_SEARCH; else NULL */
} WorkerBatch;

/* ---- sessions -------------------------------------------------------------------------------------------------- */

/* The session of a model, which it holds. NULL if memory is refused. */
static Session *session_of(Worker *w, Served *served) {
    for (int i = 0; i < w->count; i++)
        if (w->sessions[i].served == served) return &w->sessions[i].session;
    WorkerSession *sessions = mem_try_realloc(w->sessions, (size_t)(w->count + 1) * sizeof *sessions);
    if (!sessions) return NULL;
    served_hold(served);
    w->sessions = sessions;
    sessions[w->count] = (WorkerSession){.served = served};
    return &sessions[w->count++].session;
}

void worker_release(Worker *w) {
    scope_release(&w->scope);
    for (int i = 0; i < w->count; i++) served_drop(w->sessions[i].served);
    mem_free(w->sessions);
    *w = (Worker){0};
}

/* ---- results --------------------------------------------------------------------------------------------------- */

void jobs_clear(Job *jobs, int n) {
    for (Job *job = jobs; job < jobs + n; job++) {
        for (int k = 0; k < job->count; k++) mem_free(job->texts[k]);
        mem_free(job->texts);
        mem_free(job->json);
        mem_free(job->scores);
        job->texts = NULL;
        job->json = job->scores = NULL;
        job->count = job->pieces = 0;
    }
}

static char *alignment_text(Alignment *alignment, const Task *task) {
    MemoryFile memory;
    if (task->search.shift) alignment_shift(alignment);
    if (task->alignment == ALIGN_WORDS) alignment_merge_words(alignment);
    alignment_json(memory_open(&memory), alignment);
    char *text = memory_close(&memory, NULL);
    alignment_free(alignment);
    return text;
}

/* The pieces of a translation and ln p of each, as JSON; owned by the caller. */
static char *scores_text(char *const *pieces, const double *scores, int n) {
    MemoryFile memory;
    FILE *out = memory_open(&memory);
    fputs("{\"pieces\":", out);
    json_strings(out, pieces, n, ",");
    fputs(",\"scores\":[", out);
    for (int i = 0; i < n; i++) json_print(out, i ? ",%.5f" : "%.5f", scores[i]);
    fputs("]}", out);
    return memory_close(&memory, NULL);
}

static void keep_tree(Job *job, const SearchTree *tree, const Translations *found, int i) {
    MemoryFile memory;
    const Nbest *nbest = &found->nbest[i];
    if (nbest->failed) job->end = SCOPE_FAILED;
    search_tree_json(memory_open(&memory), tree, nbest, found->translator->target.vocab);
    job->json = scope_keep(memory_close(&memory, NULL));
    job->pieces = nbest->count ? nbest->list[0].length : 0;
}

static void keep_translation(Job *job, const Translations *found, int i) {
    const Nbest *nbest = &found->nbest[i];
    const SearchOptions *search = &job->task->search;
    const int searched = nbest->count < search->n_best ? nbest->count : search->n_best;
    const int n = found->copied[i] ? 1 : searched;
    if (nbest->failed) {
        job->end = SCOPE_FAILED;
        return;
    }
    char **texts = mem_zalloc((size_t)(n ? n : 1) * sizeof *texts), *alignment = NULL, *scores = NULL;
    for (int k = 0; k < n; k++) {
        texts[k] = search_options_text(search, found, i, k);
        if (job->task->html) texts[k] = translation_html(found, i, k, job->marks, texts[k]);
    }
    if (searched && job->task->alignment != ALIGN_NOTHING) {
        Alignment of = translation_alignment(found, i, &nbest->list[0]);
        alignment = alignment_text(&of, job->task);
    }
    if (searched && search->piece_scores) {
        const Side *target = &found->translator->target;
        char **pieces = side_pieces(target, nbest->list[0].ids, nbest->list[0].length);
        scores = scores_text(pieces, nbest->list[0].pieces, nbest->list[0].length);
        arrfree(pieces);
    }
    for (int k = 0; k < n; k++) scope_keep(texts[k]);
    job->texts = scope_keep(texts);
    job->json = scope_keep(alignment);
    job->scores = scope_keep(scores);
    job->count = n;
    job->pieces = searched ? nbest->list[0].length : 0;
    job->confidence = confidence_of_best(&found->translator->options, nbest);
}

/* ---- work ------------------------------------------------------------------------------------------------------ */

/* Called before each step of a search: stops the search if all its tasks are cancelled. */
static int all_cancelled(void *context) {
    const WorkerBatch *batch = context;
    for (int i = 0; i < batch->n; i++)
        if (!atomic_load(&batch->jobs[i]->task->cancelled)) return 0;
    return 1;
}

/* Keeps the candidates of a step of a search. */
static void keep_candidates(void *context, int number, const BeamCandidate *list, int kept, int count) {
    const WorkerBatch *batch = context;
    search_tree_add(&batch->trees[number], list, kept, count, batch->jobs[number]->task->pruned);
}

/* Tells a stream which words are settled. In a long sentence the next event follows when a sixteenth of the words is
   new, because each event has all of them. */
static void tell_settled(void *context, int number, const Hypothesis *words) {
    const WorkerBatch *batch = context;
    Job *job = batch->jobs[number];
    const Task *task = job->task;
    if (!task->event || job->settled < 0 || words->length - job->settled <= job->settled / 16) return;
    job->settled = words->length;
    task->event(job->task, event_settled(job, words), task->context);
}

/* Tells a stream the result of a job. */
static void tell_sentence(Session *session, Job *job, const Translations *found, int i, const BeamOptions *beam) {
    const Task *task = job->task;
    const Nbest *nbest = &found->nbest[i];
    WordCandidate *candidates = NULL;
    if (!task->event || job->settled < 0) return;
    if (nbest->count && task->candidates) {
        const size_t positions = (size_t)nbest->list[0].length;
        candidates = mem_alloc(positions * (size_t)task->candidates * sizeof *candidates);
        session_candidates(session, found, i, &nbest->list[0], beam, task->candidates, candidates);
    }
    Event *event = found->copied[i] ? event_copied(job) : event_sentence(job, nbest, candidates);
    mem_free(candidates);
    job->settled = -1;
    task->event(job->task, event, task->context);
}

static void translate(WorkerBatch *b, Session *session) {
    const Task *task = b->jobs[0]->task;
    Sampling sampling = {0};
    BeamOptions beam = search_options_beam(&task->search, &task->served->translator, &sampling);
    char **sentences = mem_alloc((size_t)b->n * sizeof *sentences);
    const Prefix **prefixes = mem_alloc((size_t)b->n * sizeof(Prefix *));
    int *numbers = mem_alloc((size_t)b->n * sizeof *numbers);
    const Constraints **constraints = mem_alloc((size_t)b->n * sizeof(Constraints *));
    for (int i = 0; i < b->n; i++) {
        const Job *job = b->jobs[i];
        const Task *own = job->task;
        const bool first = own->event || own->alignment != ALIGN_NOTHING; /* needs the alignment of the best one */
        const int wanted = own->search.replace_unknown || job->marks ? own->search.n_best : first;
        if (beam.alignments < wanted) beam.alignments = wanted;
        if (own->event) beam.settled = tell_settled;
        sentences[i] = (char *)job->source;
        prefixes[i] = job->prefix;
        constraints[i] = job->constraints;
        numbers[i] = (int)(job - own->jobs);
    }
    sampling.numbers = numbers;
    beam.prefixes = prefixes;
    if (!beam.sampling) beam.constraints = constraints; /* samples have none: request.c refuses them */
    beam.before_step = all_cancelled;
    if (b->trees) beam.trace = keep_candidates;
    for (int i = 0; b->trees && i < b->n; i++) beam.traced = larger(beam.traced, b->jobs[i]->task->pruned);
    beam.context = b;
    const bool all_words = task->search.sample || !task->search.use_shortlist;
    ColumnSet *shortlists = all_words ? NULL : shortlist_sets(&task->served->shortlist, sentences, b->n);
    beam.shortlists = shortlists;
    Translations found = session_translate(session, sentences, b->n, &beam, b->n, NULL, NULL);
    for (int i = 0; i < b->n && !found.cancelled; i++) {
        if (b->trees) keep_tree(b->jobs[i], &b->trees[i], &found, i);
        else keep_translation(b->jobs[i], &found, i);
    }
    for (int i = 0; i < b->n && !found.cancelled; i++)
        if (b->jobs[i]->end == SCOPE_DONE) tell_sentence(session, b->jobs[i], &found, i, &beam);
    translations_free(&found);
    shortlist_sets_free(shortlists, b->n);
    mem_free(sentences);
    mem_free(prefixes);
    mem_free(numbers);
    mem_free(constraints);
}

static void search(WorkerBatch *b, Session *session) {
    b->trees = mem_zalloc((size_t)b->n * sizeof *b->trees);
    session->copies = false;
    translate(b, session);
    for (int i = 0; i < b->n; i++) search_tree_free(&b->trees[i]);
    mem_free(b->trees);
}

static void align(WorkerBatch *b, Session *session) {
    for (int i = 0; i < b->n && !all_cancelled(b); i++) {
        Job *job = b->jobs[i];
        char *source = (char *)job->source, *target = (char *)job->target;
        Alignment alignment;
        session_align(session, &source, &target, 1, job->task->search.attention, &alignment);
        Err err;
        if (alignment_check(&alignment, 0, &err)) job->end = SCOPE_FAILED;
        job->pieces = alignment.n_target;
        job->json = scope_keep(alignment_text(&alignment, job->task));
    }
}

static void score(WorkerBatch *b, Session *session) {
    for (int i = 0; i < b->n && !all_cancelled(b); i++) {
        Job *job = b->jobs[i];
        const SearchOptions *search = &job->task->search;
        char *source = (char *)job->source, *target = (char *)job->target;
        PairScore score;
        double *pieces;
        session_scores(session, &source, &target, 1, search->attention, &score, &pieces);
        if (!isfinite(score.log_probability)) job->end = SCOPE_FAILED;
        job->log_probability = score.log_probability;
        job->pieces = score.pieces;
        if (search->piece_scores) {
            char **names = side_spell(&session->members[0]->target, target);
            job->scores = scope_keep(scores_text(names, pieces, score.pieces));
            strings_free(names);
        }
        mem_free(pieces);
    }
}

static void explain(WorkerBatch *b, Session *session) {
    for (int i = 0; i < b->n && !all_cancelled(b); i++) {
        Job *job = b->jobs[i];
        const Task *task = job->task;
        MemoryFile memory;
        Err err;
        Explanation x =
            session_explain(session, (char *)job->source, job->ids, task->step, task->top, task->search.attention);
        if (explanation_check(&x, &err)) job->end = SCOPE_FAILED;
        explanation_json(memory_open(&memory), &x);
        job->json = scope_keep(memory_close(&memory, NULL));
        job->pieces = task->step + 1;
        explanation_free(&x);
    }
}

static void run(void *context) {
    WorkerBatch *b = context;
    const Task *task = b->jobs[0]->task;
    Worker *w = b->worker;
    if (!w->one) w->one = threads_new(1);
    if (!b->session->count) session_init(b->session, (const Translator *const[]){&task->served->translator}, 1, w->one);
    void (*const work[])(WorkerBatch *, Session *) = {[JOB_TRANSLATE] = translate,
                                                      [JOB_SEARCH] = search,
                                                      [JOB_ALIGN] = align,
                                                      [JOB_SCORE] = score,
                                                      [JOB_EXPLAIN] = explain};
    search_options_session(&task->search, b->session);
    work[task->kind](b, b->session);
}

ScopeEnd worker_run(Worker *worker, Job **jobs, int n) {
    char reason[256];
    for (int i = 0; i < n; i++) jobs[i]->end = SCOPE_DONE;
    WorkerBatch batch = {worker, session_of(worker, jobs[0]->task->served), jobs, n, NULL};
    const ScopeEnd end = batch.session ? scope_run(&worker->scope, run, &batch, reason, sizeof reason) : SCOPE_REFUSED;
    if (end != SCOPE_DONE) worker_release(worker);
    for (int i = 0; i < n && end != SCOPE_DONE; i++) {
        jobs_clear(jobs[i], 1);
        jobs[i]->end = end;
    }
    return end;
}
