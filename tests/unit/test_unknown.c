/* Tests unknown words: the lexicon, the replacement of <unk>, the banned pieces, and what a model can read. */
#include "core/choice.h"
#include "io/ds.h"
#include "text/unicode.h"
#include "io/files.h"
#include "translate/reading.h"
#include "translate/unknown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "lexicons.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static uint64_t rng_state;

static size_t below(size_t n) {
    rng_state = rng_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(rng_state >> 33) % n;
}

/* ---- the lexicon ---------------------------------------------------------------------------------------------- */

static void a_lexicon_is_read_and_normalised(void **state) {
    (void)state;
    Err err;
    Lexicon *l = lexicon_of("\xEF\xBB\xBF北京\tBeijing\r\n\n \r\nＮＹ　Ｃ \t New  York\n茨温利\t茨温利", &err);
    assert_non_null(l);
    assert_string_equal(lexicon_find(l, "北京", strlen("北京")), "Beijing");
    assert_string_equal(lexicon_find(l, "NY C", strlen("NY C")), "New York");
    assert_string_equal(lexicon_find(l, "茨温利", strlen("茨温利")), "茨温利");
    assert_null(lexicon_find(l, "北", strlen("北")));
    assert_int_equal(lexicon_longest(l), strlen("茨温利"));
    lexicon_free(l);
    l = lexicon_of("", &err);
    assert_null(lexicon_find(l, "", strlen("")));
    assert_int_equal(lexicon_longest(l), 0);
    lexicon_free(l);
}

static void the_most_probable_translation_counts(void **state) {
    (void)state;
    Err err;
    Lexicon *l = lexicon_of("海\tsea\t0.25\n海\tocean\t.5\n海\tmarine\t0.5000\n潮\ttide\n潮\ttides\t1\n"
                            "退\tebb\t0\n退\tgo out\n",
                            &err);
    assert_non_null(l);
    assert_string_equal(lexicon_find(l, "海", strlen("海")), "ocean");
    assert_string_equal(lexicon_find(l, "潮", strlen("潮")), "tide");
    assert_string_equal(lexicon_find(l, "退", strlen("退")), "go out");
    lexicon_free(l);
}

static void a_broken_lexicon_is_refused_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *text, *reason;
        long line;
    } broken[] = {
        {"a\tb\nno tab\n", "one tab", 2},        {"a\tb\tc\n", "not a probability", 1},
        {"a\tb\t1\t\n", "one tab", 1},           {"a\tb\t\n", "not a probability", 1},
        {"a\tb\t1.5\n", "not a probability", 1}, {"a\tb\t-0.1\n", "not a probability", 1},
        {"a\tb\t.\n", "not a probability", 1},   {"a\tb\t1e-1\n", "not a probability", 1},
        {"a\tb\n\n\tc\n", "source is empty", 3}, {"a\t \n", "translation is empty", 1},
        {"\n  \t \n", "source is empty", 2},     {"a\tb\nc\td\nａ\te\n", "\"a\" has an entry already", 3},
        {"a\tb\nc\xff\td\n", "UTF-8", 2},
    };
    for (size_t i = 0; i < COUNT(broken); i++) {
        Err err;
        assert_null(lexicon_of(broken[i].text, &err));
        assert_int_equal(err.line, broken[i].line);
        if (!strstr(err.reason, broken[i].reason)) fail_msg("'%s', not '%s'", err.reason, broken[i].reason);
    }
    Err err;
    assert_null(lexicon_read("/nowhere/lexicon", &err));
    assert_string_equal(err.path, "/nowhere/lexicon");
}

/* ---- replacing ------------------------------------------------------------------------------------------------ */

/* Returns a side with these pieces as vocabulary and, for bpe, these merges. */
static Side side_of(const char *kind, const char *merges, char *const *pieces) {
    Err err;
    Side side = {.tokenizer = {.kind = (TokenizerKind)choice_find(tokenizer_names, kind)}};
    if (side.tokenizer.kind == TOKENIZER_BPE) side.tokenizer.bpe = bpe_parse(merges, "merges", &err);
    char **distinct = NULL;
    for (ptrdiff_t i = 0; i < arrlen(pieces); i++) {
        bool known = false;
        for (ptrdiff_t k = 0; k < arrlen(distinct); k++) known = known || !strcmp(distinct[k], pieces[i]);
        if (!known) arrput(distinct, pieces[i]);
    }
    long *counts = mem_zalloc((size_t)arrlen(distinct) * sizeof *counts);
    side.vocab = vocab_build(distinct, counts, (int)arrlen(distinct), 0, false);
    mem_free(counts);
    arrfree(distinct);
    return side;
}

static char **words_of(const char *text) { return tokenizer_split(&(Tokenizer){.kind = TOKENIZER_NONE}, text); }

/* Returns the text of a translation. words are the target pieces; @J means an <unk> that is aligned to source piece
   J. */
static char *replaced(const Translator *t, const char *sentence, char *const *words, const Lexicon *lexicon, bool han) {
    char **source = side_spell(&t->source, sentence); /* </s> last */
    size_t width = arrlenu(source), n = arrlenu(words) + 1;
    int *ids = mem_alloc(n * sizeof *ids);
    float *alpha = mem_zalloc(n * width * sizeof *alpha);
    for (size_t i = 0; i + 1 < n; i++) {
        alpha[i * width + width - 1] = 0.6f; /* </s> */
        bool unknown = words[i][0] == '@' && words[i][1];
        ids[i] = unknown ? ID_UNK : vocab_id(t->target.vocab, words[i]);
        assert_true(unknown == (ids[i] == ID_UNK));
        if (!unknown) continue;
        size_t from = strtoul(words[i] + 1, NULL, 10);
        assert_true(from + 1 < width);
        alpha[i * width + from] = 0.4f;
    }
    ids[n - 1] = ID_EOS;
    Hypothesis h = {.ids = ids, .length = (int)n, .alpha = alpha};
    char *text = unknown_replace(t, sentence, &h, lexicon, han);
    mem_free(ids);
    mem_free(alpha);
    strings_free(source);
    return text;
}

static Translator translator_of(const char *source, const char *merges, const char *target, const char *lang,
                                char *const *words) {
    char **space = words_of("▁"); /* the only known source piece; an unknown space mark would be left out */
    Translator t = {.source = side_of(source, merges, space), .target = side_of(target, "", words)};
    strings_free(space);
    snprintf(t.options.langs[1], sizeof t.options.langs[1], "%s", lang);
    return t;
}

static const char *const ENTRIES = "北京\tBeijing\n北\tNorth\n京北\tJingbei\n北京大学\tPeking  University\n"
                                   "Zwing\tno\nZwingli\t茨温利\nto Zwingli\t对茨温利\n鞋\t(a\\b▁c)\n3\tthree\n";

typedef struct Case {
    const char *source, *target, *lang, *sentence, *words;
    bool lexicon, han;
    const char *text;
} Case;

static const Case cases[] = {
    /* Han without an entry, forbidden and allowed; Han with an entry */
    {"char", "bpe", "en", "我在北京。", "▁I ▁am ▁in @2 .", false, false, "I am in."},
    {"char", "bpe", "en", "我在北京。", "▁I ▁am ▁in @2 .", false, true, "I am in 北."},
    {"char", "bpe", "en", "我在北京。", "▁I ▁am ▁in @2 .", true, false, "I am in Beijing."},
    {"char", "bpe", "en", "我在北京。", "▁I ▁am ▁in @3 .", true, false, "I am in Beijing."},
    {"char", "bpe", "en", "我在上海。", "▁I ▁am ▁in @3 .", true, false, "I am in."},
    {"char", "bpe", "en", "我在上海。", "▁I ▁am @2 ing .", true, false, "I am ing."},
    {"char", "bpe", "en", "我", "@0", false, false, ""},
    {"none", "bpe", "en", "我 T恤", "▁a @1 .", false, false, "a."},
    {"char", "char", "zh-Hant", "我在上海。", "我 在 @2 @3 。", false, false, "我在上海。"},
    /* the longest entry; the same word twice; the same entry elsewhere */
    {"char", "bpe", "en", "在北京大学", "▁at @1", true, false, "at Peking University"},
    {"char", "bpe", "en", "在北京大学", "▁at @4 ▁now", true, false, "at Peking University now"},
    {"char", "bpe", "en", "北京", "@0 @1 .", true, false, "Beijing."},
    {"char", "bpe", "en", "北京", "@0 ▁and @1 .", true, false, "Beijing and Beijing."},
    {"char", "bpe", "en", "北京 北京", "@0 @4 .", true, false, "Beijing Beijing."},
    {"char", "bpe", "en", "北京 北京", "@0 @2 .", true, false, "Beijing."},
    {"char", "bpe", "en", "京北京", "@1 .", true, false, "Jingbei."},
    {"char", "bpe", "en", "去北 京", "▁go @1", true, false, "go North"},
    /* spaces in bpe text */
    {"char", "bpe", "en", "我爱Zwingli。", "▁I ▁love @2 's ▁book", false, false, "I love Zwingli's book"},
    {"char", "bpe", "en", "我爱Zwingli。", "@2 is ▁here , ▁( @2 ) ▁and ▁\" @2 \" .", false, false,
     "Zwingli is here, (Zwingli) and \"Zwingli\"."},
    {"char", "bpe", "en", "我爱Zwingli。", "▁well @3", false, false, "well。"},
    {"char", "bpe", "en", "3, 4", "▁a @0 4", true, false, "a three 4"},
    {"char", "bpe", "en", "鞋", "▁a @0", true, false, "a (a\\b▁c)"},
    /* a bpe word: the text between spaces without outer punctuation; entries do not match inside it */
    {"bpe", "char", "zh", "I met Zwingli.", "我 见 @8 。", false, false, "我见Zwingli。"},
    {"bpe", "char", "zh", "I met Zwingli.", "我 见 @7 @13 。", false, false, "我见Zwingli。"},
    {"bpe", "char", "zh", "I met Zwingli.", "我 见 @6 。", false, false, "我见Zwingli。"},
    {"bpe", "char", "zh", "I met Zwingli.", "我 见 @14", false, false, "我见."},
    {"bpe", "char", "zh", "I met Zwingli.", "我 见 @9 。", true, false, "我见茨温利。"},
    {"bpe", "char", "zh", "to Zwingli's", "@5 。", true, false, "对茨温利。"},
    {"bpe", "char", "zh", "to Zwing", "@5 。", true, false, "no。"},
    {"bpe", "char", "zh", "Zwinglian", "@5 。", true, false, "Zwinglian。"},
    {"bpe", "char", "zh", "\"e-mail\", 3.14?", "@5", true, false, "e-mail"},
    {"bpe", "char", "zh", "\"e-mail\", 3.14?", "@12", false, false, "3.14"},
    {"bpe", "char", "zh", "\"e-mail\", 3.14?", "@11", true, false, "three"},
    {"bpe", "char", "zh", "\"e-mail\", 13.14?", "@12", true, false, "13.14"},
    {"bpe", "bpe", "en", "我在北京大 3", "@3", true, false, "Beijing"},
    /* text that was tokenised before */
    {"none", "none", "en", "a b 北京", "x @1 y", false, false, "x b y"},
    {"none", "none", "en", "a b 北京", "x @2 @1 y", true, false, "x Beijing b y"},
    {"none", "none", "en", "go to Zwingli ▁", "x @1 @3 y", true, false, "x 对茨温利 ▁ y"},
    {"none", "char", "zh", "\\_ \\ ▁", "@0 我 @1 @2", false, false, "\\_我\\▁"},
};

static void every_unknown_word_is_replaced(void **state) {
    (void)state;
    Err err;
    Lexicon *lexicon = lexicon_of(ENTRIES, &err);
    assert_non_null(lexicon);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const Case *c = &cases[i];
        char **words = words_of(c->words);
        Translator t = translator_of(c->source, "", c->target, c->lang, words);
        char *text = replaced(&t, c->sentence, words, c->lexicon ? lexicon : NULL, c->han);
        if (strcmp(text, c->text) != 0) fail_msg("%s, %s: '%s', not '%s'", c->sentence, c->words, text, c->text);
        mem_free(text);
        translator_free(&t);
        strings_free(words);
    }
    lexicon_free(lexicon);
}

/* Entries of a single byte, the shortest ones. */
static void an_entry_may_be_one_letter(void **state) {
    (void)state;
    Err err;
    Lexicon *lexicon = lexicon_of("3\tthree\nb\tB\n", &err);
    char **words = words_of("@0 @4 ▁and @2");
    Translator t = translator_of("char", "", "bpe", "en", words);
    char *text = replaced(&t, "3 a b", words, lexicon, false);
    assert_string_equal(text, "three B and a");
    mem_free(text);
    lexicon_free(lexicon);
    translator_free(&t);
    strings_free(words);
}

/* Pieces of several letters: a word is replaced as a whole, however it is split. */
static void a_word_is_whole_however_it_is_cut(void **state) {
    (void)state;
    char **words = words_of("@3");
    Translator t = translator_of("bpe", "▁ Z\nw i\nl i\n▁Z wi\n", "char", "zh", words);
    char *text = replaced(&t, "a Zwingli.", words, NULL, false); /* ▁ a ▁Zwi n g li . */
    assert_string_equal(text, "Zwingli");
    mem_free(text);
    translator_free(&t);
    strings_free(words);
}

/* ---- generated text ------------------------------------------------------------------------------------------- */

static char *random_text(const char *const *snippets, size_t count, size_t n) {
    char text[1024] = "";
    for (; n > 0; n--) strcat(text, snippets[below(count)]);
    return text_normalise(text, strlen(text), NULL);
}

/* Without <unk>, the text is that of the side. With <unk>, the text has no <unk>, no Han and no double space. */
static void texts_stay_well_formed(void **state) {
    (void)state;
    static const char *const kinds[] = {"char", "bpe", "none"};
    static const char *const from[] = {"潮", "水", "a", "bc", "1", "2", " ", ".", "\"", "(", "▁", "\\", "é", "'s", "-"};
    static const char *const to[] = {"a", "bc", "1", " ", " ", ".", "\"", "(", ")", "▁", "\\", "'s", "-", "ж"};
    rng_state = 3;
    for (int i = 0; i < 3000; i++) {
        char *source = random_text(from, COUNT(from), 1 + below(20)), *target = random_text(to, COUNT(to), below(20));
        const char *kind = kinds[below(3)];
        Tokenizer cut = {.kind = (TokenizerKind)choice_find(tokenizer_names, kind),
                         .bpe = bpe_parse("", "merges", NULL)};
        char **words = tokenizer_split(&cut, target);
        Translator t = translator_of(kinds[below(3)], "▁ a\nb c\n", kind, "en", words);
        char *plain = replaced(&t, source, words, NULL, false);
        assert_string_equal(plain, target);
        char **pieces = side_spell(&t.source, source);
        const size_t places = arrlenu(pieces) - 1;
        for (ptrdiff_t k = 0; k < arrlen(words) && places > 0; k++) {
            if (below(3)) continue;
            char name[32];
            snprintf(name, sizeof name, "@%zu", below(places));
            mem_free(words[k]);
            words[k] = mem_strdup(name);
        }
        char *text = replaced(&t, source, words, NULL, false);
        assert_false(text_has_han(text));
        assert_null(strstr(text, "<unk>"));
        assert_null(strstr(text, "  "));
        mem_free(text);
        mem_free(plain);
        strings_free(pieces);
        strings_free(words);
        bpe_free(cut.bpe);
        translator_free(&t);
        mem_free(source);
        mem_free(target);
    }
}

enum { HAN = 3 }; /* bytes of a Han character */

/* Finds by brute force the longest lexicon entry that covers character j of the sentence; writes its translation to
   best. */
static void longest_entry(const Lexicon *lexicon, const char *sentence, size_t j, char best[64]) {
    char part[64];
    *best = '\0';
    for (size_t begin = 0; begin <= j; begin++)
        for (size_t end = j + 1; end <= strlen(sentence) / HAN; end++) {
            snprintf(part, sizeof part, "%.*s", (int)((end - begin) * HAN), sentence + begin * HAN);
            const char *entry = lexicon_find(lexicon, part, strlen(part));
            if (entry && strlen(entry) > strlen(best)) strcpy(best, entry);
        }
}

static const char *const characters[] = {"甲", "乙", "丙"};

/* Makes a lexicon of up to a dozen entries such as 甲乙 <甲乙>. */
static Lexicon *random_lexicon(void) {
    char list[1024] = "", line[64], *at = list;
    for (size_t k = below(12); k > 0; k--) {
        char *source = random_text(characters, COUNT(characters), 1 + below(4));
        snprintf(line, sizeof line, "%s\t", source);
        if (!strstr(list, line))
            at += sprintf(at, "%s<%s>\n", line, source); /* leaves out a line that ends another line */
        mem_free(source);
    }
    Err err;
    return lexicon_of(list, &err);
}

static void the_longest_entry_is_found(void **state) {
    (void)state;
    rng_state = 4;
    for (int i = 0; i < 500; i++) {
        Lexicon *lexicon = random_lexicon();
        char *sentence = random_text(characters, COUNT(characters), 1 + below(12)), best[64], name[32];
        size_t j = below(strlen(sentence) / HAN), bpe = below(2);
        longest_entry(lexicon, sentence, j, best);
        snprintf(name, sizeof name, "@%zu", j + bpe); /* the first piece of bpe is a space mark */
        char **words = words_of(name);
        Translator t = translator_of(bpe ? "bpe" : "char", "", "none", "en", words);
        char *text = replaced(&t, sentence, words, lexicon, false);
        if (strcmp(text, best) != 0) fail_msg("%s at %zu: '%s', not '%s'", sentence, j, text, best);
        mem_free(text);
        mem_free(sentence);
        strings_free(words);
        translator_free(&t);
        lexicon_free(lexicon);
    }
}

/* ---- banned pieces -------------------------------------------------------------------------------------------- */

static bool is_banned(const BeamOptions *o, int id) {
    for (int i = 0; i < o->banned_count; i++)
        if (o->banned[i] == id) return true;
    return false;
}

static void check_banned(const Translator *t, const BeamOptions *o, bool unknown, bool han) {
    for (int id = 0; id < vocab_size(t->target.vocab); id++) {
        bool special = id == ID_PAD || id == ID_BOS || (id == ID_UNK && !unknown);
        bool expected = special || (!han && text_has_han(vocab_piece(t->target.vocab, id)));
        if (is_banned(o, id) != expected) fail_msg("%s: %d", vocab_piece(t->target.vocab, id), is_banned(o, id));
    }
}

static void han_is_banned_where_it_is_not_written(void **state) {
    (void)state;
    static const struct {
        const char *lang;
        bool han;
    } langs[] = {{"en", false}, {"de", false}, {"zh", true},  {"zh-Hant", true}, {"ZH_TW", true}, {"cmn", true},
                 {"yue", true}, {"lzh", true}, {"wuu", true}, {"ja", true},      {"jpn", true},   {"ko", true}};
    for (size_t i = 0; i < COUNT(langs); i++) {
        char **words = words_of("海 a 山b ▁〇 b 。 か");
        Translator t = translator_of("char", "", "bpe", langs[i].lang, words);
        char lang[16];
        snprintf(lang, sizeof lang, "%s", langs[i].lang);
        options_default(model_option_tables, &t.options);
        memcpy(t.options.langs[1], lang, sizeof lang);
        translator_init(&t);
        BeamOptions o = translator_beam_options(&t);
        assert_int_equal(translator_writes_han(&t), langs[i].han);
        assert_int_equal(translator_banned_han(&t), langs[i].han ? 0 : 3);
        check_banned(&t, &o, false, langs[i].han);
        for (int k = 0; k < 4; k++) {
            translator_allow(&t, k & 1, k & 2, &o);
            check_banned(&t, &o, k & 1, langs[i].han || (k & 2));
        }
        translator_free(&t);
        strings_free(words);
    }
}

/* ---- what a model can read -------------------------------------------------------------------------------------- */

/* Reads sentences with a source of this kind that knows `words`, and checks the spans, as "begin-end text|...". */
static void what_is_unknown_has_spans(void **state) {
    (void)state;
    static const struct {
        const char *kind, *lang, *words, *sentence, *spans;
        bool foreign, nothing;
    } readings[] = {
        {"char", "zh", "我 爱 。 ▁ Tom 1", "我爱龘龘。", "2-4 龘龘|", false, false},
        {"char", "zh", "我 爱 。 ▁ Tom 1", "龘我Zwölf𠀀", "0-1 龘|2-8 Zwölf𠀀|", false, false},
        {"char", "zh", "我 爱 。 ▁ Tom 1", "龘 龘 我", "0-3 龘 龘|", false, false},
        {"char", "zh", "我 爱 。 Tom 1", "龘 我 龘", "0-1 龘|4-5 龘|", false, false},
        {"char", "zh", "我 爱 。 ▁ Tom 1", "Tom was", "0-7 Tom was|", true, false},
        {"char", "zh", "我 爱 。 ▁ Tom 1", "was。", "0-4 was。|", true, true},
        {"char", "zh", "我 爱 。 ▁ Tom 1", "龘 龘", "0-3 龘 龘|", true, true},
        {"char", "zh", "我 爱 。 ▁ Tom 1", "1 龘", "0-3 1 龘|", true, false},
        {"char", "zh", "我 爱 。 ▁ Tom 1", "。。", "", false, false},
        {"char", "zh", "我 爱 。 ▁ Tom 1", "", "", false, false},
        {"char", "zh", "我 爱 。 ▁ Tom 1", "▁\\我", "0-2 ▁\\|", false, false},
        {"char", "zh", "我 爱 。 ▁ Tom 1", "😀。", "0-1 😀|", false, true},
        {"bpe", "en", "a ▁a b .", "a ba. cь", "6-8 cь|", false, false},
        {"bpe", "en", "a ▁a b .", "Привет .", "0-8 Привет .|", true, true},
        {"bpe", "en", "a ▁a b .", "我", "0-1 我|", true, true},
        {"none", "en", "a b", "a \\_ b", "2-4 \\_|", false, false},
    };
    for (size_t i = 0; i < COUNT(readings); i++) {
        char **words = words_of(readings[i].words);
        Translator t = {.source = side_of(readings[i].kind, "", words)};
        snprintf(t.options.langs[0], sizeof t.options.langs[0], "%s", readings[i].lang);
        Reading r = reading_of(&t, readings[i].sentence);
        int *ids = side_encode(&t.source, readings[i].sentence);
        MemoryFile memory;
        FILE *out = memory_open(&memory);
        for (ptrdiff_t k = 0; k < arrlen(r.spans); k++) {
            char *text = text_span(readings[i].sentence, r.spans[k]);
            fprintf(out, "%d-%d %s|", r.spans[k].begin, r.spans[k].end, text);
            mem_free(text);
        }
        char *spans = memory_close(&memory, NULL);
        if (strcmp(spans, readings[i].spans) != 0 || r.foreign != readings[i].foreign ||
            reads_nothing(&t.source, ids) != readings[i].nothing)
            fail_msg("%s '%s': %s, foreign %d, nothing %d", readings[i].kind, readings[i].sentence, spans, r.foreign,
                     reads_nothing(&t.source, ids));
        mem_free(spans);
        arrfree(ids);
        reading_free(&r);
        side_free(&t.source);
        strings_free(words);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lexicon_is_read_and_normalised),
        cmocka_unit_test(the_most_probable_translation_counts),
        cmocka_unit_test(a_broken_lexicon_is_refused_with_its_line),
        cmocka_unit_test(every_unknown_word_is_replaced),
        cmocka_unit_test(an_entry_may_be_one_letter),
        cmocka_unit_test(a_word_is_whole_however_it_is_cut),
        cmocka_unit_test(texts_stay_well_formed),
        cmocka_unit_test(the_longest_entry_is_found),
        cmocka_unit_test(han_is_banned_where_it_is_not_written),
        cmocka_unit_test(what_is_unknown_has_spans),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
