#include "translate/translator.h"
#include "io/ds.h"
#include "text/unicode.h"

/* The list of banned ids starts with <unk> and ends with the pieces with Han characters. So the list without either
   of them is a contiguous part of it. */
static const int always_banned[] = {ID_UNK, ID_PAD, ID_BOS};
enum { ALWAYS_BANNED = sizeof always_banned / sizeof *always_banned };

bool translator_spaces_sentences(const Translator *translator) {
    return !unspaced_language(translator->options.langs[1]);
}

bool translator_writes_han(const Translator *translator) { return han_language(translator->options.langs[1]); }
bool translator_reads_han(const Translator *translator) { return han_language(translator->options.langs[0]); }

char *translator_written(const Translator *translator, char *text) {
    if (translator->target.tokenizer.kind == TOKENIZER_NONE || !chinese_language(translator->options.langs[1]))
        return text;
    char *written = text_full_width(text);
    mem_free(text);
    return written;
}

static int *banned_pieces(const Translator *translator) {
    const Vocab *vocab = translator->target.vocab;
    int *banned = NULL;
    for (int i = 0; i < ALWAYS_BANNED; i++) arrput(banned, always_banned[i]);
    if (translator_writes_han(translator)) return banned;
    for (int id = ID_SPECIALS; id < vocab_size(vocab); id++)
        if (text_has_han(vocab_piece(vocab, id))) arrput(banned, id);
    return banned;
}

void translator_init(Translator *translator) {
    const ModelOptions *o = &translator->options;
    const ModelConfig config = {
        .source_vocab = vocab_size(translator->source.vocab),
        .target_vocab = vocab_size(translator->target.vocab),
        .source_words = translator->source.subwords ? vocab_size(translator->source.subwords->vocab) : 0,
        .arch = arch_at(o->arch),
        .emb = o->dim_emb,
        .rnn = o->dim_rnn,
        .att = o->dim_att,
        .maxout = o->dim_maxout,
        .encoder = encoder_kind_at(o->encoder),
        .attention = attention_kind_at(o->attention),
        .heads = o->heads,
        .depth = o->enc_depth,
        .conditional = o->conditional,
        .decoder_depth = o->dec_depth,
        .ffn = o->dim_ffn,
        .window = o->window,
        .readout_prev = o->readout_prev,
        .tied_embeddings = o->tied_embeddings,
    };
    model_init(&translator->model, &config);
    translator->banned = banned_pieces(translator);
}

void translator_free(Translator *translator) {
    side_free(&translator->source);
    side_free(&translator->target);
    model_free(&translator->model);
    arrfree(translator->banned);
    mem_free(translator->configuration);
    mem_free(translator->recipe);
    about_free(&translator->about);
    *translator = (Translator){0};
}

BeamOptions translator_beam_options(const Translator *translator) {
    CHECK(translator->banned, "a search with a translator that was not begun");
    return (BeamOptions){
        .beam = translator->options.beam_size,
        .normalize = translator->options.normalize,
        .word_penalty = translator->options.word_penalty,
        .length_limit = 3,
        .bos = ID_BOS,
        .eos = ID_EOS,
        .banned = translator->banned,
        .banned_count = (int)arrlen(translator->banned),
    };
}

int translator_banned_han(const Translator *translator) { return (int)arrlen(translator->banned) - ALWAYS_BANNED; }

void translator_allow(const Translator *translator, bool unknown, bool han, BeamOptions *options) {
    options->banned = translator->banned + unknown;
    options->banned_count = (han ? ALWAYS_BANNED : (int)arrlen(translator->banned)) - unknown;
}
