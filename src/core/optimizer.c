#include "core/optimizer.h"
#include "core/base.h"
#include "core/choice.h"
#include "core/kernels.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 4096, GRAIN = 4 /* blocks */ };

static int block_count(size_t size) { return (int)((size + BLOCK - 1) / BLOCK); }

static int block_size(size_t size, int block) {
    const size_t left = size - (size_t)block * BLOCK;
    return left < BLOCK ? (int)left : BLOCK;
}

/* ---- the kinds ------------------------------------------------------------------------------------------------- */

static size_t segment_size(const Segment *segment) { return (size_t)segment->rows * (size_t)segment->cols; }

/* An update that computes each number independently. */
typedef struct Elementwise {
    const SegmentUpdate *update;
    const UpdateRule *rule;
    UpdateKernel *kernel;
} Elementwise;

static void update_blocks(void *context, int begin, int end) {
    const Elementwise *e = context;
    const SegmentUpdate *u = e->update;
    for (int block = begin; block < end; block++) {
        const size_t at = (size_t)block * BLOCK;
        real *slots[OPTIMIZER_SLOTS];
        for (int i = 0; i < OPTIMIZER_SLOTS; i++) slots[i] = u->slots[i] ? u->slots[i] + at : NULL;
        e->kernel(block_size(segment_size(u->segment), block), e->rule, u->w + at, u->g + at, slots[0], slots[1]);
    }
}

static void update_each(const SegmentUpdate *update, UpdateRule rule, UpdateKernel *kernel) {
    rule.gradient_scale = update->gradient_scale;
    rule.rate = update->rate;
    threads_run(update->threads, "update", block_count(segment_size(update->segment)), GRAIN, update_blocks,
                &(Elementwise){update, &rule, kernel});
}

/* Uses only multiplications, so that the bits are the same on every machine. */
static double power(double base, long n) {
    double product = 1;
    for (; n > 0; n /= 2) {
        if (n % 2) product *= base;
        base *= base;
    }
    return product;
}

static void adam(const SegmentUpdate *update) {
    UpdateRule rule = {.decay1 = (real)0.9, .decay2 = (real)0.999, .epsilon = (real)1e-8};
    rule.correction1 = (real)(1 / (1 - power(rule.decay1, update->steps)));
    rule.correction2 = (real)(1 / (1 - power(rule.decay2, update->steps)));
    update_each(update, rule, kernels->adam);
}

static void adadelta(const SegmentUpdate *update) {
    update_each(update, (UpdateRule){.decay1 = (real)0.95, .epsilon = (real)1e-6}, kernels->adadelta);
}

static void sgd(const SegmentUpdate *update) { update_each(update, (UpdateRule){0}, kernels->sgd); }

/* A new kind needs a function, and its name in both lists, in the same order. */
static const OptimizerKind kinds[] = {{"adam", 2, adam}, {"adadelta", 2, adadelta}, {"sgd", 0, sgd}};
const char optimizer_names[] = "adam|adadelta|sgd";

const OptimizerKind *optimizer_kind_at(int index) { return index < 0 ? NULL : &kinds[index]; }
const OptimizerKind *optimizer_kind(const char *name) { return optimizer_kind_at(choice_find(optimizer_names, name)); }

/* ---- an optimizer ---------------------------------------------------------------------------------------------- */

void optimizer_init(Optimizer *optimizer, const OptimizerKind *kind, const Segment *segments, int count, size_t size) {
    CHECK(kind && kind->slots <= OPTIMIZER_SLOTS, "optimizer_init: no such kind");
    *optimizer = (Optimizer){.kind = kind, .segment_count = count, .size = size, .to = size};
    optimizer->segments = mem_alloc((size_t)count * sizeof *segments);
    memcpy(optimizer->segments, segments, (size_t)count * sizeof *segments);
    optimizer->squares = mem_zalloc((size_t)block_count(size) * sizeof(double));
    for (int i = 0; i < kind->slots; i++) {
        optimizer->slots[i] = mem_alloc_aligned(size * sizeof(real));
        memset(optimizer->slots[i], 0, size * sizeof(real));
    }
}

void optimizer_free(Optimizer *optimizer) {
    for (int i = 0; i < OPTIMIZER_SLOTS; i++) mem_free(optimizer->slots[i]);
    mem_free(optimizer->segments);
    mem_free(optimizer->squares);
    mem_free(optimizer->average);
    *optimizer = (Optimizer){0};
}

void optimizer_keep_average(Optimizer *optimizer, const real *weights) {
    optimizer->average = mem_alloc_aligned(optimizer->size * sizeof(real));
    memcpy(optimizer->average, weights, optimizer->size * sizeof(real));
}

/* ---- slices ---------------------------------------------------------------------------------------------------- */

int optimizer_blocks(const Optimizer *optimizer) { return block_count(optimizer->size); }

size_t optimizer_slice_begin(const Optimizer *optimizer, int k, int count) {
    const size_t begin = (size_t)part_offset(optimizer_blocks(optimizer), count, k) * BLOCK;
    return begin < optimizer->size ? begin : optimizer->size;
}

/* Replaces a flat array by a copy of its slice. */
static void shrink(const Optimizer *o, real **array) {
    if (!*array) return;
    real *slice = mem_alloc_aligned((o->to - o->from + 1) * sizeof(real));
    memcpy(slice, *array + o->from, (o->to - o->from) * sizeof(real));
    mem_free(*array);
    *array = slice;
}

void optimizer_keep_slice(Optimizer *optimizer, int k, int count) {
    CHECK(optimizer->from == 0 && optimizer->to == optimizer->size, "optimizer_keep_slice: it has a slice already");
    optimizer->from = optimizer_slice_begin(optimizer, k, count);
    optimizer->to = optimizer_slice_begin(optimizer, k + 1, count);
    for (int i = 0; i < OPTIMIZER_SLOTS; i++) shrink(optimizer, &optimizer->slots[i]);
    shrink(optimizer, &optimizer->average);
}

/* ---- a step ---------------------------------------------------------------------------------------------------- */

/* w and g point to the first numbers of the slice. */
typedef struct Step {
    const Optimizer *optimizer;
    const real *w, *g;
    real share; /* of the weights in their average */
} Step;

static size_t slice_size(const Optimizer *o) { return o->to - o->from; }

static void square_blocks(void *context, int begin, int end) {
    const Step *step = context;
    const Optimizer *o = step->optimizer;
    for (int block = begin; block < end; block++) {
        const real *g = step->g + (size_t)block * BLOCK;
        o->squares[o->from / BLOCK + (size_t)block] = kernels->dot(block_size(slice_size(o), block), g, g);
    }
}

void optimizer_squares(Optimizer *o, Threads *threads, const real *gradient) {
    Step step = {.optimizer = o, .g = gradient + o->from};
    threads_run(threads, "norm", block_count(slice_size(o)), GRAIN, square_blocks, &step);
}

double optimizer_norm(const Optimizer *o) {
    double square = 0;
    for (int block = 0; block < block_count(o->size); block++) square += o->squares[block];
    return sqrt(square);
}

static void average_blocks(void *context, int begin, int end) {
    const Step *step = context;
    const Optimizer *o = step->optimizer;
    for (int block = begin; block < end; block++) {
        const size_t at = (size_t)block * BLOCK;
        kernels->blend(block_size(slice_size(o), block), o->average + at, step->share, step->w + at);
    }
}

/* The part of a segment that is in the slice; a segment without numbers if there is none. */
static Segment clip_segment(const Optimizer *o, Segment s) {
    const size_t end = s.offset + segment_size(&s);
    if (s.offset >= o->from && end <= o->to) return s;
    const size_t from = s.offset > o->from ? s.offset : o->from, to = end < o->to ? end : o->to;
    return (Segment){from, 1, from < to ? (int)(to - from) : 0, s.kind};
}

void optimizer_update(Optimizer *optimizer, Threads *threads, real *weights, real *gradient, double norm,
                      const StepOptions *options) {
    const double clip = options->clip_norm;
    optimizer->steps++;
    SegmentUpdate update = {.threads = threads,
                            .rate = (real)options->rate,
                            .gradient_scale = (real)(clip > 0 && norm > clip ? clip / norm : 1),
                            .steps = optimizer->steps};
    for (int k = 0; k < optimizer->segment_count; k++) {
        const Segment s = clip_segment(optimizer, optimizer->segments[k]);
        if (segment_size(&s) == 0) continue;
        update.segment = &s;
        update.w = weights + s.offset;
        update.g = gradient + s.offset;
        for (int i = 0; i < optimizer->kind->slots; i++)
            update.slots[i] = optimizer->slots[i] + (s.offset - optimizer->from);
        optimizer->kind->update(&update);
    }
    Step step = {.optimizer = optimizer, .w = weights + optimizer->from};
    step.share = (real)fmax(options->smoothing, (options->eta + 1) / (options->eta + 2 + (double)optimizer->steps));
    if (optimizer->average)
        threads_run(threads, "update", block_count(slice_size(optimizer)), GRAIN, average_blocks, &step);
}

double optimizer_step(Optimizer *optimizer, Threads *threads, real *weights, real *gradient,
                      const StepOptions *options) {
    optimizer_squares(optimizer, threads, gradient);
    const double norm = optimizer_norm(optimizer);
    if (isfinite(norm)) optimizer_update(optimizer, threads, weights, gradient, norm, options);
    else memset(gradient, 0, optimizer->size * sizeof *gradient);
    return norm;
}
