#include "translate/model_options.h"
#include "core/choice.h"
#include "model/model.h"
#include "text/vocab.h"

#include <stddef.h>

#define AT(field) offsetof(ModelOptions, field)
_Static_assert(sizeof(TokenizerKind) == sizeof(int), "an OPTION_CHOICE is as large as an int");

const Option model_option_table[] = {
    {"langs", OPTION_TEXT, 2, AT(langs), 0, 0, NULL, RESUME_FIXED, "zh en", "source and target language"},
    {"tokenizer", OPTION_CHOICE, 2, AT(tokenizer), 0, 0, tokenizer_names, RESUME_FIXED, "char bpe",
     "of each side: char (Han characters; the default for Chinese), bpe (the default for others), or none (the text is "
     "already tokenised)"},
    /* a vocabulary has at least the special ids and one piece */
    {"dim-vocabs", OPTION_INT_OR_ZERO, 2, AT(dim_vocabs), ID_SPECIALS + 1, 1e7, NULL, RESUME_FIXED, "0 0",
     "vocabulary sizes; 0: every piece"},
    {"bpe-merges", OPTION_INT, 2, AT(bpe_merges), 0, 1e7, NULL, RESUME_FIXED, "6000 6000",
     "number of merges to learn, for a bpe side or for source-words"},
    {"source-words", OPTION_SWITCH, 1, AT(source_words), 0, 0, "off|on", RESUME_FIXED, "off",
     "on: represent each character of a char source together with the BPE piece that contains it"},
    {"merges", OPTION_SWITCH, 1, AT(joint_merges), 0, 0, "separate|joint", RESUME_FIXED, "separate",
     "separate: each side learns its merges; joint: both share one list (of the first bpe-merges)"},
    {"dim-emb", OPTION_INT, 1, AT(dim_emb), 1, 65536, NULL, RESUME_FIXED, "256",
     "size of the word embeddings, m in the paper"},
    {"dim-rnn", OPTION_INT, 1, AT(dim_rnn), 1, 65536, NULL, RESUME_FIXED, "512",
     "size of the states of encoder and decoder, n in the paper"},
    {"dim-att", OPTION_INT, 1, AT(dim_att), 1, 65536, NULL, RESUME_FIXED, "512",
     "size of the attention's hidden layer (n' in the paper), or of its queries and keys"},
    {"dim-maxout", OPTION_INT, 1, AT(dim_maxout), 1, 65536, NULL, RESUME_FIXED, "256",
     "maxout units of the readout, l in the paper"},
    {"arch", OPTION_CHOICE, 1, AT(arch), 0, 0, arch_names, RESUME_FIXED, "rnnsearch",
     "rnnsearch, or transformer: self-attention of width dim-emb on both sides"},
    {"encoder", OPTION_CHOICE, 1, AT(encoder), 0, 0, encoder_names, RESUME_FIXED, "bigru",
     "bigru (RNNsearch), deep-bigru (several layers), gru (left to right only), cnn or self-attention"},
    {"enc-depth", OPTION_INT, 1, AT(enc_depth), 1, 64, NULL, RESUME_FIXED, "2",
     "layers of the encoders deep-bigru, cnn and self-attention"},
    {"dec-cell-base-depth", OPTION_SWITCH, 1, AT(conditional), 0, 0, "1|2", RESUME_FIXED, "1",
     "gated units in a step of RNNsearch's decoder: 1, as in the paper, or 2, a conditional GRU"},
    {"dec-depth", OPTION_INT, 1, AT(dec_depth), 1, 64, NULL, RESUME_FIXED, "2", "layers of a Transformer's decoder"},
    {"dim-ffn", OPTION_INT, 1, AT(dim_ffn), 1, 65536, NULL, RESUME_FIXED, "1024",
     "hidden units of self-attention's linear layers"},
    {"window", OPTION_INT, 1, AT(window), 1, 63, NULL, RESUME_FIXED, "3",
     "width of a cnn layer's window, in words; odd"},
    {"attention", OPTION_CHOICE, 1, AT(attention), 0, 0, attention_names, RESUME_FIXED, "additive",
     "additive (RNNsearch), coverage, dot, general, scaled-dot, multi-head or none (RNNencdec: one fixed c)"},
    {"heads", OPTION_INT, 1, AT(heads), 1, 256, NULL, RESUME_FIXED, "8",
     "attention heads; they divide dim-att (multi-head), dim-rnn (self-attention) or dim-emb (transformer)"},
    {"readout-state", OPTION_SWITCH, 1, AT(readout_prev), 0, 0, "current|prev", RESUME_FIXED, "current",
     "state that the readout uses: s_i (current) or s_{i-1} (prev)"},
    {"tied-embeddings", OPTION_SWITCH, 1, AT(tied_embeddings), 0, 0, "off|on", RESUME_FIXED, "off",
     "on: the output layer uses the target embedding; dim-maxout must equal dim-emb"},
    {0}};

const Option search_option_table[] = {
    {"beam-size", OPTION_INT, 1, AT(beam_size), 1, 1000, NULL, RESUME_EXPLICIT, "5", "hypotheses of the beam search"},
    {"normalize", OPTION_REAL, 1, AT(normalize), 0, 10, NULL, RESUME_EXPLICIT, "0.6",
     "divide scores by length to this power"},
    {"word-penalty", OPTION_REAL, 1, AT(word_penalty), -10, 10, NULL, RESUME_EXPLICIT, "0",
     "subtract this from the log-probability for each piece, before the division; negative: favour long translations"},
    {0}};

const Option fitted_option_table[] = {
    {"confidence", OPTION_REAL, 2, AT(confidence), -1000, 1000, NULL, RESUME_EXPLICIT, "0 0",
     "a and b: the confidence of a translation is 1 / (1 + exp(-(a + b m))), m its mean log-probability; 0 0: none"},
    {0}};

const Option *const model_option_tables[] = {model_option_table, search_option_table, fitted_option_table, NULL};

/* ---- languages and pieces ------------------------------------------------------------------------------------- */

bool model_options_source_words(const ModelOptions *options) {
    return options->source_words && options->tokenizer[0] == TOKENIZER_CHAR;
}

/* ---- checks --------------------------------------------------------------------------------------------------- */

static bool is_transformer(const ModelOptions *o) { return o->arch == choice_find(arch_names, "transformer"); }

static const AttentionKind *attention_of(const ModelOptions *o) {
    return is_transformer(o) ? attention_kind("multi-head") : attention_kind_at(o->attention);
}

const char *model_options_attention(const ModelOptions *o) { return attention_of(o)->name; }
bool model_options_align(const ModelOptions *o) { return attention_of(o)->aligns; }

/* Checks that the heads divide the size of option `name`. kind: the option, with its value, that needs this. */
static int check_heads(const char *kind, const char *name, int size, int heads, Err *err) {
    if (size % heads == 0) return 0;
    return err_set(err, NULL, 0, "%s needs %s to be a multiple of heads %d, not %d", kind, name, heads, size);
}

static int check_rnnsearch(const ModelOptions *o, Err *err) {
    if (o->tied_embeddings && o->dim_maxout != o->dim_emb)
        return err_set(err, NULL, 0, "tied-embeddings on needs dim-maxout %d, the value of dim-emb, not %d", o->dim_emb,
                       o->dim_maxout);
    if (o->attention == choice_find(attention_names, "multi-head") &&
        check_heads("attention multi-head", "dim-att", o->dim_att, o->heads, err))
        return -1;
    if (o->encoder == choice_find(encoder_names, "self-attention") &&
        check_heads("encoder self-attention", "dim-rnn", o->dim_rnn, o->heads, err))
        return -1;
    if (o->window % 2 == 0) return err_set(err, NULL, 0, "window must be odd, not %d", o->window);
    return 0;
}

/* An option's values as text. */
static const char *text_of(const ModelOptions *o, const char *name, char text[OPTION_FORMAT_SIZE]) {
    option_format(option_find(model_option_tables, name), o, text);
    return text;
}

int model_options_check(const ModelOptions *o, Err *err) {
    char text[OPTION_FORMAT_SIZE];
    for (int i = 0; i < 2; i++)
        if (o->joint_merges && o->tokenizer[i] != TOKENIZER_BPE)
            return err_set(err, NULL, 0, "merges joint needs tokenizer bpe bpe, not %s", text_of(o, "tokenizer", text));
    return is_transformer(o) ? check_heads("arch transformer", "dim-emb", o->dim_emb, o->heads, err)
                             : check_rnnsearch(o, err);
}

int model_options_check_effect(const ModelOptions *o, Err *err) {
    ModelOptions usual = {0};
    char text[OPTION_FORMAT_SIZE];
    int length;
    options_default(model_option_tables, &usual);
    if (o->source_words && !model_options_source_words(o)) {
        const char *kind = choice_name(tokenizer_names, (int)o->tokenizer[0], &length);
        return err_set(err, NULL, 0, "--source-words on needs --tokenizer char for the source, not %.*s", length, kind);
    }
    const char *of_rnnsearch = o->encoder != usual.encoder             ? "encoder"
                               : o->attention != usual.attention       ? "attention"
                               : o->readout_prev != usual.readout_prev ? "readout-state"
                                                                       : NULL;
    if (is_transformer(o) && of_rnnsearch)
        return err_set(err, NULL, 0, "--%s %s needs --arch rnnsearch; it has no effect on a Transformer", of_rnnsearch,
                       text_of(o, of_rnnsearch, text));
    return 0;
}
