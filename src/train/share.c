#include "train/training.h"
#include "io/ds.h"
#include "io/files.h"
#include "tide.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

/* Compares a number with that of rank 0. */
static int check_same(Ranks *ranks, uint64_t own, const char *what, Err *err) {
    const int count = ranks_count(ranks);
    uint64_t *all = mem_alloc((size_t)count * sizeof *all);
    int status = ranks_gather(ranks, &own, all, sizeof own, true, err);
    for (int r = 1; r < count && !status; r++)
        if (all[r] != all[0]) status = err_set(err, NULL, 0, "rank %d has other %s than rank 0", r, what);
    mem_free(all);
    return status;
}

int share_check_options(Ranks *ranks, const TrainOptions *o, Err *err) {
    char end[256], metrics[OPTION_FORMAT_SIZE];
    char *configuration = options_format(train_option_tables, o);
    option_format(option_find(train_option_tables, "valid-metrics"), o, metrics);
    snprintf(end, sizeof end, "%a %a %d %d %d %d %d %s %s", o->after_epochs, o->after_minutes, o->after_batches,
             o->early_stopping, o->valid_freq, o->save_freq, o->disp_freq, metrics, TIDE_VERSION);
    const uint64_t of_model = XXH3_64bits(configuration, strlen(configuration));
    const uint64_t hash = XXH3_64bits_withSeed(end, strlen(end), of_model);
    mem_free(configuration);
    return check_same(ranks, hash, "options, or another version of tide,", err);
}

/* ---- the state -------------------------------------------------------------------------------------------------- */

/* The state as the bytes of a checkpoint, owned by the caller; NULL with *err filled. */
static char *write_state(const Training *t, size_t *size, Err *err) {
    char path[PATH_SIZE];
    path_in(path, t->job->model, "checkpoint.ranks.safetensors");
    if (checkpoint_write(path, &t->learner, &t->state, err)) return NULL;
    char *bytes = file_read(path, size, err);
    unlink(path);
    return bytes;
}

static int read_state(Training *t, const char *bytes, size_t size, Err *err) {
    Err warning;
    char path[FD_PATH];
    const int fd = file_in_memory(false);
    size_t done = 0;
    while (fd >= 0 && done < size) {
        const ssize_t n = write(fd, bytes + done, size - done);
        if (n < 0 && errno != EINTR) break;
        if (n > 0) done += (size_t)n;
    }
    file_own_path(fd, path);
    int status = done < size ? err_set(err, NULL, 0, "no memory for the state of the training: %s", strerror(errno))
                             : checkpoint_read(path, &t->learner, &t->state, &warning, err);
    if (fd >= 0) close(fd);
    return status;
}

int share_state(Training *t, Err *err) {
    Ranks *ranks = t->ranks;
    struct {
        size_t size;
        int resumed, padding;
    } head = {0};
    char *bytes = NULL;
    if (ranks_count(ranks) == 1) return 0;
    if (ranks_own(ranks) == 0) {
        if (!(bytes = write_state(t, &head.size, err))) return -1;
        head.resumed = t->resumed;
    }
    int status = ranks_broadcast(ranks, RANKS_ALL, &head, sizeof head, err);
    if (!status && !bytes) bytes = mem_alloc(head.size);
    if (!status) status = ranks_broadcast(ranks, RANKS_ALL, bytes, head.size, err);
    if (!status && ranks_own(ranks)) {
        t->resumed = head.resumed;
        status = read_state(t, bytes, head.size, err);
    }
    mem_free(bytes);
    return status;
}

/* ---- data of a machine ------------------------------------------------------------------------------------------ */

/* Copies `bytes` from the first rank of the machine to its other ranks. */
static int share_bytes(Ranks *ranks, void *bytes, size_t size, Err *err) {
    return ranks_broadcast(ranks, RANKS_OF_NODE, bytes, size, err);
}

/* Copies the records of the first rank of the machine to a temporary file of each other rank. */
static int copy_records(Ranks *ranks, Records *records, bool first, Err *err) {
    int block[1 << 14];
    const uint64_t all = arrlen(records->ends) ? arrlast(records->ends) * sizeof *block : 0; /* bytes */
    if (!first && !(records->file = file_temporary(records->dir, err))) return -1;
    for (uint64_t at = 0, n; at < all; at += n) {
        n = all - at < sizeof block ? all - at : sizeof block;
        if (first && file_read_at(fileno(records->file), block, n, (off_t)at))
            return file_temporary_broken(records->dir, err);
        if (share_bytes(ranks, block, n, err)) return -1;
        if (!first && fwrite(block, 1, n, records->file) != n) return file_temporary_broken(records->dir, err);
    }
    return first ? 0 : records_flush(records, err);
}

/* Copies the positions of the records, and opens the temporary file of the first rank of the machine, or copies it. */
static int share_records(Ranks *ranks, Records *records, size_t n, const char *dir, Err *err) {
    char path[FD_PATH] = "";
    const bool first = ranks_own_on_node(ranks) == 0;
    if (first) file_shared_path(fileno(records->file), path);
    else *records = (Records){.dir = mem_strdup(dir)};
    if (share_bytes(ranks, path, sizeof path, err)) return -1;
    if (!first) arrsetlen(records->ends, n);
    if (share_bytes(ranks, records->ends, n * sizeof *records->ends, err)) return -1;
    if (!*path) return copy_records(ranks, records, first, err);
    if (first) return 0;
    records->file = fopen(path, "rb");
    return records->file ? 0
                         : err_set(err, path, 0, "cannot read the training data of another rank on this machine: %s",
                                   strerror(errno));
}

static int share_pairs(Ranks *ranks, Pairs *pairs, const char *dir, Err *err) {
    const bool first = ranks_own_on_node(ranks) == 0;
    struct {
        uint64_t hash;
        int64_t n, dropped, sets;
    } head = {pairs->hash, pairs->n, pairs->dropped_long, arrlen(pairs->sets)};
    if (share_bytes(ranks, &head, sizeof head, err)) return -1;
    const size_t n = (size_t)head.n;
    if (!first) {
        *pairs = (Pairs){.n = (int)n, .hash = head.hash, .dropped_long = (long)head.dropped};
        arrsetlen(pairs->source_length, n);
        arrsetlen(pairs->target_length, n);
        arrsetlen(pairs->line, n);
        arrsetlen(pairs->sets, (size_t)head.sets);
    }
    if (share_bytes(ranks, pairs->source_length, n * sizeof *pairs->source_length, err) ||
        share_bytes(ranks, pairs->target_length, n * sizeof *pairs->target_length, err) ||
        share_bytes(ranks, pairs->line, n * sizeof *pairs->line, err) ||
        share_bytes(ranks, pairs->sets, (size_t)head.sets * sizeof *pairs->sets, err))
        return -1;
    return share_records(ranks, &pairs->ids, n, dir, err);
}

int share_data(Training *t, Err *err) {
    Ranks *ranks = t->ranks;
    Data *data = &t->data;
    if (ranks_count(ranks) == 1) return 0;
    if (ranks_count_on_node(ranks) > 1) {
        if (share_bytes(ranks, &data->guides.hash, sizeof data->guides.hash, err) ||
            share_pairs(ranks, &data->pairs, t->files.dir, err) ||
            (t->files.guides && share_records(ranks, &data->guides.links, (size_t)data->pairs.n, t->files.dir, err)))
            return -1;
    }
    return check_same(ranks, data_hash(data) ^ data->valid_pairs.hash * 31, "training or validation data", err);
}
