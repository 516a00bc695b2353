#include "translate/prefix.h"

#include "io/ds.h"
#include "text/unicode.h"

/* ---- chains of ids ---------------------------------------------------------------------------------------------- */

/* Appends the ids of a word to the stb_ds array *ids. As in side_encode, a space mark that the vocabulary lacks is left
   out. */
static int add_word(const Side *side, const Words *word, int **ids, Err *err) {
    char **pieces = NULL;
    int status = 0;
    side_split_word(side, word, &pieces);
    for (ptrdiff_t i = 0; i < arrlen(pieces) && !status; i++) {
        const int id = side_piece_id(side, pieces[i], err);
        if (id >= 0) arrput(*ids, id);
        else if (side->tokenizer.kind == TOKENIZER_NONE || strcmp(pieces[i], SPACE_MARK) != 0) status = -1;
    }
    strings_free(pieces);
    return status;
}

static int check_length(const int *ids, int most, Err *err) {
    if (arrlen(ids) <= most) return 0;
    return err_set(err, NULL, 0, "a prefix of %td pieces, where %d are the limit", arrlen(ids), most);
}

/* ---- the last word ---------------------------------------------------------------------------------------------- */

/* An arc of the last word: the piece `id` covers the bytes from `from` to `to` of the word; to == size: the piece may
   also continue after the end of the word. */
typedef struct WordArc {
    int from, to, id;
} WordArc;

/* The arcs of all pieces that can follow the first `from` bytes of a word: stb_ds array *arcs. */
static void add_arcs(const Side *side, const char *word, int from, WordArc **arcs) {
    const char *rest = word + from;
    const int left = (int)strlen(rest);
    for (int id = ID_SPECIALS; id < vocab_size(side->vocab); id++) {
        const char *piece = vocab_piece(side->vocab, id);
        const int n = (int)strlen(piece);
        const bool ends = starts_with(piece, rest);
        /* without a tokenizer, a word is one piece */
        if (ends || (side->tokenizer.kind != TOKENIZER_NONE && starts_with(rest, piece)))
            arrput(*arcs, ((WordArc){from, ends ? from + left : from + n, id}));
    }
}

/* The arcs of a word whose pieces lead to its end, in order of `from`: a stb_ds array, NULL if the vocabulary cannot
   spell the word. */
static WordArc *arcs_of(const Side *side, const char *word) {
    const size_t size = strlen(word);
    WordArc *arcs = NULL, *useful = NULL;
    bool *reached = mem_zalloc(size + 1), *ends = mem_zalloc(size + 1);
    reached[0] = ends[size] = true;
    for (size_t from = 0; from < size; from++) {
        const ptrdiff_t before = arrlen(arcs);
        if (reached[from]) add_arcs(side, word, (int)from, &arcs);
        for (ptrdiff_t i = before; i < arrlen(arcs); i++) reached[arcs[i].to] = true;
    }
    for (ptrdiff_t i = arrlen(arcs) - 1; i >= 0; i--) ends[arcs[i].from] |= ends[arcs[i].to];
    for (ptrdiff_t i = 0; i < arrlen(arcs); i++)
        if (ends[arcs[i].to]) arrput(useful, arcs[i]);
    arrfree(arcs);
    mem_free(reached);
    mem_free(ends);
    return useful;
}

/* ---- the automaton ---------------------------------------------------------------------------------------------- */

/* Makes the prefix of n ids and then of the m arcs of a last word of `size` bytes. */
static void make(Prefix *prefix, const int *ids, int n, const WordArc *arcs, int m, size_t size) {
    int *state_at = mem_alloc((size + 1) * sizeof *state_at); /* the state at each byte of the last word */
    int *begin = mem_alloc((size_t)(n + m + 1) * sizeof *begin), states = n;
    PrefixArc *all = mem_alloc((size_t)(n + m) * sizeof *all);
    for (int i = 0; i < n; i++) {
        begin[i] = i;
        all[i] = (PrefixArc){ids[i], i + 1};
    }
    for (int i = 0; i < m; i++) {
        if (i > 0 && arcs[i].from == arcs[i - 1].from) continue;
        state_at[arcs[i].from] = states;
        begin[states++] = n + i;
    }
    begin[states] = n + m;
    state_at[size] = states;
    for (int i = 0; i < m; i++) all[n + i] = (PrefixArc){arcs[i].id, state_at[arcs[i].to]};
    *prefix = (Prefix){states, begin, all};
    mem_free(state_at);
}

void prefix_free(Prefix *prefix) {
    mem_free((int *)prefix->begin);
    mem_free((PrefixArc *)prefix->arcs);
    *prefix = (Prefix){0};
}

int prefix_of_pieces(Prefix *prefix, const Side *side, char *const *pieces, int n, int most, Err *err) {
    int *ids = NULL, status = 0;
    *prefix = (Prefix){0};
    for (int i = 0; i < n && !status; i++) {
        const bool end = piece_is_end(pieces[i]);
        const int id = end ? ID_EOS : side_piece_id(side, pieces[i], err);
        arrput(ids, id);
        if (id < 0) status = -1;
        else if (end && i < n - 1) status = err_set(err, NULL, 0, "a prefix with pieces after </s>");
    }
    if (!status) status = check_length(ids, most, err);
    if (!status && n) make(prefix, ids, n, NULL, 0, 0);
    arrfree(ids);
    return status;
}

/* Makes the prefix of a normalised text. spaced: a space follows it. */
static int make_of_text(Prefix *prefix, const Side *side, const char *text, bool spaced, int most, Err *err) {
    int *ids = NULL, status = 0;
    WordArc *arcs = NULL;
    size_t size = 0;
    Words words = words_start(side->tokenizer.kind, text);
    while (!status && words_next(&words)) {
        if (*words.rest || spaced) {
            status = add_word(side, &words, &ids, err);
        } else {
            size = strlen(words.word);
            arcs = arcs_of(side, words.word);
            if (!arcs) status = err_set(err, NULL, 0, "the vocabulary cannot spell '%.100s'", words.word);
        }
    }
    words_end(&words);
    if (!status && spaced && side->tokenizer.kind != TOKENIZER_NONE) {
        size = strlen(SPACE_MARK);
        arcs = arcs_of(side, SPACE_MARK); /* none: the language has no spaces */
    }
    if (!status) status = check_length(ids, most, err);
    if (!status) make(prefix, ids, (int)arrlen(ids), arcs, (int)arrlen(arcs), size);
    arrfree(ids);
    arrfree(arcs);
    return status;
}

int prefix_of_text(Prefix *prefix, const Side *side, const char *text, int most, Err *err) {
    size_t bad;
    *prefix = (Prefix){0};
    char *normal = text_normalise(text, strlen(text), &bad);
    if (!normal) return err_set(err, NULL, 0, "not valid UTF-8 at byte %zu", bad);
    const int status = *normal ? make_of_text(prefix, side, normal, is_blank(utf8_last(text)), most, err) : 0;
    mem_free(normal);
    return status;
}

char *prefix_alone(const Translator *translator, const char *text) {
    return translator_written(translator, text_normalise(text, strlen(text), NULL));
}

/* ---- several sentences ------------------------------------------------------------------------------------------ */

int prefixes_of_texts(Prefixes *prefixes, const Side *side, const char *const *texts, int n, int most, const char *path,
                      Err *err) {
    int status = 0;
    *prefixes = (Prefixes){
        .own = mem_zalloc((size_t)n * sizeof(Prefix)), .list = mem_alloc((size_t)n * sizeof(Prefix *)), .n = n};
    for (int i = 0; i < n && !status; i++) {
        Err why;
        prefixes->list[i] = &prefixes->own[i];
        if (texts[i] && prefix_of_text(&prefixes->own[i], side, texts[i], most, &why))
            status = err_set(err, path, i + 1L, "%s", why.reason);
    }
    return status;
}

void prefixes_free(Prefixes *prefixes) {
    for (int i = 0; i < prefixes->n; i++) prefix_free(&prefixes->own[i]);
    mem_free(prefixes->own);
    mem_free(prefixes->list);
    *prefixes = (Prefixes){0};
}
