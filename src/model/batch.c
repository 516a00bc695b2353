#include "model/batch.h"
#include "core/base.h"

#include <limits.h>

static int *ints(Arena *arena, int n) { return arena_alloc(arena, (size_t)n * sizeof(int)); }

/* Counting sort is stable. */
int *order_by_length(Arena *arena, const int *length, int n) {
    int longest = 0;
    for (int i = 0; i < n; i++)
        if (length[i] > longest) longest = length[i];
    int *order = ints(arena, n), *place = arena_zalloc(arena, (size_t)(longest + 2) * sizeof(int));
    for (int i = 0; i < n; i++) place[longest - length[i] + 1]++;
    for (int l = 0; l <= longest; l++) place[l + 1] += place[l];
    for (int i = 0; i < n; i++) order[place[longest - length[i]]++] = i;
    return order;
}

Sequences sequences_fold(Arena *arena, const int *const *ids, const int *length, int n) {
    Sequences s = {.n = n};
    long rows = 0;
    for (int i = 0; i < n; i++) {
        CHECK(length[i] > 0, "sequences_fold: sentence %d is empty", i);
        if (length[i] > s.steps) s.steps = length[i];
        rows += length[i];
    }
    if (rows > INT_MAX) mem_refused((size_t)rows * sizeof(int)); /* the batch needs even more */
    s.rows = (int)rows;
    int *order = order_by_length(arena, length, n), *lengths = ints(arena, n), *all = ints(arena, s.rows);
    int *offset = ints(arena, s.steps + 1), at = 0;
    for (int b = 0; b < n; b++) lengths[b] = length[order[b]];
    for (int t = 0; t < s.steps; t++) {
        offset[t] = at;
        for (int b = 0; b < n && lengths[b] > t; b++) all[at++] = ids[order[b]][t];
    }
    offset[s.steps] = at;
    s.order = order;
    s.length = lengths;
    s.offset = offset;
    s.ids = all;
    return s;
}

int sequences_live(const Sequences *s, int t) { return s->offset[t + 1] - s->offset[t]; }
int sequences_row(const Sequences *s, int t, int b) { return s->offset[t] + b; }

WordPositions word_positions(Arena *arena, const Spans *sentences, int n, int rows) {
    int *owner = ints(arena, rows), *position = ints(arena, rows);
    for (int s = 0; s < n; s++)
        for (int j = 0; j < sentences->length[s]; j++) {
            owner[sentences->start[s] + j] = s;
            position[sentences->start[s] + j] = j;
        }
    WordPositions positions = {*sentences, position};
    positions.spans.owner = owner;
    return positions;
}

Source source_fold(Arena *arena, const int *const *ids, const int *length, int n, const int *decoder_order) {
    Source source = {.x = sequences_fold(arena, ids, length, n)};
    const Sequences *x = &source.x;
    int *place = ints(arena, n), *rows = ints(arena, x->rows), at = 0;
    int *start = ints(arena, n), *lengths = ints(arena, n), *first = ints(arena, n), *last = ints(arena, n);
    for (int k = 0; k < n; k++) place[x->order[k]] = k;
    for (int b = 0; b < n; b++) {
        int k = decoder_order ? place[decoder_order[b]] : b;
        start[b] = at;
        lengths[b] = x->length[k];
        first[b] = sequences_row(x, 0, k);
        last[b] = sequences_row(x, x->length[k] - 1, k);
        for (int j = 0; j < x->length[k]; j++) rows[at++] = sequences_row(x, j, k);
    }
    source.spans = (Spans){.start = start, .length = lengths, .longest = x->steps};
    source.rows = rows;
    source.first = first;
    source.last = last;
    return source;
}

/* The identities of the rows of s. The caller's sentence i belongs to the pair index[i], or i without index. */
static const RowId *identify(Arena *arena, const Sequences *s, const int *index) {
    RowId *ids = arena_alloc(arena, (size_t)s->rows * sizeof *ids);
    for (int t = 0; t < s->steps; t++)
        for (int b = 0; b < sequences_live(s, t); b++)
            ids[sequences_row(s, t, b)] = (RowId){index ? index[s->order[b]] : s->order[b], t};
    return ids;
}

static const RowId *identify_annotations(Arena *arena, const Source *source) {
    RowId *ids = arena_alloc(arena, (size_t)source->x.rows * sizeof *ids);
    for (int i = 0; i < source->x.rows; i++) ids[i] = source->words[source->rows[i]];
    return ids;
}

Batch batch_fold(Arena *arena, const int *const *source, const int *source_length, const int *const *target,
                 const int *target_length, int n, const int *index, int bos) {
    Batch batch = {.target = sequences_fold(arena, target, target_length, n)};
    const Sequences *y = &batch.target;
    batch.source = source_fold(arena, source, source_length, n, y->order);
    batch.source.words = identify(arena, &batch.source.x, index);
    batch.source.annotations = identify_annotations(arena, &batch.source);
    batch.words = identify(arena, y, index);
    int *previous = ints(arena, y->rows);
    for (int t = 0; t < y->steps; t++)
        for (int b = 0; b < sequences_live(y, t); b++)
            previous[sequences_row(y, t, b)] = t ? y->ids[sequences_row(y, t - 1, b)] : bos;
    batch.previous = previous;
    return batch;
}

const RowShards *row_shards(Arena *arena, const int *of, int n, int count) {
    RowShards *shards = arena_alloc(arena, sizeof *shards);
    int *start = arena_zalloc(arena, (size_t)(count + 2) * sizeof(int)), *rows = ints(arena, n);
    for (int i = 0; i < n; i++) start[of[i] + 2]++;
    for (int s = 2; s < count + 2; s++) start[s] += start[s - 1];
    for (int i = 0; i < n; i++) rows[start[of[i] + 1]++] = i;
    *shards = (RowShards){count, of, start, rows};
    return shards;
}

/* The shards of the rows of s. The caller's sentence i belongs to shard[i]. */
static const RowShards *sequence_shards(Arena *arena, const Sequences *s, const int *shard, int count) {
    int *of = ints(arena, s->rows);
    for (int t = 0; t < s->steps; t++)
        for (int b = 0; b < sequences_live(s, t); b++) of[sequences_row(s, t, b)] = shard[s->order[b]];
    return row_shards(arena, of, s->rows, count);
}

void batch_shard(Arena *arena, Batch *batch, const int *shard, int count) {
    Source *source = &batch->source;
    source->word_shards = sequence_shards(arena, &source->x, shard, count);
    batch->target_shards = sequence_shards(arena, &batch->target, shard, count);
    int *of = ints(arena, source->x.rows);
    for (int i = 0; i < source->x.rows; i++) of[i] = source->word_shards->of[source->rows[i]];
    source->annotation_shards = row_shards(arena, of, source->x.rows, count);
}
