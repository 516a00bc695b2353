/* Threads use shared text data and at the same time make their own: with `make config=tsan` the test finds data
   races. */
#include "score/bleu.h"
#include "io/ds.h"
#include "io/lines.h"
#include "io/pair_table.h"
#include "text/side.h"
#include "words.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "lexicons.h"

enum { THREADS = 8, ROUNDS = 20, SENTENCES = 8 };

static char *const chinese[SENTENCES] = {"潮水退了。",
                                         "大家都在海边。",
                                         "谁没穿鞋?",
                                         "他说:\"It is 12:30.\"",
                                         "今天的天气很好,我们去公园吧。",
                                         "这本书有 300 页。",
                                         "",
                                         "潮水退了,才知道谁没穿裤子。"};
static char *const english[SENTENCES] = {"The tide went out.",
                                         "Everyone is by the sea.",
                                         "Who is not wearing shoes?",
                                         "He said: \"It is 12:30.\"",
                                         "The weather is fine today, let's go to the park.",
                                         "This book has 300 pages.",
                                         "",
                                         "When the tide goes out, we know who is not wearing pants."};

static void side_learn_from(Side *side, TokenizerKind kind, char *const *sentences, int merges) {
    side_learn(side, kind, words_of(kind, sentences, SENTENCES), merges, 0);
}

/* Made by one thread before the others start; the others only read it. */
typedef struct Shared {
    Side source, target;
    Lexicon *lexicon;
    int **source_ids, **target_ids; /* of the sentences */
    char *vocab, *merges;           /* the target's data as text */
    double bleu;
    pthread_barrier_t start;
    atomic_int wrong;
} Shared;

/* Encodes all sentences; returns whether the ids are right. */
static bool encodes(const Side *side, char *const *sentences, int *const *right) {
    int **ids = side_encode_all(side, sentences, SENTENCES);
    bool same = true;
    for (int i = 0; i < SENTENCES; i++)
        same = same && arrlen(ids[i]) == arrlen(right[i]) && !memcmp(ids[i], right[i], arrlenu(ids[i]) * sizeof **ids);
    side_ids_free(ids, SENTENCES);
    return same;
}

static bool decodes(const Side *side, const int *ids, const char *sentence) {
    char *text = side_decode(side, ids, (int)arrlen(ids));
    const bool same = !strcmp(text, sentence);
    mem_free(text);
    return same;
}

/* Learns the target side again; returns whether its data as text equals that of the shared one. */
static bool learns(const Shared *shared) {
    Side side;
    side_learn_from(&side, TOKENIZER_BPE, english, 30);
    char *vocab = vocab_format(side.vocab), *merges = bpe_format(side.tokenizer.bpe);
    const bool same = !strcmp(vocab, shared->vocab) && !strcmp(merges, shared->merges);
    mem_free(vocab);
    mem_free(merges);
    side_free(&side);
    return same;
}

/* Makes a table of pairs; returns whether it finds all of them and no other. */
static bool numbers(uint32_t from) {
    enum { MANY = 2000 };
    PairTable table = pair_table_new();
    for (uint32_t i = 0; i < MANY; i++) pair_table_add(&table, from, i * 7919)->number = (int)i + 1;
    bool sound = true;
    for (uint32_t i = 0; i < MANY; i++)
        sound = sound && pair_table_number(&table, from, i * 7919) == (int)i + 1 &&
                pair_table_number(&table, from, i * 7919 + 1) == 0;
    pair_table_free(&table);
    return sound;
}

static bool works(const Shared *s, int round) {
    const char *word = lexicon_find(s->lexicon, "潮水", strlen("潮水"));
    return encodes(&s->source, chinese, s->source_ids) && encodes(&s->target, english, s->target_ids) &&
           decodes(&s->target, s->target_ids[round % SENTENCES], english[round % SENTENCES]) && learns(s) &&
           numbers((uint32_t)round) && word && !strcmp(word, "tide") && !lexicon_find(s->lexicon, "潮", strlen("潮")) &&
           bleu_corpus(english, english, SENTENCES, (BleuOptions){0}).score == s->bleu;
}

static void *work(void *context) {
    Shared *shared = context;
    pthread_barrier_wait(&shared->start);
    for (int round = 0; round < ROUNDS; round++)
        if (!works(shared, round)) shared->wrong++;
    return NULL;
}

/* The source also has larger pieces, so that the threads read every part of a side. */
static void threads_share_what_they_only_read(void **state) {
    (void)state;
    Err err;
    Shared shared = {.lexicon = lexicon_of("潮水\ttide\n海边\tseaside\n", &err)};
    assert_non_null(shared.lexicon);
    side_learn_from(&shared.source, TOKENIZER_CHAR, chinese, 0);
    assert_int_equal(side_learn_subwords(&shared.source, words_of(TOKENIZER_BPE, chinese, SENTENCES), 20, &err), 0);
    side_learn_from(&shared.target, TOKENIZER_BPE, english, 30);
    shared.source_ids = side_encode_all(&shared.source, chinese, SENTENCES);
    shared.target_ids = side_encode_all(&shared.target, english, SENTENCES);
    shared.vocab = vocab_format(shared.target.vocab);
    shared.merges = bpe_format(shared.target.tokenizer.bpe);
    shared.bleu = bleu_corpus(english, english, SENTENCES, (BleuOptions){0}).score;
    assert_true(works(&shared, 0));

    pthread_t threads[THREADS];
    pthread_barrier_init(&shared.start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, &shared), 0);
    for (int i = 0; i < THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(shared.wrong, 0);

    pthread_barrier_destroy(&shared.start);
    side_ids_free(shared.source_ids, SENTENCES);
    side_ids_free(shared.target_ids, SENTENCES);
    mem_free(shared.vocab);
    mem_free(shared.merges);
    side_free(&shared.source);
    side_free(&shared.target);
    lexicon_free(shared.lexicon);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_share_what_they_only_read),
    };
    return cmocka_run_group_tests_name("shared", tests, NULL, NULL);
}
