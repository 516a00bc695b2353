/* Links that attention is to be guided by, for three pairs: of those accepted, each lies between pieces, in the order
   in which a batch takes them. */
#include "fuzz.h"
#include "train/guides.h"

/* Made once. */
typedef struct Setting {
    Corpus corpus;
    Side source, target;
    Pairs pairs;
} Setting;

static const Setting *setting(void) {
    static Setting s;
    if (s.pairs.n) return &s;
    static const char zh[] = "潮水 退了\n海\n谁 没 穿\n", en[] = "tide out\nsea\nwho is not\n";
    MemoryFile files[2] = {memory_file(zh, strlen(zh)), memory_file(en, strlen(en))};
    Err err;
    CHECK(!corpus_read(&s.corpus, reader_lines(files[0].path, files[1].path, &err), "pairs", &err), "%s", err.reason);
    side_learn(&s.source, TOKENIZER_CHAR, s.corpus.source, corpus_size(&s.corpus), 0, 0);
    side_learn(&s.target, TOKENIZER_BPE, s.corpus.target, corpus_size(&s.corpus), 0, 0);
    s.pairs = pairs_encode(&s.corpus, &s.source, &s.target, 0);
    for (int i = 0; i < 2; i++) memory_file_close(&files[i]);
    return &s;
}

static void links_check(const Link *links, int n_source, int n_target) {
    for (ptrdiff_t i = 0; i < arrlen(links); i++) {
        const Link *link = &links[i], *before = i ? link - 1 : NULL;
        CHECK(link->source >= 0 && link->source < n_source - 1 && link->target >= 0 && link->target < n_target - 1,
              "the link %d-%d of %d and %d pieces", link->source, link->target, n_source, n_target);
        CHECK(!before || before->target < link->target ||
                  (before->target == link->target && before->source < link->source),
              "%d-%d stands before %d-%d", before->source, before->target, link->source, link->target);
    }
}

static void batch_check(const Guides *guides, const Pairs *pairs) {
    static const int which[] = {0, 1, 2};
    Arena arena = {0};
    Batch batch = pairs_fold(&arena, pairs, which, pairs->n);
    Guide guide = guides_fold(&arena, guides, which, &batch.target);
    long all = 0;
    for (int i = 0; i < guides->n; i++) all += arrlen(guides->links[i]);
    CHECK(guide.begin[0] == 0 && guide.begin[batch.target.rows] == all, "%d links of %ld",
          guide.begin[batch.target.rows], all);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const Setting *s = setting();
    MemoryFile file = memory_file(data, size);
    Err err = {0};
    Guides guides;
    int status = guides_read(&guides, file.path, &s->corpus, &s->pairs, &s->source, &s->target, &err);
    CHECK(status ? err.reason[0] && !guides.n : guides.n == s->pairs.n, "status %d with %d", status, guides.n);
    for (int i = 0; i < guides.n; i++)
        links_check(guides.links[i], s->pairs.source_length[i], s->pairs.target_length[i]);
    if (!status) batch_check(&guides, &s->pairs);
    guides_free(&guides);
    memory_file_close(&file);
    return 0;
}
