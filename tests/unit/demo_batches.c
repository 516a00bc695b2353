/* usage: demo_batches write CORPUS.tsv PRESET.conf FILE
          demo_batches hash STATE
   For the tests on other machines, which have no library for text (see tests/lib/elsewhere.inc). `write` reads a corpus
   as `tide train --tsv CORPUS.tsv --config PRESET.conf` does, and writes the model's sizes, the options, and the first
   batches as numbers, for demo_start.c. `hash` prints the first link of the chain (train/chain.h) for the numbers of a
   checkpoint, which demo_start wrote. */
#include "core/optimizer.h"
#include "io/files.h"
#include "train/chain.h"
#include "scratch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static int go_on(void *context, long done, long all) {
    (void)context, (void)done, (void)all;
    return 0;
}

static void need(int status, const Err *err) {
    if (!status) return;
    fprintf(stderr, "%s: %s\n", err->path, err->reason);
    exit(1);
}

static void write_pair(FILE *out, const Pairs *pairs, int pair) {
    Err err;
    const int n = pairs->source_length[pair] + pairs->target_length[pair];
    int *ids = mem_alloc(records_length(&pairs->ids, pair) * sizeof *ids);
    need(records_read(&pairs->ids, pair, ids, &err), &err);
    fprintf(out, "%d %d", pairs->source_length[pair], pairs->target_length[pair]);
    for (int i = 0; i < n; i++) fprintf(out, " %d", ids[i]);
    fputc('\n', out);
    mem_free(ids);
}

static void write_start(FILE *out, const Data *data, const TrainOptions *o, const ModelConfig *c) {
    CHECK(!c->arch || !strcmp(attention_kind_at(o->model.attention)->name, "additive"),
          "another model than the demo's");
    fprintf(out, "%d %d %d %d %d %d %d\n", c->source_vocab, c->target_vocab, c->emb, c->rnn, c->att, c->maxout,
            c->conditional);
    fprintf(out, "%d %d %a %a %a %a %a %a %a\n", (int)o->init, o->seed, o->learn_rate, o->label_smoothing,
            o->dropout.embedding, o->dropout.annotation, o->dropout.readout, o->clip_norm, o->exponential_smoothing);
    const Epoch epoch = epoch_plan(&data->pairs, o->mini_batch, o->maxi_batch, (uint64_t)o->seed, 0);
    CHECK(epoch.batches > CHAIN_FIRST, "an epoch of %d batches", epoch.batches);
    fprintf(out, "%d\n", CHAIN_FIRST);
    for (int k = 0; k < CHAIN_FIRST; k++) {
        fprintf(out, "%d\n", epoch.begin[k + 1] - epoch.begin[k]);
        for (int i = epoch.begin[k]; i < epoch.begin[k + 1]; i++) write_pair(out, &data->pairs, epoch.order[i]);
    }
}

static void write_batches(const char *corpus, const char *preset, const char *path) {
    Err err;
    TrainOptions options;
    const TrainFiles set = {.files = {FORM_TSV, {corpus, NULL}, {0}}, .weight = 1};
    const DataFiles files = {.train = &set, .train_count = 1, .dir = scratch_folder()};
    Data data = {.files = &files, .reads = true, .progress = go_on};
    Translator translator = {0};
    char *text = file_read(preset, NULL, &err);
    need(!text, &err);
    options_default(train_option_tables, &options);
    need(options_read(train_option_tables, &options, text, preset, UNKNOWN_ERROR, &err), &err);
    translator.options = options.model;
    need(data_read(&data, &options.model, &err) || data_learn(&data, &translator, &err), &err);
    translator_init(&translator);
    need(data_encode(&data, &options, &translator, &err), &err);
    FILE *out = file_open(path, "w", &err);
    need(!out, &err);
    write_start(out, &data, &options, &translator.model.config);
    if (fclose(out)) exit(1);
}

static void print_link(const char *path) {
    Err err;
    size_t size;
    char *state = file_read(path, &size, &err), head[64];
    need(!state, &err);
    const int n = snprintf(head, sizeof head, "\nupdate %d\n", CHAIN_FIRST);
    char *all = mem_alloc((size_t)n + size);
    memcpy(all, head, (size_t)n);
    memcpy(all + n, state, size);
    const XXH128_hash_t found = XXH3_128bits(all, (size_t)n + size);
    printf("%016" PRIx64 "%016" PRIx64 "\n", (uint64_t)found.high64, (uint64_t)found.low64);
}

int main(int argc, char **argv) {
    if (argc == 5 && !strcmp(argv[1], "write")) write_batches(argv[2], argv[3], argv[4]);
    else if (argc == 3 && !strcmp(argv[1], "hash")) print_link(argv[2]);
    else return 2;
    return 0;
}
