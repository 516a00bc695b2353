#include "train/parts.h"

/* What the functions below share. */
typedef struct Plan {
    Arena *arena;
    const Workspace *workspace;
    double limit;
    const Pairs *pairs;
    const int *which, *shard; /* [n] of the batch; shard: of all shards */
    int n;
    ShardRange range;
} Plan;

static int *ints(const Plan *p, int n) { return arena_alloc(p->arena, (size_t)n * sizeof(int)); }

/* The shard of each pair: its position modulo the number of shards. Counting sort, as in sequences_fold. */
static const int *shards_of(const Plan *p) {
    int longest = 0;
    for (int i = 0; i < p->n; i++)
        if (p->pairs->target_length[p->which[i]] > longest) longest = p->pairs->target_length[p->which[i]];
    int *shard = ints(p, p->n), *place = arena_zalloc(p->arena, (size_t)(longest + 2) * sizeof(int));
    for (int i = 0; i < p->n; i++) place[longest - p->pairs->target_length[p->which[i]] + 1]++;
    for (int l = 0; l <= longest; l++) place[l + 1] += place[l];
    for (int i = 0; i < p->n; i++) shard[i] = place[longest - p->pairs->target_length[p->which[i]]]++ % p->range.all;
    return shard;
}

/* The pairs of the shards first..first+shards-1 of the range. */
static BatchPart select_shards(const Plan *p, int first, int shards) {
    int *which = ints(p, p->n), *index = ints(p, p->n), *shard = p->shard ? ints(p, p->n) : NULL;
    BatchPart part = {.which = which, .index = index, .shard = shard, .first = first, .shards = shards, .last = true};
    for (int i = 0; i < p->n; i++) {
        const int s = p->shard ? p->shard[i] - p->range.first - first : 0;
        if (s < 0 || s >= shards) continue;
        which[part.n] = p->which[i];
        index[part.n] = i;
        if (shard) shard[part.n] = s;
        part.n++;
    }
    return part;
}

/* The number of parts into which the pairs of a part must be divided. */
static int parts_of(const Plan *p, const BatchPart *part) {
    return p->limit > 0 && part->n > 1 ? workspace_parts(p->workspace, p->limit, p->pairs, part->which, part->n) : 1;
}

/* Whether parts of this many shards fit. */
static bool fits(const Plan *p, int shards) {
    for (int first = 0; first < p->range.count; first += shards) {
        const BatchPart part = select_shards(p, first, shards);
        if (parts_of(p, &part) > 1) return false;
    }
    return true;
}

/* Divides a part into pieces of nearly equal numbers of pairs. Returns the end of the list. */
static BatchPart *divide(const BatchPart *part, int pieces, BatchPart *to) {
    for (int k = 0; k < pieces; k++, to++) {
        const int first = part_offset(part->n, pieces, k);
        *to = *part;
        to->n = part_offset(part->n, pieces, k + 1) - first;
        to->which += first;
        to->index += first;
        if (to->shard) to->shard += first;
        to->last = k == pieces - 1;
    }
    return to;
}

BatchParts parts_plan(Arena *arena, const Workspace *workspace, double limit, const Pairs *pairs, const int *which,
                      int n, ShardRange range) {
    Plan p = {arena, workspace, limit, pairs, which, NULL, n, range};
    int shards = range.count;
    if (range.all > 1) p.shard = shards_of(&p);
    while (shards > 1 && !fits(&p, shards)) shards /= 2;
    BatchParts parts = {.list = arena_alloc(arena, (size_t)(n + range.count) * sizeof *parts.list)};
    BatchPart *end = parts.list;
    for (int first = 0; first < range.count; first += shards) {
        const BatchPart part = select_shards(&p, first, shards);
        end = divide(&part, parts_of(&p, &part), end);
    }
    parts.count = (int)(end - parts.list);
    return parts;
}
