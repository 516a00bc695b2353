/* Fuzz target: the prefix of a translation, from text. The first byte chooses the tokenizer, the second the way through
   the prefix; the rest is the text. Every way spells a text that begins with the given one. */
#include "fuzz.h"
#include "translate/prefix.h"
#include "words.h"

enum { MOST = 200, KINDS = 3 };

static char *const texts[] = {"The tide went out, and I don't know who's wearing \\ or ▁ 12 shoes.",
                              "A b c d e f g h i j k l m n o p q r s t u v w x y z", "潮水 退了,才知道谁没穿裤子。",
                              "\" - ? ! ü e\u0301"};

static const Side *side_of(int kind) {
    static Side sides[KINDS];
    if (!sides[kind].vocab)
        side_learn(&sides[kind], (TokenizerKind)kind, words_of((TokenizerKind)kind, texts, 4), 30, 0);
    return &sides[kind];
}

/* The text of one way through the prefix. Advances `step` at each state. */
static char *walk(const Prefix *prefix, const Side *side, unsigned step) {
    char **pieces = NULL;
    for (int state = 0; state < prefix->states;) {
        const int begin = prefix->begin[state], n = prefix->begin[state + 1] - begin;
        CHECK(n > 0, "state %d of %d has no arc", state, prefix->states);
        const PrefixArc *arc = &prefix->arcs[begin + (int)(step % (unsigned)n)];
        CHECK(arc->next > state && arc->next <= prefix->states, "from state %d to %d", state, arc->next);
        arrput(pieces, (char *)vocab_piece(side->vocab, arc->id));
        state = arc->next;
        step = step * 1664525u + 1013904223u;
    }
    char *text = tokenizer_join(side->tokenizer.kind, pieces, (int)arrlen(pieces));
    arrfree(pieces);
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 2 || size > 2000) return 0;
    const Side *side = side_of(data[0] % KINDS);
    char *text = bytes_text(data + 2, size - 2), *normal = text_normalise(text, strlen(text), NULL);
    Prefix prefix = {0};
    Err err;
    if (normal && !prefix_of_text(&prefix, side, text, MOST, &err)) {
        char *found = walk(&prefix, side, data[1]);
        CHECK(starts_with(found, normal), "'%s' does not begin with '%s'", found, normal);
        mem_free(found);
    }
    prefix_free(&prefix);
    mem_free(normal);
    mem_free(text);
    return 0;
}
