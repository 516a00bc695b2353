/* beam.c: beam search. The open hypotheses of all sentences are the rows of one matrix. A hypothesis that ends leaves
   this matrix, and the beam of its sentence becomes narrower by one. */
#include "model/search.h"
#include "core/exact.h"
#include "core/kernels.h"

#include <math.h>
#include <string.h>

static bool better(const Candidate *a, const Candidate *b) {
    if (a->log_probability != b->log_probability) return a->log_probability > b->log_probability;
    return a->row != b->row ? a->row < b->row : a->id < b->id;
}

/* Inserts a candidate into best[], which has `count` candidates, sorted, and room for `limit`. If best[] is full, the
   worst one is dropped. Returns the new count. */
static int keep_best(Candidate *best, int count, int limit, Candidate candidate) {
    if (count == limit && !better(&candidate, &best[count - 1])) return count;
    int at = count < limit ? count : limit - 1;
    for (; at > 0 && better(&candidate, &best[at - 1]); at--) best[at] = best[at - 1];
    best[at] = candidate;
    return count < limit ? count + 1 : count;
}

/* Returns the logits of a row, averaged over the models, of search_words. */
static const real *mean_logits(const Search *s, int row) {
    const real *first = var_row_values(s->members->now.logits, row);
    if (s->count == 1) return first;
    const int V = search_words(s, row).count;
    real *mean = s->means + (size_t)row * (size_t)s->members->now.logits->cols;
    memcpy(mean, first, (size_t)V * sizeof *mean);
    for (int m = 1; m < s->count; m++) kernels->add(V, mean, var_row_values(s->members[m].now.logits, row));
    kernels->divide(V, mean, (real)s->count);
    return mean;
}

/* The arcs with which the hypothesis in a row may continue, and their number; NULL and 0 if it is free. */
static const PrefixArc *arcs_of(const Search *s, int row, int *count) {
    const Prefix *prefix = s->options->prefixes ? s->options->prefixes[s->order[s->owner[row]]] : NULL;
    const int state = s->node[row] ? s->node[row]->state : 0;
    *count = 0;
    if (!prefix || state >= prefix->states) return NULL;
    *count = prefix->begin[state + 1] - prefix->begin[state];
    return prefix->arcs + prefix->begin[state];
}

/* The state of the hypothesis in a row after the word `id`. */
static int next_state(const Search *s, int row, int id) {
    int n;
    const PrefixArc *arcs = arcs_of(s, row, &n);
    for (int k = 0; k < n; k++)
        if (arcs[k].id == id) return arcs[k].next;
    return s->node[row] ? s->node[row]->state : 0;
}

/* The number of a sentence for the caller. */
static int number_of(const Search *s, int sentence) {
    return s->options->numbers ? s->options->numbers[s->order[sentence]] : s->order[sentence];
}

/* weights [target vocabulary] = exp((logits - max) / temperature) for the words that may follow in a row, 0 for others.
 */
static void weigh_words(const Search *s, int row, const real *logits, real *weights) {
    const int V = s->members->now.logits->cols;
    const real temperature = (real)s->options->sampling->temperature, lowest = -1e30f;
    real sum;
    int arc_count;
    const PrefixArc *arcs = arcs_of(s, row, &arc_count);
    for (int id = 0; id < V; id++) weights[id] = arcs || s->banned[id] ? lowest : logits[id] / temperature;
    for (int k = 0; k < arc_count; k++) weights[arcs[k].id] = logits[arcs[k].id] / temperature;
    kernels->exp_sum(V, weights, &sum, weights); /* e^lowest is small, but not 0 */
    if (!arcs) {
        for (int i = 0; i < s->options->banned_count; i++) weights[s->options->banned[i]] = 0;
        return;
    }
    for (int k = 0; k < arc_count; k++) weights[arcs[k].id] *= -1; /* a mark */
    for (int id = 0; id < V; id++) weights[id] = weights[id] < 0 ? -weights[id] : 0;
}

/* Draws the words of rows begin..end-1: one for each, but for the first words `beam`, which begin the samples. The
   other candidates have id -1. */
static void draw_words(void *context, int begin, int end) {
    const Search *s = context;
    const int V = s->members->now.logits->cols, beam = s->options->beam;
    for (int row = begin; row < end; row++) {
        const Node *node = s->node[row];
        const real *x = mean_logits(s, row);
        real *weights = s->weights + (size_t)row * (size_t)V, sum, max = kernels->exp_sum(V, x, &sum, NULL);
        const double log_sum = max + exact_log(sum), so_far = node ? node->log_probability : 0;
        Candidate *drawn = s->candidates + (size_t)row * (size_t)s->stride;
        weigh_words(s, row, x, weights);
        for (int k = 0; k < beam; k++) {
            const int sample = node ? node->sample : k;
            const uint64_t random =
                sampling_random(s->options->sampling, number_of(s, s->owner[row]), sample, node ? node->length : 0);
            drawn[k] = (Candidate){-INFINITY, row, -1, 0};
            if (node && k > 0) continue;
            const int id = sampling_draw(s->options->sampling, V, weights, s->heaps + (size_t)row * (size_t)V, random);
            drawn[k] = (Candidate){so_far + ((double)x[id] - log_sum), row, id, sample};
        }
    }
}

/* Sets best[] to the best candidates of a row that is free, `beam` at most. Returns their number. x: logits. The
   probability of a word is x - log_sum. */
static int best_free(const Search *s, int row, const real *x, double log_sum, Candidate *best) {
    const ColumnSet words = search_words(s, row);
    const Constraints *constraints = search_constraints(s, s->owner[row]);
    const ConstraintState state = search_met(s, row);
    const int beam = s->options->beam;
    const double so_far = s->node[row] ? s->node[row]->log_probability : 0;
    int count = 0;
    for (int i = 0; i < words.count; i++) {
        /* The limit is the least logit of a full list. On a tie the smaller id wins. */
        if (count == beam) i = kernels->next_above(words.count, x, i, x[search_place(s, row, best[beam - 1].id)]);
        if (i == words.count) break;
        const int id = words.ids ? words.ids[i] : i;
        if (s->banned[id] || (constraints && search_forbids(s, constraints, &state, id))) continue;
        count = keep_best(best, count, beam, (Candidate){so_far + ((double)x[i] - log_sum), row, id, 0});
    }
    return constraints ? search_add_expected(s, row, best, count, x, log_sum) : count;
}

/* Sets the candidates of rows begin..end-1 to the `beam` best words of each row, and the words that its constraints
   expect. If fewer words are allowed, the other candidates have id -1. */
static void best_words(void *context, int begin, int end) {
    const Search *s = context;
    for (int row = begin; row < end; row++) {
        const real *x = mean_logits(s, row);
        real sum, max = kernels->exp_sum(search_words(s, row).count, x, &sum, NULL);
        const double log_sum = max + exact_log(sum), so_far = s->node[row] ? s->node[row]->log_probability : 0;
        Candidate *best = s->candidates + (size_t)row * (size_t)s->stride;
        int count = 0, arc_count;
        const PrefixArc *arcs = arcs_of(s, row, &arc_count);
        for (int k = 0; k < arc_count; k++) {
            const double logit = x[search_place(s, row, arcs[k].id)];
            count =
                keep_best(best, count, s->options->beam, (Candidate){so_far + (logit - log_sum), row, arcs[k].id, 0});
        }
        if (!arcs) count = best_free(s, row, x, log_sum, best);
        for (; count < s->stride; count++) best[count] = (Candidate){-INFINITY, row, -1, 0};
    }
}

/* Returns the alignment of a row, averaged over the models that have attention; NULL if no model has. */
static const real *mean_alpha(Search *s, int row) {
    const int width = s->length[s->owner[row]];
    real *mean = NULL;
    int count = 0;
    for (int m = 0; m < s->count; m++) {
        const Var *alpha = s->members[m].now.alpha;
        if (!alpha) continue;
        if (!mean) mean = arena_zalloc(&s->nodes, (size_t)width * sizeof *mean);
        kernels->add(width, mean, var_row_values(alpha, row));
        count++;
    }
    for (int j = 0; count > 1 && j < width; j++) mean[j] /= (real)count;
    return mean;
}

static const Node *extend_node(Search *s, const Candidate *c) {
    const Node *before = s->node[c->row];
    Node *node = arena_alloc(&s->nodes, sizeof *node);
    *node = (Node){.before = before,
                   .id = c->id,
                   .length = before ? before->length + 1 : 1,
                   .state = next_state(s, c->row, c->id),
                   .sample = c->sample,
                   .constraints = search_next_met(s, c),
                   .log_probability = c->log_probability,
                   .alpha = mean_alpha(s, c->row)};
    return node;
}

/* Σ_j ln min(Σ_i α_ij, 1) over all source words except </s>, which has no translation. alpha [n, width]. The sum over i
   is at least 1e-6, so that a word without attention has a finite penalty. */
static double coverage(const real *alpha, int n, int width) {
    double penalty = 0;
    for (int j = 0; j < width - 1; j++) {
        double attention = 0;
        for (int i = 0; i < n; i++) attention += (double)alpha[(size_t)i * (size_t)width + (size_t)j];
        penalty += exact_log(fmin(fmax(attention, 1e-6), 1));
    }
    return penalty;
}

/* Returns the words up to `last` as a hypothesis without score, whose arrays are in the arena. width: source length. */
static Hypothesis hypothesis_of(Arena *arena, const Node *last, int width) {
    int n = last->length, i = n, *ids = arena_alloc(arena, (size_t)n * sizeof *ids);
    double *pieces = arena_alloc(arena, (size_t)n * sizeof *pieces);
    real *alpha = last->alpha ? arena_alloc(arena, (size_t)n * (size_t)width * sizeof *alpha) : NULL;
    for (const Node *node = last; node; node = node->before) {
        ids[--i] = node->id;
        pieces[i] = node->log_probability - (node->before ? node->before->log_probability : 0);
        if (alpha) memcpy(alpha + (size_t)i * (size_t)width, node->alpha, (size_t)width * sizeof *alpha);
    }
    return (Hypothesis){
        .ids = ids, .length = n, .log_probability = last->log_probability, .pieces = pieces, .alpha = alpha};
}

double beam_score(const BeamOptions *options, double log_probability, int length) {
    const double rewarded = log_probability - options->word_penalty * length;
    return rewarded / exact_exp(options->normalize * exact_log(length));
}

/* Inserts the hypothesis that ends in `last` into the n-best list of its sentence, which is sorted by score. */
static void finish(Search *s, int sentence, const Node *last) {
    Nbest *found = &s->found[sentence];
    const int width = s->length[sentence];
    Hypothesis h = hypothesis_of(s->out, last, width);
    h.score = beam_score(s->options, h.log_probability, h.length);
    if (h.alpha && s->options->coverage > 0) h.score += s->options->coverage * coverage(h.alpha, h.length, width);
    int at = found->count++;
    for (; at > 0 && h.score > found->list[at - 1].score; at--) found->list[at] = found->list[at - 1];
    found->list[at] = h;
    if (at == 0) s->best[sentence] = last;
}

/* Sets `best` to the best candidates of the rows begin..end-1 of a sentence, `width` at most. Returns their number. */
static int best_candidates(const Search *s, int begin, int end, int width, Candidate *best) {
    int count = 0;
    for (const Candidate *c = s->candidates + (size_t)begin * (size_t)s->stride;
         c < s->candidates + (size_t)end * (size_t)s->stride; c++)
        if (c->id >= 0) count = keep_best(best, count, width, *c);
    return count;
}

/* Selects the best candidates of each sentence, as many as its beam is wide. A candidate that ends in </s> is finished;
   each other one becomes a row of the next step. Sets parent[i] to the row that the new row i extends. */
static void choose(Search *s, int *parent) {
    const size_t most = (size_t)s->most_rows;
    Candidate *best = arena_alloc(&s->tape->arena, (size_t)s->rows * (size_t)s->stride * sizeof *best);
    const Node **node = arena_alloc(&s->tape->arena, most * sizeof *node);
    int *owner = arena_alloc(&s->tape->arena, most * sizeof *owner), rows = 0;
    for (int row = 0; row < s->rows;) {
        const int sentence = s->owner[row], width = s->width[sentence] - s->found[sentence].count, begin = row;
        while (row < s->rows && s->owner[row] == sentence) row++;
        const bool free = !search_constraints(s, sentence);
        int count = best_candidates(s, begin, row, free ? width : (row - begin) * s->stride, best);
        if (!free) count = search_allocate(s, best, count, width);
        for (int k = 0; k < count; k++) {
            const Node *next = extend_node(s, &best[k]);
            if (best[k].id == s->options->eos) {
                finish(s, sentence, next);
                continue;
            }
            parent[rows] = best[k].row;
            node[rows] = next;
            owner[rows++] = sentence;
        }
    }
    for (int row = 0; row < rows; row++) s->previous[row] = node[row]->id;
    memcpy(s->node, node, (size_t)rows * sizeof *node);
    memcpy(s->owner, owner, (size_t)rows * sizeof *owner);
    s->rows = rows;
}

/* Whether a hypothesis of this many words in a row has reached the length limit, the end of its prefix and all
   constraints. */
static bool is_long(const Search *s, int row, int length) {
    const Constraints *constraints = search_constraints(s, s->owner[row]);
    const ConstraintState state = search_met(s, row);
    int arcs;
    return length >= search_limit(s, s->owner[row]) && !arcs_of(s, row, &arcs) &&
           (!constraints || constraints_met(constraints, &state));
}

/* Finishes the open hypotheses that are too long. `step`: their length. */
static void close_long(Search *s, int step, int *parent) {
    int rows = 0;
    for (int row = 0; row < s->rows; row++) {
        const int sentence = s->owner[row];
        if (is_long(s, row, step)) {
            finish(s, sentence, s->node[row]);
            continue;
        }
        parent[rows] = parent[row];
        s->owner[rows] = sentence;
        s->node[rows] = s->node[row];
        s->previous[rows++] = s->previous[row];
    }
    s->rows = rows;
}

/* ---- settled words --------------------------------------------------------------------------------------------- */

static int length_of(const Node *node) { return node ? node->length : 0; }

/* The last word that two hypotheses share; NULL: none. */
static const Node *last_shared(const Node *a, const Node *b) {
    while (a != b) {
        const int left = length_of(a), right = length_of(b);
        if (left >= right) a = a->before;
        if (right >= left) b = b->before;
    }
    return a;
}

static void report(const Search *s, int sentence, const Node *last) {
    Arena *arena = &s->tape->arena;
    const Hypothesis words = hypothesis_of(arena, last, s->length[sentence]);
    s->settled[sentence] = last->length;
    s->options->settled(s->options->context, number_of(s, sentence), &words);
}

/* Reports each sentence that has more settled words than before. */
static void report_settled(const Search *s) {
    for (int sentence = 0, row = 0; sentence < s->n; sentence++) {
        const Node *last = s->best[sentence];
        bool live = last;
        for (; row < s->rows && s->owner[row] == sentence; row++, live = true)
            last = live ? last_shared(last, s->node[row]) : s->node[row];
        if (length_of(last) > s->settled[sentence]) report(s, sentence, last);
    }
}

/* ---------------------------------------------------------------------------------------------------------------- */

static void search_step(Search *s, int step) {
    TapeMark mark = tape_mark(s->tape);
    for (Member *member = s->members; member < s->members + s->count; member++) {
        const Hypotheses open = {s->owner, s->previous, s->rows, member->words};
        member->now = model_step(s->tape, member->model, member->state, open);
    }
    const size_t words = (size_t)s->members->now.logits->cols;
    if (s->count > 1) s->means = arena_alloc(&s->tape->arena, (size_t)s->rows * words * sizeof *s->means);
    s->candidates = arena_alloc(&s->tape->arena, (size_t)s->rows * (size_t)s->stride * sizeof *s->candidates);
    if (s->options->sampling) {
        s->weights = arena_alloc(&s->tape->arena, (size_t)s->rows * words * sizeof *s->weights);
        s->heaps = arena_alloc(&s->tape->arena, (size_t)s->rows * words * sizeof *s->heaps);
        threads_run(s->tape->threads, "draw words", s->rows, 1, draw_words, s);
    } else {
        threads_run(s->tape->threads, "best words", s->rows, 1, best_words, s);
    }

    int *parent = arena_alloc(&s->tape->arena, (size_t)s->most_rows * sizeof *parent);
    choose(s, parent);
    close_long(s, step, parent);
    for (Member *member = s->members; member < s->members + s->count; member++)
        model_reorder(member->model, member->state, parent, s->rows);
    if (s->options->settled) report_settled(s);
    tape_rewind(s->tape, mark);
}

static bool *mark_banned(const Search *s) {
    const int words = s->members->model->config.target_vocab;
    bool *banned = arena_zalloc(&s->tape->arena, (size_t)words * sizeof *banned);
    for (int i = 0; i < s->options->banned_count; i++) {
        int id = s->options->banned[i];
        CHECK(id >= 0 && id < words, "beam_search: the banned id %d is not in the vocabulary of %d", id, words);
        banned[id] = true;
    }
    return banned;
}

static void check_prefix(const Prefix *prefix, int words) {
    for (int q = 0; q < prefix->states; q++) {
        CHECK(prefix->begin[q] < prefix->begin[q + 1], "beam_search: state %d of a prefix has no arc", q);
        for (const PrefixArc *arc = prefix->arcs + prefix->begin[q]; arc < prefix->arcs + prefix->begin[q + 1]; arc++)
            CHECK(arc->id >= 0 && arc->id < words && arc->next > q && arc->next <= prefix->states,
                  "beam_search: a prefix of %d states goes from state %d with id %d to %d", prefix->states, q, arc->id,
                  arc->next);
    }
}

/* Allocates room for all hypotheses. Each sentence begins with one open hypothesis. */
static void search_init(Search *s) {
    Arena *arena = &s->tape->arena;
    search_init_widths(s);
    const size_t most = (size_t)s->most_rows;
    s->owner = arena_alloc(arena, most * sizeof *s->owner);
    s->node = arena_zalloc(arena, most * sizeof *s->node);
    s->previous = arena_alloc(arena, most * sizeof *s->previous);
    s->found = arena_zalloc(s->out, (size_t)s->n * sizeof *s->found);
    s->best = arena_zalloc(arena, (size_t)s->n * sizeof *s->best);
    s->settled = arena_zalloc(arena, (size_t)s->n * sizeof *s->settled);
    s->banned = mark_banned(s);
    for (int i = 0; i < s->n; i++) {
        if (s->options->prefixes && s->options->prefixes[i])
            check_prefix(s->options->prefixes[i], s->members->model->config.target_vocab);
        s->owner[i] = i;
        s->previous[i] = s->options->bos;
        s->found[i].list = arena_alloc(s->out, (size_t)s->width[i] * sizeof(Hypothesis));
        s->found[i].source_length = s->length[i];
    }
    s->rows = s->n;
    search_words_init(s);
}

/* Encodes the sources with each model. Returns the members [count], which live in the tape's arena. */
static Member *begin_members(Tape *tape, Ensemble ensemble, const Source *source, const BeamOptions *options) {
    const PassOptions pass = {.attention = options->attention};
    int rows = 0;
    for (int i = 0; i < source->x.n; i++)
        rows += beam_width(options, options->constraints ? options->constraints[i] : NULL);
    Member *members = arena_alloc(&tape->arena, (size_t)ensemble.count * sizeof *members);
    for (int m = 0; m < ensemble.count; m++) {
        const Model *model = ensemble.models[m];
        const ModelConfig *first = &ensemble.models[0]->config;
        CHECK(model->config.source_vocab == first->source_vocab && model->config.source_words == first->source_words &&
                  model->config.target_vocab == first->target_vocab,
              "beam_search: models with vocabularies of %d and %d, and of %d and %d", model->config.source_vocab,
              model->config.target_vocab, first->source_vocab, first->target_vocab);
        DecoderState *state = model_begin(tape, model, source, rows, &pass);
        members[m] = (Member){.model = model, .state = state};
    }
    return members;
}

Nbest *beam_search(Tape *tape, Ensemble ensemble, const int *const *ids, const int *length, int n,
                   const BeamOptions *options, Arena *out, Timing *timing) {
    CHECK(options->beam > 0, "beam_search: the beam is %d", options->beam);
    CHECK(!options->sampling || !options->constraints, "beam_search: samples with constraints");
    Nbest *results = arena_alloc(out, (size_t)n * sizeof *results);
    if (n == 0) return results;
    TapeMark mark = tape_mark(tape);
    double began = seconds_now();
    Source source = source_fold(&tape->arena, ids, length, n, NULL);
    Search s = {.tape = tape,
                .members = begin_members(tape, ensemble, &source, options),
                .count = ensemble.count,
                .options = options,
                .out = out,
                .n = n,
                .length = source.spans.length,
                .order = source.x.order};
    search_init(&s);
    double encoded = seconds_now();
    bool cancelled = false;
    for (int step = 1; s.rows > 0 && !cancelled; step++) {
        cancelled = options->before_step && options->before_step(options->context);
        if (!cancelled) search_step(&s, step);
    }
    for (int i = 0; i < n; i++) {
        if (s.found[i].count > options->beam) s.found[i].count = options->beam;
        results[source.x.order[i]] = s.found[i];
    }
    for (int m = 0; m < s.count; m++) model_end(s.members[m].model, s.members[m].state);
    search_words_free(&s);
    arena_free(&s.nodes);
    tape_rewind(tape, mark);
    if (timing) {
        timing->encode += encoded - began;
        timing->decode += seconds_now() - encoded;
    }
    return cancelled ? NULL : results;
}
