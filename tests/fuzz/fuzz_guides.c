/* Fuzz target: reads the links of three sentence pairs for guided attention. Checks that every accepted link joins
   existing pieces, and that links are sorted by target piece, then by source piece, as a batch requires. */
#include "fuzz.h"
#include "train/guides.h"
#include "scratch.h"

/* The training data; made once for all inputs. */
typedef struct Setting {
    DiskCorpus corpus;
    Side source, target;
    Pairs pairs;
} Setting;

static void learn(Setting *s, Err *err) {
    static const TokenizerKind kinds[] = {TOKENIZER_CHAR, TOKENIZER_BPE};
    Side *const sides[] = {&s->source, &s->target};
    WordCounts words[2] = {0};
    DiskPair pair;
    CHECK(!disk_corpus_rewind(&s->corpus, err), "%s", err->reason);
    while (disk_corpus_next(&s->corpus, &pair, err) > 0)
        for (int i = 0; i < 2; i++) words_count(&words[i], kinds[i], pair.text[i]);
    for (int i = 0; i < 2; i++) side_learn(sides[i], kinds[i], words[i], 0, 0);
}

static Setting *setting(void) {
    static Setting s;
    if (s.pairs.n) return &s;
    static const char zh[] = "潮水 退了\n海\n谁 没 穿\n", en[] = "tide out\nsea\nwho is not\n";
    FuzzFile files[2] = {memory_file(zh, strlen(zh)), memory_file(en, strlen(en))};
    Err err;
    CHECK(!disk_corpus_open(&s.corpus, scratch_folder(), false, &err) &&
              !disk_corpus_read(&s.corpus, open_line_corpus(files[0].path, files[1].path, &err), "pairs", NULL, NULL,
                                &err),
          "%s", err.reason);
    learn(&s, &err);
    CHECK(!pairs_encode(&s.pairs, &s.corpus, NULL, &s.source, &s.target, 0, scratch_folder(), NULL, NULL, &err), "%s",
          err.reason);
    for (int i = 0; i < 2; i++) memory_file_close(&files[i]);
    return &s;
}

/* Returns the n links of pair i as source, target, source, target ...; release with mem_free. */
static int *links_of(const Guides *guides, int i, int *n) {
    int *numbers = mem_alloc(records_length(&guides->links, i) * sizeof *numbers);
    Err err;
    CHECK(!records_read(&guides->links, i, numbers, &err), "%s", err.reason);
    *n = (int)records_length(&guides->links, i) / 2;
    return numbers;
}

/* Checks the links of a pair; returns their number. */
static int links_check(const Guides *guides, int pair, int n_source, int n_target) {
    int n, *links = links_of(guides, pair, &n);
    for (const int *link = links; link < links + 2L * n; link += 2) {
        const bool null = guides->null && link[0] == n_source - 1 && link[1] < n_target;
        CHECK(null || (link[0] >= 0 && link[0] < n_source - 1 && link[1] >= 0 && link[1] < n_target - 1),
              "the link %d-%d of %d and %d pieces", link[0], link[1], n_source, n_target);
        CHECK(link == links || link[-1] < link[1] || (link[-1] == link[1] && link[-2] < link[0]),
              "%d-%d stands before %d-%d", link[-2], link[-1], link[0], link[1]);
    }
    mem_free(links);
    return n;
}

static void batch_check(const Guides *guides, const Pairs *pairs, int all) {
    static const int which[] = {0, 1, 2};
    Arena arena = {0};
    Batch batch;
    Guide guide;
    Err err;
    CHECK(!pairs_fold(&arena, pairs, which, NULL, pairs->n, NULL, &batch, &err), "%s", err.reason);
    CHECK(!guides_fold(&arena, guides, which, &batch.target, &guide, &err), "%s", err.reason);
    CHECK(guide.begin[0] == 0 && guide.begin[batch.target.rows] == all, "%d links of %d",
          guide.begin[batch.target.rows], all);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Setting *s = setting();
    FuzzFile file = memory_file(data, size);
    Err err = {0};
    Guides guides;
    int status = guides_read(&guides, file.path, &s->corpus, &s->pairs, &s->source, &s->target, scratch_folder(),
                             size % 2 == 1, &err),
        all = 0;
    const int n = (int)arrlen(guides.links.ends);
    CHECK(status ? err.reason[0] && !n : n == s->pairs.n, "status %d with %d", status, n);
    for (int i = 0; i < n; i++) all += links_check(&guides, i, s->pairs.source_length[i], s->pairs.target_length[i]);
    if (!status) batch_check(&guides, &s->pairs, all);
    guides_free(&guides);
    memory_file_close(&file);
    return 0;
}
