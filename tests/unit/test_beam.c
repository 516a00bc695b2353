/* Compares beam search with forced decoding, with greedy decoding, and with itself in other batches. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "beam_world.h"
#include "core/scope.h"

static const char *const kinds[] = {"additive", "coverage", "dot", "general", "scaled-dot", "multi-head"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void check_search(const char *kind, bool readout_prev, AttentionOptions attention) {
    World w;
    begin(&w, kind, readout_prev);
    w.attention = attention;
    BeamOptions o = options(4, 0.6);
    Nbest *found = search(&w, sources, lengths, SENTENCES, &o);
    for (int s = 0; s < SENTENCES; s++) {
        assert_int_equal(found[s].count, 4);
        for (int k = 0; k < found[s].count; k++) {
            const Hypothesis *h = &found[s].list[k];
            assert_true(h->length <= lengths[s] + 10);
            assert_true(h->ids[h->length - 1] == EOS || h->length == lengths[s] + 10);
            assert_true(fabs(h->score - h->log_probability / pow(h->length, 0.6)) < 1e-9);
            if (k) assert_true(h->score <= found[s].list[k - 1].score);
            for (int i = 0; i < h->length; i++) assert_true(h->ids[i] >= EOS);
            assert_true((h->alpha != NULL) == model_aligns(&w.model));
            check_forced(&w, s, h);
        }
    }
    end(&w);
}

static void hypotheses_agree_with_forced_decoding(void **state) {
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        check_search(kinds[i], false, (AttentionOptions){0});
        check_search(kinds[i], true, (AttentionOptions){.hard = true});
    }
    static const char *const others[] = {"none", "deep-bigru", "gru", "cnn", "self-attention", "transformer"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) check_search(others[i], false, (AttentionOptions){0});
    check_search("transformer", false, (AttentionOptions){.hard = true});
    check_search("transformer", false, (AttentionOptions){.layer = 1, .head = 2});
    check_search("multi-head", false, (AttentionOptions){.head = 2});
}

/* The first hypotheses have the alignment that they have if all have one. The request changes nothing else. */
static void check_request(World *w, double coverage) {
    BeamOptions o = options(4, 0.6);
    o.coverage = coverage;
    Nbest *all = search(w, sources, lengths, SENTENCES, &o);
    for (o.alignments = 3; o.alignments >= 0; o.alignments--) {
        Nbest *found = search(w, sources, lengths, SENTENCES, &o);
        for (int s = 0; s < SENTENCES; s++) {
            for (int k = o.alignments; k < 4; k++) {
                assert_null(found[s].list[k].alpha);
                all[s].list[k].alpha = NULL;
            }
            check_same(&all[s], &found[s], lengths[s]);
        }
    }
}

static void only_requested_alignments_are_kept(void **state) {
    (void)state;
    World w;
    Model other;
    begin(&w, "coverage", false);
    check_request(&w, 0);
    check_request(&w, 4);
    draw_model(&other, "transformer", false, 8, 8);
    w.models[w.count++] = &other;
    check_request(&w, 4);
    end(&w);
    model_free(&other);
}

/* The blocks of memory at each step of a search in a scope. */
typedef struct Blocks {
    World *world;
    Scope scope;
    size_t first, most;
    int steps;
} Blocks;

static int count_blocks(void *context) {
    Blocks *b = context;
    if (b->steps++ == 0) b->first = b->scope.count;
    if (b->scope.count > b->most) b->most = b->scope.count;
    return 0;
}

static void search_long_sentence(void *context) {
    enum { LENGTH = 300 };
    int ids[LENGTH], length = LENGTH;
    const int *const source = ids;
    /* cppcheck-suppress unreadVariable ; `source` points to it */
    for (int i = 0; i < LENGTH; i++) ids[i] = i == LENGTH - 1 ? EOS : 4 + i * i % 5;
    BeamOptions o = options(8, 0);
    const int without_end[] = {PAD, UNK, BOS, EOS};
    o.banned = without_end;
    o.banned_count = 4;
    o.before_step = count_blocks;
    o.context = context;
    search(((Blocks *)context)->world, &source, &length, 1, &o);
}

/* A search frees what only dropped hypotheses contain: of the eight words of a step it soon keeps one,
   and in the end none. */
static void dropped_hypotheses_are_freed(void **state) {
    (void)state;
    World w;
    Blocks b = {.world = &w};
    char reason[256];
    begin(&w, "gru", false);
    assert_int_equal(scope_run(&b.scope, search_long_sentence, &b, reason, sizeof reason), SCOPE_DONE);
    assert_int_equal(b.steps, 310);
    assert_true(b.most - b.first < (size_t)2 * 310);
    assert_true(b.scope.count <= b.first + 10);
    scope_forget(&b.scope);
    end(&w);
}

/* Shortlists with all words give the same bits; others give only their words and </s>. */
static void check_shortlists(const char *kind) {
    static const int all[VOCAB] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, some[] = {5, 7, 8};
    ColumnSet lists[SENTENCES];
    World w;
    begin(&w, kind, false);
    BeamOptions o = options(4, 0.6);
    Nbest *free_ones = search(&w, sources, lengths, SENTENCES, &o);
    for (int s = 0; s < SENTENCES; s++) lists[s] = (ColumnSet){all, VOCAB};
    o.shortlists = lists;
    Nbest *same = search(&w, sources, lengths, SENTENCES, &o);
    for (int s = 0; s < SENTENCES; s++)
        for (int k = 0; k < free_ones[s].count; k++) {
            const Hypothesis *a = &free_ones[s].list[k], *b = &same[s].list[k];
            assert_int_equal(a->length, b->length);
            assert_memory_equal(a->ids, b->ids, (size_t)a->length * sizeof *a->ids);
            assert_true(a->log_probability == b->log_probability);
        }
    for (int s = 0; s < SENTENCES; s++) lists[s] = (ColumnSet){some + s % 2, 3 - s % 2};
    Nbest *few = search(&w, sources, lengths, SENTENCES, &o);
    for (int s = 0; s < SENTENCES; s++) {
        const ColumnSet own = lists[s];
        for (int k = 0; k < few[s].count; k++)
            for (int i = 0; i < few[s].list[k].length; i++) {
                const int id = few[s].list[k].ids[i];
                bool known = id == EOS;
                for (int j = 0; j < own.count; j++) known |= id == own.ids[j];
                assert_true(known);
            }
        const double together = few[s].list[0].log_probability;
        o.shortlists = &own;
        Nbest *alone = search(&w, &sources[s], &lengths[s], 1, &o);
        assert_true(alone[0].list[0].log_probability == together);
        o.shortlists = lists;
    }
    end(&w);
}

static void shortlists_restrict_the_words(void **state) {
    (void)state;
    check_shortlists("additive");
    check_shortlists("none");
    check_shortlists("transformer");
}

/* Fills in the alignment of the first sentence with a target of four words, [steps, width], and the logits. */
static void read_alignment(World *w, AttentionOptions attention, real *alpha, real *logits) {
    enum { STEPS = 4 };
    static const int target[STEPS] = {5, 6, 7, EOS};
    const int *targets[] = {target}, length = STEPS;
    TapeMark mark = tape_mark(&w->tape);
    Batch batch = batch_fold(&w->tape.arena, sources, lengths, targets, &length, 1, NULL, BOS);
    Forced forced = model_force(&w->tape, &w->model, &batch, &(PassOptions){.attention = attention});
    for (int i = 0; i < STEPS; i++)
        memcpy(alpha + (ptrdiff_t)i * lengths[0], forced.alpha[i]->v, (size_t)lengths[0] * sizeof(real));
    memcpy(logits, output_logits(&w->tape, model_output(&w->tape, &w->model, &forced), NULL, NULL)->v,
           (size_t)(STEPS * VOCAB) * sizeof(real));
    tape_rewind(&w->tape, mark);
}

/* The alignment may be that of one head or layer, or a mean; this choice does not change the logits. */
static void heads_and_layers_can_be_chosen(void **state) {
    (void)state;
    static const char *const some[] = {"multi-head", "transformer"};
    for (int i = 0; i < 2; i++) {
        World w;
        begin(&w, some[i], false);
        const Alignments there = model_alignments(&w.model);
        const int width = lengths[0];
        real mean[64], last[64], one[64], logits[4 * VOCAB], same[4 * VOCAB];
        assert_true(width <= 16 && there.heads > 1 && there.layers == (i ? w.model.config.decoder_depth : 1));
        read_alignment(&w, (AttentionOptions){0}, last, logits);
        for (int layer = 1; layer <= there.layers; layer++) {
            double sum[64] = {0};
            read_alignment(&w, (AttentionOptions){.layer = layer}, mean, same);
            assert_true((memcmp(mean, last, (size_t)(4 * width) * sizeof(real)) == 0) == (layer == there.layers));
            for (int head = 1; head <= there.heads; head++) {
                read_alignment(&w, (AttentionOptions){.layer = layer, .head = head}, one, same);
                assert_memory_equal(logits, same, sizeof logits);
                assert_memory_not_equal(one, mean, (size_t)(4 * width) * sizeof(real));
                for (int j = 0; j < 4 * width; j++) sum[j] += (double)one[j];
            }
            for (int j = 0; j < 4 * width; j++) assert_true(fabs(sum[j] / there.heads - (double)mean[j]) < 1e-6);
        }
        end(&w);
    }
}

/* For the same state, soft attention gives the weighted mean of the annotations, hard attention the annotation with the
   largest weight. */
static void hard_attention_reads_one_annotation(void **state) {
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        World w;
        begin(&w, kinds[i], false);
        Source source = source_fold(&w.tape.arena, sources, lengths, SENTENCES, NULL);
        const Annotations H = encode(&w.tape, &w.model.encoder, &source, &(Dropout){0});
        Attention attention;
        Params params = {0};
        const ModelConfig config = {.attention = attention_kind(kinds[i]), .rnn = 8, .att = 6, .heads = 2};
        attention_declare(&attention, &params, &config, H.H->cols);
        draw_shared(&params, LARGE, 5);
        Context read[2];
        for (int hard = 0; hard < 2; hard++) {
            const PassOptions pass = {.attention = {.hard = hard}};
            const AttentionSource from = attention_prepare(&w.tape, &attention, &H, &pass);
            const Query query = {H.summary, attention_init_memory(&w.tape, &attention, &from, SENTENCES), &H.spans};
            read[hard] = attend(&w.tape, &attention, &from, &query, NULL);
        }
        const Context soft = read[0], hard = read[1];
        const int heads = attention.heads;
        for (int b = 0; b < SENTENCES; b++) {
            const real *soft_row = soft.alpha->v + (ptrdiff_t)b * soft.alpha->cols,
                       *row = hard.alpha->v + (ptrdiff_t)b * hard.alpha->cols;
            int best = 0;
            real sum = 0;
            for (int j = 0; j < soft.alpha->cols; j++) {
                assert_true(row[j] * (real)heads == (real)(int)(row[j] * (real)heads));
                if (soft_row[j] > soft_row[best]) best = j;
                sum += row[j];
            }
            assert_true(sum == 1);
            if (heads > 1) continue;
            assert_true(row[best] == 1);
            assert_memory_equal(hard.c->v + (ptrdiff_t)b * H.H->cols,
                                H.H->v + (ptrdiff_t)(H.spans.start[b] + best) * H.H->cols,
                                (size_t)H.H->cols * sizeof(real));
        }
        tape_reset(&w.tape);
        params_free(&params);
        end(&w);
    }
}

/* A beam of one takes the most probable word at each step. */
static void a_beam_of_one_is_greedy(void **state) {
    (void)state;
    World w;
    begin(&w, "additive", false);
    BeamOptions o = options(1, 0);
    Nbest *found = search(&w, sources, lengths, SENTENCES, &o);
    for (int s = 0; s < SENTENCES; s++) {
        const Hypothesis *h = &found[s].list[0];
        TapeMark mark = tape_mark(&w.tape);
        Batch batch = batch_fold(&w.tape.arena, &sources[s], &lengths[s], &h->ids, &h->length, 1, NULL, BOS);
        Forced forced = model_force(&w.tape, &w.model, &batch, &(PassOptions){0});
        const Var *logits = output_logits(&w.tape, model_output(&w.tape, &w.model, &forced), NULL, NULL);
        for (int i = 0; i < h->length; i++)
            for (int id = EOS; id < VOCAB; id++)
                assert_true(logits->v[i * VOCAB + id] <= logits->v[i * VOCAB + h->ids[i]] + (real)1e-5);
        tape_rewind(&w.tape, mark);
    }
    end(&w);
}

/* The batch and its order do not change the words, scores and alignments of a sentence: all bits are the same. */
static void a_sentence_does_not_depend_on_its_batch(void **state) {
    (void)state;
    static const char *const some[] = {"additive", "self-attention", "transformer"};
    for (int i = 0; i < 3; i++) {
        World w;
        begin(&w, some[i], false);
        BeamOptions o = options(3, 0.6);
        Nbest *together = search(&w, sources, lengths, SENTENCES, &o);
        for (int s = 0; s < SENTENCES; s++) {
            Nbest *alone = search(&w, &sources[s], &lengths[s], 1, &o);
            check_same(alone, &together[s], lengths[s]);
        }
        assert_null(w.tape.last);
        end(&w);
    }
}

/* Two equal models find the same as one of them. The order of two different models does not matter. */
static void an_ensemble_of_equal_models_is_one_model(void **state) {
    (void)state;
    World w;
    Model twin, other;
    begin(&w, "additive", false);
    draw_model(&twin, "additive", false, 8, 7);
    draw_model(&other, "additive", true, 9, 8);
    BeamOptions o = options(4, 0.6);
    Nbest *one = search(&w, sources, lengths, SENTENCES, &o);
    w.models[w.count++] = &twin;
    Nbest *two = search(&w, sources, lengths, SENTENCES, &o);
    w.models[1] = &other;
    Nbest *mixed = search(&w, sources, lengths, SENTENCES, &o);
    w.models[0] = &other, w.models[1] = &w.model;
    Nbest *turned = search(&w, sources, lengths, SENTENCES, &o);
    bool differs = false;
    for (int s = 0; s < SENTENCES; s++) {
        check_same(&one[s], &two[s], lengths[s]);
        check_same(&mixed[s], &turned[s], lengths[s]);
        differs |= one[s].list[0].score != mixed[s].list[0].score;
    }
    assert_true(differs);
    end(&w);
    model_free(&twin);
    model_free(&other);
}

/* An ensemble of models of different sizes, one without attention. No model writes a banned word. */
static void an_ensemble_scores_by_the_mean_of_logits(void **state) {
    (void)state;
    static const int more[] = {8, BOS, UNK, PAD};
    World w;
    Model second, third;
    begin(&w, "additive", false);
    draw_model(&second, "additive", true, 9, 8);
    draw_model(&third, "none", false, 5, 9);
    BeamOptions o = options(4, 0.6);
    o.banned = more, o.banned_count = 4;
    w.models[1] = &second, w.models[2] = &third;
    for (w.count = 2; w.count <= 3; w.count++) {
        Nbest *found = search(&w, sources, lengths, SENTENCES, &o);
        for (int s = 0; s < SENTENCES; s++) {
            assert_int_equal(found[s].count, 4);
            for (int k = 0; k < 4; k++) {
                const Hypothesis *h = &found[s].list[k];
                for (int i = 0; i < h->length; i++) assert_true(h->ids[i] >= EOS && h->ids[i] != 8);
                check_forced(&w, s, h);
            }
        }
    }
    end(&w);
    model_free(&second);
    model_free(&third);
}

/* A coverage penalty only reorders the hypotheses. Their scores are computed by hand: the attention weights of a source
   word, summed over the rows, count up to 1; </s> is left out. Hard attention leaves words without any weight. */
static void check_coverage(bool hard) {
    World w;
    begin(&w, "general", false);
    BeamOptions o = options(4, 0.6);
    w.attention.hard = hard;
    Nbest *plain = search(&w, sources, lengths, SENTENCES, &o);
    o.coverage = 4;
    Nbest *found = search(&w, sources, lengths, SENTENCES, &o);
    bool reordered = false, without = false;
    for (int s = 0; s < SENTENCES; s++) {
        double sum = 0, sum_plain = 0;
        assert_int_equal(found[s].count, plain[s].count);
        for (int k = 0; k < found[s].count; k++) {
            const Hypothesis *h = &found[s].list[k];
            double score = h->log_probability / pow(h->length, 0.6);
            for (int j = 0; j < lengths[s] - 1; j++) {
                double looked = 0;
                for (int i = 0; i < h->length; i++) looked += (double)h->alpha[i * lengths[s] + j];
                without |= looked == 0;
                if (looked < 1) score += 4 * log(fmax(looked, 1e-6));
            }
            assert_true(fabs(score - h->score) < 1e-9);
            assert_true(k == 0 || h->score <= found[s].list[k - 1].score);
            sum += h->log_probability;
            sum_plain += plain[s].list[k].log_probability;
            reordered |= h->log_probability != plain[s].list[k].log_probability;
        }
        assert_true(fabs(sum - sum_plain) < 1e-9);
    }
    assert_true(hard ? without : reordered);
    end(&w);
}

static void coverage_only_reranks(void **state) {
    (void)state;
    check_coverage(false);
    check_coverage(true);
}

/* Banned words are never written, for any number and order of them; the list may repeat words. */
static void banned_words_are_not_written(void **state) {
    (void)state;
    static const int more[] = {8, BOS, 4, UNK, PAD, 6}, again[] = {PAD, PAD, BOS, UNK, UNK};
    World w;
    begin(&w, "additive", false);
    BeamOptions o = options(4, 0.6);
    Nbest *before = search(&w, sources, lengths, SENTENCES, &o);
    o.banned = again, o.banned_count = 5;
    Nbest *same = search(&w, sources, lengths, SENTENCES, &o);
    o.banned = more, o.banned_count = 6;
    Nbest *found = search(&w, sources, lengths, SENTENCES, &o);
    bool written[VOCAB] = {false};
    for (int s = 0; s < SENTENCES; s++)
        for (int k = 0; k < found[s].count; k++) {
            const Hypothesis *a = &before[s].list[k], *b = &same[s].list[k], *h = &found[s].list[k];
            assert_int_equal(a->length, b->length);
            assert_memory_equal(a->ids, b->ids, (size_t)a->length * sizeof(int));
            assert_memory_equal(&a->score, &b->score, sizeof(double));
            for (int i = 0; i < h->length; i++) assert_true(h->ids[i] == EOS || h->ids[i] == 5 || h->ids[i] == 7);
            for (int i = 0; i < a->length; i++) written[a->ids[i]] = true;
            check_forced(&w, s, h);
        }
    assert_true(written[4] || written[6] || written[8]);
    end(&w);
}

/* In a model that is only read, a matrix that is a factor of a product is stored only as panels; embeddings and vectors
   are stored as values. The hypotheses are those of a trainable model with the same weights. */
static void a_shared_weight_is_stored_once(void **state) {
    (void)state;
    World w;
    Model trained;
    begin(&w, "additive", false);
    init_model(&trained, "additive", false, 8);
    const Params *params = &w.model.params;
    draw_trained(&trained.params, LARGE, 7);
    BeamOptions o = options(3, 0.6);
    w.models[0] = &trained;
    const Nbest *own = search(&w, sources, lengths, SENTENCES, &o);
    w.models[0] = &w.model;
    for (int time = 0; time < 2; time++) {
        tape_reset(&w.tape);
        const Nbest *found = search(&w, sources, lengths, SENTENCES, &o);
        for (int s = 0; s < SENTENCES; s++) {
            assert_int_equal(found[s].count, own[s].count);
            for (int k = 0; k < found[s].count; k++) {
                const Hypothesis *a = &found[s].list[k], *b = &own[s].list[k];
                assert_int_equal(a->length, b->length);
                assert_memory_equal(a->ids, b->ids, (size_t)a->length * sizeof *a->ids);
                assert_memory_equal(&a->score, &b->score, sizeof a->score);
            }
        }
        for (int i = 0; i < params->count; i++) {
            const Param *p = params->list[i];
            const bool vector = p->var.rows == 1 || p->var.cols == 1, embedding = !strcmp(strchr(p->name, '.'), ".E");
            if (p->weight.ready[0] != (!vector && !embedding)) fail_msg("%s", p->name);
            if (p->weight.ready[0] == (p->weight.values != NULL)) fail_msg("%s: stored twice", p->name);
            assert_false(p->weight.ready[1]);
        }
        assert_int_equal(w.tape.last_used, 0); /* the tape packed no shared weight */
    }
    model_free(&trained);
    end(&w);
}

/* With zero weights all words are equally probable. A tie goes to the earlier row, then to the smaller id, for any
   number of threads. */
static void ties_go_to_the_first(void **unused) {
    (void)unused;
    for (int threads = 1; threads <= 3; threads++) {
        World w;
        begin(&w, "additive", false);
        threads_free(w.threads);
        w.tape.threads = w.threads = threads_new(threads);
        model_free(&w.model);
        init_model(&w.model, "additive", false, 8);
        draw_shared(&w.model.params, 0, 1);
        BeamOptions o = options(3, 0);
        Nbest *found = search(&w, sources, lengths, SENTENCES, &o);
        for (int s = 0; s < SENTENCES; s++) {
            assert_int_equal(found[s].count, 3);
            for (int k = 0; k < 3; k++) { /* </s>, 4 </s>, 4 4 </s> */
                const Hypothesis *h = &found[s].list[k];
                assert_int_equal(h->length, k + 1);
                for (int i = 0; i <= k; i++) assert_int_equal(h->ids[i], i < k ? 4 : EOS);
            }
        }
        end(&w);
    }
}

/* ---- several parts of the output layer ---------------------------------------------------------------------- */

enum { MANY = 150 * PART_COLS + 300 };

/* Where the values of a parameter begin in a block of all. */
static real *values_in(real *block, const Params *params, const char *name) {
    for (int i = 0; i < params->count; i++)
        if (!strcmp(params->list[i]->name, name)) return block + params->list[i]->offset;
    fail_msg("no parameter %s", name);
    return block;
}

/* Changes weights so that the last word is by far the best after <s>, and </s> after 13 further words, which are nearly
   equal: eleven words of a part are better than one of a later part, and this one is better than the twelfth. */
static void put_in_order(real *block, const Params *params, const ModelConfig *c) {
    const size_t emb = (size_t)c->emb, maxout = (size_t)c->maxout;
    real *E = values_in(block, params, "state.E"), *Vo = values_in(block, params, "readout.Vo");
    real *Wo = values_in(block, params, "readout.Wo"), *bo = values_in(block, params, "readout.bo");
    memset(Vo, 0, emb * 2 * maxout * sizeof *Vo);
    Vo[0] = Vo[1] = Vo[2 * maxout + 2] = Vo[2 * maxout + 3] = 1;
    E[BOS * emb] = 100;
    Wo[MANY - 1] = Wo[MANY + EOS] = 10;
    for (size_t k = 0; k < 13; k++) {
        const size_t id = (size_t)PART_COLS * 3 + (k < 12 ? k : PART_COLS);
        E[id * emb + 1] = 100;
        for (size_t i = 0; i < maxout; i++) Wo[i * MANY + id] = 0;
        bo[id] = 20 - (k < 12 ? (real)k : (real)10.5) / 64;
    }
}

/* A model with so many target words that a beam of 12 computes the 151 parts of its output layer one by one. There are
   few different weights, so that many words have the same logits. */
static void draw_many_words(Model *model, const char *kind, double scale, bool order) {
    ModelConfig config = {
        .source_vocab = VOCAB, .target_vocab = MANY, .emb = 6, .rnn = 8, .att = 6, .maxout = 4, .heads = 2};
    choose_kind(&config, kind);
    model_init(model, &config);
    real *block = mem_alloc(model->params.size * sizeof *block);
    draw(block, model->params.size, 1, 3);
    for (size_t i = 0; i < model->params.size; i++) block[i] = (real)(scale * round(2 * (double)block[i]));
    if (order) put_in_order(block, &model->params, &config);
    write_shared(&model->params, block);
    mem_free(block);
}

/* The search that keeps only the best words of each part finds the same, bit for bit, as the search of two equal
   models, which keeps all logits. */
static void check_beam(World *w, int beam, double scale) {
    static const int some[] = {PAD, UNK, BOS, 7, PART_COLS - 1, PART_COLS, 20 * PART_COLS + 5};
    BeamOptions o = options(beam, 0.6);
    o.banned = some;
    o.banned_count = sizeof some / sizeof *some;
    w->count = 2;
    Nbest *whole = search(w, sources, lengths, SENTENCES, &o);
    w->count = 1;
    Nbest *parts = search(w, sources, lengths, SENTENCES, &o);
    int first = MANY, last = 0;
    for (int s = 0; s < SENTENCES; s++) {
        assert_int_equal(parts[s].count, beam);
        check_same(&parts[s], &whole[s], lengths[s]);
        const Hypothesis *best = parts[s].list;
        check_forced(w, s, best);
        for (int i = 0; i < best->length; i++) {
            first = best->ids[i] < first ? best->ids[i] : first;
            last = best->ids[i] > last ? best->ids[i] : last;
        }
    }
    assert_true(scale == 0 || last - first > PART_COLS);
}

static void check_parts(const char *kind, double scale, bool order) {
    World w = {.models = {&w.model, &w.model}};
    draw_many_words(&w.model, kind, scale, order);
    for (int threads = 1; threads <= 4; threads++) {
        w.threads = threads_new(threads);
        tape_init(&w.tape, w.threads, rng_seed(1, 1));
        check_beam(&w, threads % 2 ? 12 : 20, scale);
        tape_free(&w.tape);
        threads_free(w.threads);
    }
    model_free(&w.model);
    arena_free(&w.out);
}

static void parts_of_the_output_layer_give_the_same_words(void **unused) {
    (void)unused;
    check_parts("additive", 0.15, false);
    check_parts("additive", 0.15, true);
    check_parts("transformer", 0.1, false);
    check_parts("additive", 0, false); /* all words are equal */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortlists_restrict_the_words),
        cmocka_unit_test(hypotheses_agree_with_forced_decoding),
        cmocka_unit_test(only_requested_alignments_are_kept),
        cmocka_unit_test(dropped_hypotheses_are_freed),
        cmocka_unit_test(a_beam_of_one_is_greedy),
        cmocka_unit_test(a_sentence_does_not_depend_on_its_batch),
        cmocka_unit_test(banned_words_are_not_written),
        cmocka_unit_test(heads_and_layers_can_be_chosen),
        cmocka_unit_test(hard_attention_reads_one_annotation),
        cmocka_unit_test(a_shared_weight_is_stored_once),
        cmocka_unit_test(ties_go_to_the_first),
        cmocka_unit_test(parts_of_the_output_layer_give_the_same_words),
        cmocka_unit_test(coverage_only_reranks),
        cmocka_unit_test(an_ensemble_of_equal_models_is_one_model),
        cmocka_unit_test(an_ensemble_scores_by_the_mean_of_logits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
