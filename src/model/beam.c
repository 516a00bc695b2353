/* beam.c: beam search. The open hypotheses of all sentences are the rows of one matrix. A hypothesis that ends leaves
   this matrix, and the beam of its sentence becomes narrower by one. */
#include "core/exact.h"
#include "core/kernels.h"
#include "model/search.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

/* ---- the best next words ---------------------------------------------------------------------------------------- */

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

Candidate search_candidate(const Search *s, const NextWords *next, int row, int id) {
    const double logit = (double)next->x[search_place(s, row, id) - next->first];
    return (Candidate){next->so_far + (logit - next->log_sum), row, id, 0};
}

/* Returns the logits of a row, averaged over the models, of search_words. */
static const real *mean_logits(const Search *s, int row) {
    const real *first = var_row_values(s->members->logits, row);
    if (s->count == 1) return first;
    const int V = search_words(s, row).count;
    real *mean = s->means + (size_t)row * (size_t)s->members->logits->cols;
    memcpy(mean, first, (size_t)V * sizeof *mean);
    for (int m = 1; m < s->count; m++) kernels->add(V, mean, var_row_values(s->members[m].logits, row));
    kernels->divide(V, mean, (real)s->count);
    return mean;
}

/* Sets best[] to the best of these words that may follow in a row without prefix, `beam` at most. Leaves out words
   whose logit is not above `least`. Returns their number. */
static int best_free_words(const Search *s, int row, const NextWords *next, real least, Candidate *best) {
    const ColumnSet words = search_words(s, row);
    const Constraints *constraints = s->sentences[s->owner[row]].constraints;
    const ConstraintState *state = &s->node[row]->constraints;
    const int beam = s->options->beam;
    int count = 0;
    for (int i = 0; i < next->count; i++) {
        if (least > -INFINITY) { /* on a tie the smaller id wins */
            i = kernels->next_above(next->count, next->x, i, least);
            if (i == next->count) break;
        }
        const int id = words.ids ? words.ids[next->first + i] : next->first + i;
        if (s->banned[id] || (constraints && search_forbids(s, constraints, state, id))) continue;
        count = keep_best(best, count, beam, search_candidate(s, next, row, id));
        if (count == beam) least = next->x[search_place(s, row, best[beam - 1].id) - next->first];
    }
    return count;
}

static int best_words(const Search *s, int row, const NextWords *next, Candidate *best) {
    int count = 0, arc_count;
    const PrefixArc *arcs = search_arcs(s, row, &arc_count);
    if (!arcs) {
        count = best_free_words(s, row, next, -INFINITY, best);
        const bool constrained = s->sentences[s->owner[row]].constraints;
        return constrained ? search_add_expected(s, row, next, best, count) : count;
    }
    for (int k = 0; k < arc_count; k++)
        count = keep_best(best, count, s->options->beam, search_candidate(s, next, row, arcs[k].id));
    return count;
}

/* ---- the logits, part after part ------------------------------------------------------------------------------- */

enum { MANY_LOGITS = 1 << 22 /* 16 MiB; keeping fewer was faster, or as fast: docs/benchmarks.md */ };

/* The place of a part of a row in arrays [rows, part_count]. */
static size_t part_at(const Search *s, int row, int part) { return (size_t)row * (size_t)s->part_count + (size_t)part; }

/* The best words of a part. */
static Candidate *best_at(const Search *s, int row, int part) {
    return s->best + part_at(s, row, part) * (size_t)s->options->beam;
}

static void sum_part(const Search *s, int row, int col, int cols, const real *x) {
    const size_t part = part_at(s, row, col / PART_COLS);
    s->part_max[part] = kernels->exp_sum(cols, x, &s->part_sum[part], NULL);
}

/* The row has enough words with a logit of at least x. A word of an earlier part with the same logit would be better,
   so the limit is a little lower. Another thread may raise it at the same time: then one of both is lost, and the row
   keeps more words than necessary. */
static void raise_least(const Search *s, int row, real x) {
    x -= (real)1e-6 * (1 + (x < 0 ? -x : x));
    if (x > atomic_load_explicit(&s->least[row], memory_order_relaxed))
        atomic_store_explicit(&s->least[row], x, memory_order_relaxed);
}

/* Computes the sums of a part of the output layer, and keeps its best words. */
static void use_part(void *context, int row, int rows, int col, int cols, const real *y, int ld) {
    const Search *s = context;
    const int beam = s->options->beam, part = col / PART_COLS;
    for (int end = row + rows; row < end; row++, y += ld) {
        const NextWords next = {y, col, cols, 0, 0};
        Candidate *best = best_at(s, row, part);
        sum_part(s, row, col, cols, y);
        const real least = atomic_load_explicit(&s->least[row], memory_order_relaxed);
        const int count = best_free_words(s, row, &next, least, best);
        if (count == beam) raise_least(s, row, (real)best[beam - 1].log_probability);
        s->best_count[part_at(s, row, part)] = count;
    }
}

/* ln Σ exp x over the logits x of a row, from the sums of its parts, whose maxima are overwritten. It does not depend
   on the number of threads. */
static double log_sum(const Search *s, int row) {
    const int parts = blocks_of(search_words(s, row).count, PART_COLS);
    real *max = s->part_max + part_at(s, row, 0), unused;
    const real *sums = s->part_sum + part_at(s, row, 0);
    if (parts == 1) return (double)*max + exact_log((double)*sums); /* the same number as below */
    const double most = (double)kernels->exp_sum(parts, max, &unused, max);
    return most + exact_log((double)kernels->dot(parts, sums, max));
}

/* Sets found[] to the best words of all parts of a row. Returns their number. */
static int merge_parts(const Search *s, int row, double log_sum, Candidate *found) {
    const double so_far = s->node[row]->log_probability;
    int count = 0;
    for (int i = 0; i < s->part_count; i++)
        for (int k = 0; k < s->best_count[part_at(s, row, i)]; k++)
            count = keep_best(found, count, s->options->beam, best_at(s, row, i)[k]);
    for (int k = 0; k < count; k++) found[k].log_probability = so_far + (found[k].log_probability - log_sum);
    return count;
}

/* Sets found[] to the best words of a row whose logits are kept, or to drawn ones. */
static int choose_words(const Search *s, int row, NextWords *next, Candidate *found) {
    next->x = mean_logits(s, row);
    for (int col = 0; col < next->count; col += PART_COLS)
        sum_part(s, row, col, smaller(PART_COLS, next->count - col), next->x + col);
    next->log_sum = log_sum(s, row);
    if (!isfinite(next->log_sum)) return 0;
    return s->options->sampling ? search_draw(s, row, next, found) : best_words(s, row, next, found);
}

/* Sets the candidates of rows begin..end-1: the best words of each row, or drawn ones. If there are fewer than
   s->stride, the others have id -1; if the sum of the probabilities is not finite, all have, with NaN. */
static void find_candidates(void *context, int begin, int end) {
    const Search *s = context;
    for (int row = begin; row < end; row++) {
        Candidate *found = s->candidates + (size_t)row * (size_t)s->stride;
        NextWords next = {.count = search_words(s, row).count, .so_far = s->node[row]->log_probability};
        int count = 0;
        if (s->best) {
            next.log_sum = log_sum(s, row);
            if (isfinite(next.log_sum)) count = merge_parts(s, row, next.log_sum, found);
        } else {
            count = choose_words(s, row, &next, found);
        }
        const double none = isfinite(next.log_sum) ? -INFINITY : NAN;
        for (; count < s->stride; count++) found[count] = (Candidate){none, row, -1, 0};
    }
}

/* ---- hypotheses ------------------------------------------------------------------------------------------------- */

/* Sets alpha to the alignment of a row, averaged over the models that have attention. */
static void mean_alpha(const Search *s, int row, int width, real *alpha) {
    memset(alpha, 0, (size_t)width * sizeof *alpha);
    for (int m = 0; m < s->count; m++)
        if (s->members[m].now.alpha) kernels->add(width, alpha, var_row_values(s->members[m].now.alpha, row));
    if (s->alpha_models > 1) kernels->divide(width, alpha, (real)s->alpha_models);
}

/* The numbers in `alpha` of the nodes of a sentence. */
static int alpha_width(const Search *s, const Sentence *sentence) { return s->alpha_models ? sentence->length : 0; }

/* Returns a new node, which has one user. */
static Node *extend_node(const Search *s, const Candidate *c) {
    Node *before = s->node[c->row];
    const int width = alpha_width(s, &s->sentences[s->owner[c->row]]);
    Node *node = mem_alloc(sizeof *node + (size_t)width * sizeof *node->alpha);
    *node = (Node){.before = before,
                   .users = 1,
                   .id = c->id,
                   .length = before->length + 1,
                   .state = search_next_state(s, c->row, c->id),
                   .sample = c->sample,
                   .constraints = search_next_met(s, c),
                   .log_probability = c->log_probability};
    mean_alpha(s, c->row, width, node->alpha);
    before->users++;
    return node;
}

/* Drops a hypothesis: frees its nodes that no other hypothesis contains. */
static void drop(Node *last) {
    while (last && --last->users == 0) {
        Node *before = last->before;
        mem_free(last);
        last = before;
    }
}

/* Returns the words up to `last` as a hypothesis whose arrays are in the arena. width: that of alpha, or 0 for a
   hypothesis without alignment. */
static Hypothesis hypothesis_of(Arena *arena, const Node *last, int width) {
    int n = last->length, i = n, *ids = arena_alloc(arena, (size_t)n * sizeof *ids);
    double *pieces = arena_alloc(arena, (size_t)n * sizeof *pieces);
    real *alpha = width ? arena_alloc(arena, (size_t)n * (size_t)width * sizeof *alpha) : NULL;
    for (const Node *node = last; node->before; node = node->before) {
        ids[--i] = node->id;
        pieces[i] = node->log_probability - node->before->log_probability;
        if (alpha) memcpy(alpha + (size_t)i * (size_t)width, node->alpha, (size_t)width * sizeof *alpha);
    }
    return (Hypothesis){ids, n, last->log_probability, pieces, last->score, alpha, last->place};
}

/* Σ_j ln min(Σ_i α_ij, 1) over all source words except </s>, which has no translation. The sum over i is at least 1e-6,
   so that a word without attention has a finite penalty. */
static double coverage(const Search *s, const Node *last, int width) {
    double penalty = 0;
    TapeMark mark = tape_mark(s->tape);
    const Hypothesis h = hypothesis_of(&s->tape->arena, last, width);
    for (int j = 0; j < width - 1; j++) {
        double attention = 0;
        for (int i = 0; i < h.length; i++) attention += (double)h.alpha[(size_t)i * (size_t)width + (size_t)j];
        penalty += exact_log(fmin(fmax(attention, 1e-6), 1));
    }
    tape_rewind(s->tape, mark);
    return penalty;
}

double beam_score(const BeamOptions *options, double log_probability, int length) {
    const double rewarded = log_probability - options->word_penalty * length;
    return rewarded / exact_exp(options->normalize * exact_log(length));
}

/* Inserts the hypothesis that ends in `last` into the finished ones of its sentence, which keep the node. */
static void finish(const Search *s, Sentence *sentence, Node *last) {
    double score = beam_score(s->options, last->log_probability, last->length);
    if (s->alpha_models && s->options->coverage > 0)
        score += s->options->coverage * coverage(s, last, sentence->length);
    last->score = score;
    int at = sentence->count++;
    for (; at > 0 && score > sentence->finished[at - 1]->score; at--)
        sentence->finished[at] = sentence->finished[at - 1];
    sentence->finished[at] = last;
}

/* ---- a step ----------------------------------------------------------------------------------------------------- */

/* Sets `best` to the best candidates of the rows begin..end-1 of a sentence, `width` at most. Returns their number. */
static int best_candidates(const Search *s, int begin, int end, int width, Candidate *best) {
    int count = 0;
    for (const Candidate *c = s->candidates + (size_t)begin * (size_t)s->stride;
         c < s->candidates + (size_t)end * (size_t)s->stride; c++)
        if (c->id >= 0) count = keep_best(best, count, width, *c);
    return count;
}

static bool contains(const Candidate *list, int n, const Candidate *c) {
    for (int k = 0; k < n; k++)
        if (list[k].row == c->row && list[k].id == c->id) return true;
    return false;
}

static BeamCandidate traced_candidate(const Search *s, const Candidate *c) {
    return (BeamCandidate){s->node[c->row]->place, c->id, c->log_probability};
}

/* Reports the candidates of the rows begin..end-1 of a sentence. */
static void report_candidates(const Search *s, int begin, int end, const Candidate *kept, int kept_count) {
    Arena *arena = &s->tape->arena;
    const int most = kept_count + s->options->traced;
    Candidate *best = arena_alloc(arena, (size_t)most * sizeof *best); /* at least `traced` of them are pruned ones */
    BeamCandidate *list = arena_alloc(arena, (size_t)most * sizeof *list);
    const int found = most ? best_candidates(s, begin, end, most, best) : 0;
    int count = 0;
    for (; count < kept_count; count++) list[count] = traced_candidate(s, &kept[count]);
    for (int k = 0; k < found && count < most; k++)
        if (!contains(kept, kept_count, &best[k])) list[count++] = traced_candidate(s, &best[k]);
    s->options->trace(s->options->context, s->sentences[s->owner[begin]].number, list, kept_count, count);
}

/* Selects the best candidates of each sentence, as many as its beam is wide. A candidate that ends in </s> is finished;
   each other one becomes a row of the next step. Sets parent[i] to the row that the new row i extends. */
static void choose(Search *s, int *parent) {
    const size_t most = (size_t)s->most_rows;
    Candidate *best = arena_alloc(&s->tape->arena, (size_t)s->rows * (size_t)s->stride * sizeof *best);
    Node **node = arena_alloc(&s->tape->arena, most * sizeof *node);
    int *owner = arena_alloc(&s->tape->arena, most * sizeof *owner), rows = 0;
    for (int row = 0; row < s->rows;) {
        const int number = s->owner[row], begin = row;
        Sentence *sentence = &s->sentences[number];
        const int width = sentence->width - sentence->count;
        for (; row < s->rows && s->owner[row] == number; row++)
            sentence->failed |= isnan(s->candidates[(size_t)row * (size_t)s->stride].log_probability) != 0;
        const bool free = !sentence->constraints;
        int count = best_candidates(s, begin, row, free ? width : (row - begin) * s->stride, best);
        if (sentence->failed) count = 0;
        if (!free) count = search_allocate(s, best, count, width);
        if (s->options->trace) report_candidates(s, begin, row, best, count);
        for (int k = 0; k < count; k++) {
            Node *next = extend_node(s, &best[k]);
            next->place = k;
            if (best[k].id == s->options->eos) {
                finish(s, sentence, next);
                continue;
            }
            parent[rows] = best[k].row;
            node[rows] = next;
            owner[rows++] = number;
        }
    }
    for (int row = 0; row < s->rows; row++) drop(s->node[row]);
    memcpy(s->node, node, (size_t)rows * sizeof *node);
    memcpy(s->owner, owner, (size_t)rows * sizeof *owner);
    s->rows = rows;
}

/* Whether a hypothesis of this many words in a row has reached the length limit, the end of its prefix and all
   constraints. */
static bool is_long(const Search *s, int row, int length) {
    const Constraints *constraints = s->sentences[s->owner[row]].constraints;
    int arcs;
    return length >= search_limit(s, s->owner[row]) && !search_arcs(s, row, &arcs) &&
           (!constraints || constraints_met(constraints, &s->node[row]->constraints));
}

/* Finishes the open hypotheses that are too long. `step`: their length. */
static void close_long(Search *s, int step, int *parent) {
    int rows = 0;
    for (int row = 0; row < s->rows; row++) {
        if (is_long(s, row, step)) {
            finish(s, &s->sentences[s->owner[row]], s->node[row]);
            continue;
        }
        parent[rows] = parent[row];
        s->owner[rows] = s->owner[row];
        s->node[rows++] = s->node[row];
    }
    s->rows = rows;
}

/* ---- settled words --------------------------------------------------------------------------------------------- */

/* The last word that two hypotheses of a sentence share. */
static const Node *last_shared(const Node *a, const Node *b) {
    while (a != b) {
        const int left = a->length, right = b->length;
        if (left >= right) a = a->before;
        if (right >= left) b = b->before;
    }
    return a;
}

/* Reports each sentence that has more settled words than before. */
static void report_settled(const Search *s) {
    for (int i = 0, row = 0; i < s->n; i++) {
        Sentence *sentence = &s->sentences[i];
        const Node *last = sentence->count ? *sentence->finished : NULL;
        for (; row < s->rows && s->owner[row] == i; row++) last = last ? last_shared(last, s->node[row]) : s->node[row];
        if (!last || last->length <= sentence->settled) continue;
        const Hypothesis words =
            hypothesis_of(&s->tape->arena, last, s->options->alignments ? alpha_width(s, sentence) : 0);
        sentence->settled = last->length;
        s->options->settled(s->options->context, sentence->number, &words);
    }
}

/* ---------------------------------------------------------------------------------------------------------------- */

/* Whether a step needs only the best words of each part, and so many logits that they would leave the caches. */
static bool uses_parts(const Search *s) {
    const long logits = (long)s->rows * s->members->model->config.target_vocab;
    bool plain = logits >= MANY_LOGITS && s->count == 1 && !s->options->sampling && !s->members->words;
    for (int i = 0; i < s->n; i++) plain &= !s->sentences[i].prefix && !s->sentences[i].constraints;
    return plain;
}

/* Computes the output layers, and from them s->candidates. */
static void next_words(Search *s) {
    Tape *tape = s->tape;
    Arena *arena = &tape->arena;
    const size_t rows = (size_t)s->rows, stride = (size_t)s->stride;
    const int V = s->members->model->config.target_vocab;
    s->part_count = blocks_of(V, PART_COLS);
    const size_t parts = rows * (size_t)s->part_count;
    s->part_max = arena_alloc(arena, parts * sizeof *s->part_max);
    s->part_sum = arena_alloc(arena, parts * sizeof *s->part_sum);
    s->candidates = arena_alloc(arena, rows * stride * sizeof *s->candidates);
    s->best = NULL;
    if (uses_parts(s)) {
        s->best = arena_alloc(arena, parts * (size_t)s->options->beam * sizeof *s->best);
        s->best_count = arena_alloc(arena, parts * sizeof *s->best_count);
        s->least = arena_alloc(arena, rows * sizeof *s->least);
        for (int row = 0; row < s->rows; row++) atomic_init(&s->least[row], -INFINITY);
        output_parts(tape, s->members->now.output, use_part, s);
    } else {
        for (Member *member = s->members; member < s->members + s->count; member++)
            member->logits = output_logits(tape, member->now.output, member->words, s->owner);
        const size_t logits = rows * (size_t)s->members->logits->cols;
        if (s->count > 1) s->means = arena_alloc(arena, logits * sizeof *s->means);
        if (s->options->sampling) {
            s->weights = arena_alloc(arena, logits * sizeof *s->weights);
            s->heaps = arena_alloc(arena, logits * sizeof *s->heaps);
        }
    }
    threads_run(tape->threads, "next words", s->rows, 1, find_candidates, s);
}

static void search_step(Search *s, int step) {
    TapeMark mark = tape_mark(s->tape);
    Arena *arena = &s->tape->arena;
    int *previous = arena_alloc(arena, (size_t)s->rows * sizeof *previous);
    for (int row = 0; row < s->rows; row++) previous[row] = s->node[row]->id;
    const Hypotheses open = {s->owner, previous, s->rows};
    for (Member *member = s->members; member < s->members + s->count; member++)
        member->now = model_step(s->tape, member->model, member->state, open);
    next_words(s);
    int *parent = arena_alloc(arena, (size_t)s->most_rows * sizeof *parent);
    choose(s, parent);
    close_long(s, step, parent);
    for (Member *member = s->members; member < s->members + s->count; member++)
        model_reorder(member->model, member->state, parent, s->rows);
    if (s->options->settled) report_settled(s);
    tape_rewind(s->tape, mark);
}

static bool *mark_banned(const Search *s, int words) {
    bool *banned = arena_zalloc(&s->tape->arena, (size_t)words * sizeof *banned);
    for (int i = 0; i < s->options->banned_count; i++) {
        int id = s->options->banned[i];
        CHECK(id >= 0 && id < words, "beam_search: the banned id %d is not in the vocabulary of %d", id, words);
        banned[id] = true;
    }
    return banned;
}

/* Sets the sentences, the rows that they need and the candidates of a row. words: size of the target vocabulary. */
static void init_sentences(Search *s, const Source *source, int words) {
    const BeamOptions *o = s->options;
    s->sentences = arena_zalloc(&s->tape->arena, (size_t)s->n * sizeof *s->sentences);
    s->stride = o->beam;
    for (int i = 0; i < s->n; i++) {
        Sentence *sentence = &s->sentences[i];
        const int number = o->numbers ? o->numbers[source->x.order[i]] : source->x.order[i];
        *sentence = (Sentence){.number = number,
                               .length = source->spans.length[i],
                               .prefix = o->prefixes ? o->prefixes[number] : NULL,
                               .constraints = o->constraints ? o->constraints[number] : NULL};
        if (sentence->prefix) search_prefix_check(sentence->prefix, words);
        if (sentence->constraints) {
            search_constraints_check(sentence->constraints, words);
            const int most = o->beam + sentence->constraints->count + 1; /* also the next word of a begun one */
            if (s->stride < most) s->stride = most;
        }
        sentence->width = beam_width(o, sentence->constraints);
        sentence->finished = arena_alloc(&s->tape->arena, (size_t)sentence->width * sizeof *sentence->finished);
        s->most_rows += sentence->width;
    }
}

/* Encodes the sources with each model. */
static void init_members(Search *s, Ensemble ensemble, const Source *source) {
    const PassOptions pass = {.attention = s->options->attention};
    const ModelConfig *first = &ensemble.models[0]->config;
    s->members = arena_zalloc(&s->tape->arena, (size_t)ensemble.count * sizeof *s->members);
    s->count = ensemble.count;
    for (int m = 0; m < ensemble.count; m++) {
        const Model *model = ensemble.models[m];
        CHECK(model->config.source_vocab == first->source_vocab && model->config.source_words == first->source_words &&
                  model->config.target_vocab == first->target_vocab,
              "beam_search: models with vocabularies of %d and %d, and of %d and %d", model->config.source_vocab,
              model->config.target_vocab, first->source_vocab, first->target_vocab);
        s->members[m] = (Member){.model = model, .state = model_begin(s->tape, model, source, s->most_rows, &pass)};
        if (s->options->alignments || s->options->coverage > 0) s->alpha_models += model_aligns(model);
    }
}

/* Each sentence begins with one open hypothesis, which is <s>. */
static void init_rows(Search *s) {
    Arena *arena = &s->tape->arena;
    const size_t most = (size_t)s->most_rows;
    s->owner = arena_alloc(arena, most * sizeof *s->owner);
    s->node = arena_alloc(arena, most * sizeof *s->node);
    s->rows = s->n;
    for (int i = 0; i < s->n; i++) {
        s->owner[i] = i;
        s->node[i] = mem_alloc(sizeof **s->node);
        *s->node[i] = (Node){.users = 1, .id = s->options->bos};
    }
}

/* The n-best list of a sentence, in the arena. */
static Nbest nbest_of(const Search *s, const Sentence *sentence, Arena *out) {
    const BeamOptions *o = s->options;
    Nbest nbest = {.count = sentence->count < o->beam ? sentence->count : o->beam, .source_length = sentence->length};
    nbest.list = arena_alloc(out, (size_t)nbest.count * sizeof *nbest.list);
    nbest.failed = sentence->failed;
    for (int k = 0; k < nbest.count; k++) {
        nbest.list[k] = hypothesis_of(out, sentence->finished[k], k < o->alignments ? alpha_width(s, sentence) : 0);
        nbest.failed |= !isfinite(nbest.list[k].score);
    }
    if (nbest.failed) nbest.count = 0;
    return nbest;
}

static void search_free(Search *s) {
    for (int row = 0; row < s->rows; row++) drop(s->node[row]);
    for (int i = 0; i < s->n; i++)
        for (int k = 0; k < s->sentences[i].count; k++) drop(s->sentences[i].finished[k]);
    for (int m = 0; m < s->count; m++) model_end(s->members[m].model, s->members[m].state);
    search_words_free(s);
}

Nbest *beam_search(Tape *tape, Ensemble ensemble, const int *const *ids, const int *length, int n,
                   const BeamOptions *options, Arena *out, Timing *timing) {
    CHECK(options->beam > 0, "beam_search: the beam is %d", options->beam);
    CHECK(!options->sampling || !options->constraints, "beam_search: samples with constraints");
    Nbest *results = arena_alloc(out, (size_t)n * sizeof *results);
    if (n == 0) return results;
    TapeMark mark = tape_mark(tape);
    const double began = seconds_now();
    const int words = ensemble.models[0]->config.target_vocab;
    const Source source = source_fold(&tape->arena, ids, length, n, NULL);
    Search s = {.tape = tape, .options = options, .n = n};
    init_sentences(&s, &source, words);
    init_members(&s, ensemble, &source);
    init_rows(&s);
    s.banned = mark_banned(&s, words);
    search_words_init(&s);
    const double encoded = seconds_now();
    bool cancelled = false;
    for (int step = 1; s.rows > 0 && !cancelled; step++) {
        cancelled = options->before_step && options->before_step(options->context);
        if (!cancelled) search_step(&s, step);
    }
    for (int i = 0; i < n && !cancelled; i++) results[source.x.order[i]] = nbest_of(&s, &s.sentences[i], out);
    search_free(&s);
    tape_rewind(tape, mark);
    if (timing) {
        timing->encode += encoded - began;
        timing->decode += seconds_now() - encoded;
    }
    return cancelled ? NULL : results;
}
