#include "train/options.h"
#include "model/model.h"
#include "text/unicode.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define AT(field) offsetof(Options, field)

const Option option_table[] = {
    {"langs", OPTION_TEXT, 2, AT(langs), 0, 0, NULL, BOUND, "zh en", "source and target language"},
    {"tokenizer", OPTION_TEXT, 2, AT(tokenizer), 0, 0, "char|bpe|none", BOUND, "char bpe",
     "of each side: char (Han characters), bpe, none (text is tokenised already)"},
    {"dim-vocabs", OPTION_INT, 2, AT(dim_vocabs), 0, 1e7, NULL, BOUND, "0 0", "vocabulary sizes; 0: every piece"},
    {"bpe-merges", OPTION_INT, 2, AT(bpe_merges), 0, 1e7, NULL, BOUND, "6000 6000",
     "merges to learn where the tokenizer is bpe, or of the source for source-words"},
    {"source-words", OPTION_TEXT, 1, AT(source_words), 0, 0, "off|on", BOUND, "off",
     "on: read each piece of a char source together with the larger one, made by bpe-merges, that it is in"},
    {"merges", OPTION_TEXT, 1, AT(merges), 0, 0, "separate|joint", BOUND, "separate",
     "of each side's text, or one list from both (as many as bpe-merges says first)"},
    {"dim-emb", OPTION_INT, 1, AT(dim_emb), 1, 65536, NULL, BOUND, "256", "word embedding, m in the paper"},
    {"dim-rnn", OPTION_INT, 1, AT(dim_rnn), 1, 65536, NULL, BOUND, "512", "state of encoder and decoder, n"},
    {"dim-att", OPTION_INT, 1, AT(dim_att), 1, 65536, NULL, BOUND, "512",
     "hidden layer of the attention, or its queries and keys, n'"},
    {"dim-maxout", OPTION_INT, 1, AT(dim_maxout), 1, 65536, NULL, BOUND, "256", "maxout units of the readout, l"},
    {"arch", OPTION_TEXT, 1, AT(arch), 0, 0, arch_names, BOUND, "rnnsearch",
     "rnnsearch, or transformer: self-attention as wide as dim-emb on both sides"},
    {"encoder", OPTION_TEXT, 1, AT(encoder), 0, 0, encoder_names, BOUND, "bigru",
     "bigru (RNNsearch), deep-bigru (layers of it), gru (from left to right alone), cnn or self-attention"},
    {"enc-depth", OPTION_INT, 1, AT(enc_depth), 1, 64, NULL, BOUND, "2",
     "layers of the encoders deep-bigru, cnn and self-attention"},
    {"dec-depth", OPTION_INT, 1, AT(dec_depth), 1, 64, NULL, BOUND, "2", "layers of a Transformer's decoder"},
    {"dim-ffn", OPTION_INT, 1, AT(dim_ffn), 1, 65536, NULL, BOUND, "1024",
     "hidden units of self-attention's linear layers"},
    {"window", OPTION_INT, 1, AT(window), 1, 63, NULL, BOUND, "3",
     "words that a layer of cnn looks at together: an odd number"},
    {"attention", OPTION_TEXT, 1, AT(attention), 0, 0, attention_names, BOUND, "additive",
     "additive (RNNsearch), dot, general, scaled-dot, multi-head or none (RNNencdec: one fixed c)"},
    {"heads", OPTION_INT, 1, AT(heads), 1, 256, NULL, BOUND, "8",
     "heads of attention: multi-head ones share dim-att, those of self-attention dim-rnn, a Transformer's dim-emb"},
    {"readout-state", OPTION_TEXT, 1, AT(readout_state), 0, 0, "current|prev", BOUND, "current",
     "state that the readout sees: s_i (current) or s_{i-1} (prev)"},
    {"tied-embeddings", OPTION_TEXT, 1, AT(tied_embeddings), 0, 0, "off|on", BOUND, "off",
     "the target embedding is the output layer, too: dim-maxout must be dim-emb"},
    {"init", OPTION_TEXT, 1, AT(init), 0, 0, "lecun|bahdanau", BOUND, "lecun",
     "initial weights: N(0, 1 / inputs) (lecun), or the paper's, which are small (bahdanau)"},
    {"optimizer", OPTION_TEXT, 1, AT(optimizer), 0, 0, "adam|adadelta|sgd", BOUND, "adam", "adam, adadelta or sgd"},
    {"learn-rate", OPTION_REAL, 1, AT(learn_rate), 0, 1e6, NULL, NAMED, "0.001", "learning rate; give 1 with adadelta"},
    {"lr-decay", OPTION_REAL, 1, AT(lr_decay), 0.001, 1, NULL, NAMED, "1",
     "multiply the learning rate by this at the end of each epoch"},
    {"lr-decay-start", OPTION_INT, 1, AT(lr_decay_start), 1, 1e6, NULL, NAMED, "1",
     "the first epoch at whose end lr-decay does"},
    {"lr-warmup", OPTION_INT, 1, AT(lr_warmup), 0, 2e9, NULL, NAMED, "0",
     "updates over which the learning rate grows to what it is to be"},
    {"lr-decay-inv-sqrt", OPTION_INT, 1, AT(lr_decay_inv_sqrt), 0, 2e9, NULL, NAMED, "0",
     "from this update on, the learning rate falls with the root of their number; 0: never"},
    {"clip-norm", OPTION_REAL, 1, AT(clip_norm), 0, 1e9, NULL, NAMED, "1", "clip the gradient's L2 norm; 0: do not"},
    {"exponential-smoothing", OPTION_REAL, 1, AT(exponential_smoothing), 0, 0.5, NULL, BOUND, "0",
     "translate with an average of the weights, in which each update's have this share; 0: with the last"},
    {"label-smoothing", OPTION_REAL, 1, AT(label_smoothing), 0, 0.9, NULL, NAMED, "0",
     "share of a target's probability spread over all words"},
    {"dropout-emb", OPTION_REAL, 1, AT(dropout_emb), 0, 0.9, NULL, NAMED, "0", "dropout of word embeddings"},
    {"dropout-annotation", OPTION_REAL, 1, AT(dropout_annotation), 0, 0.9, NULL, NAMED, "0",
     "dropout of annotations h_j"},
    {"dropout-readout", OPTION_REAL, 1, AT(dropout_readout), 0, 0.9, NULL, NAMED, "0", "dropout of the maxout layer"},
    {"guided-alignment-cost", OPTION_TEXT, 1, AT(guided_cost), 0, 0, "ce|mult|mse", NAMED, "ce",
     "of attention that differs from --guided-alignment: ce, mult or mse"},
    {"guided-alignment-weight", OPTION_REAL, 1, AT(guided_weight), 0, 1e6, NULL, NAMED, "0.1",
     "of that cost, a target piece, in the loss"},
    {"mini-batch", OPTION_INT, 1, AT(mini_batch), 1, 8192, NULL, BOUND, "64", "sentence pairs a batch"},
    {"maxi-batch", OPTION_INT, 1, AT(maxi_batch), 1, 8192, NULL, BOUND, "20", "batches sorted by length at a time"},
    {"max-length", OPTION_INT, 1, AT(max_length), 0, 1e6, NULL, BOUND, "50",
     "leave out training pairs with a longer side; 0: none"},
    {"workspace", OPTION_INT, 1, AT(workspace), 0, 1e6, NULL, NAMED, "0",
     "MiB that a batch may take at most; a larger one comes in parts; 0: no limit"},
    {"seed", OPTION_INT, 1, AT(seed), 0, 2147483647, NULL, BOUND, "1", "of initial weights, data order and dropout"},
    {"after-epochs", OPTION_REAL, 1, AT(after_epochs), 0, 1e9, NULL, FREE, "0", "stop after so many epochs; 0: never"},
    {"after-batches", OPTION_INT, 1, AT(after_batches), 0, 2e9, NULL, FREE, "0",
     "stop after so many updates; 0: never"},
    {"after-minutes", OPTION_REAL, 1, AT(after_minutes), 0, 1e9, NULL, FREE, "0",
     "stop after so many minutes; 0: never"},
    {"early-stopping", OPTION_INT, 1, AT(early_stopping), 0, 1e6, NULL, FREE, "10",
     "stop after so many validations without a better BLEU, once there was one above 0; 0: never"},
    {"valid-freq", OPTION_INT, 1, AT(valid_freq), 0, 2e9, NULL, FREE, "0",
     "updates between validations; 0: one an epoch"},
    {"save-freq", OPTION_INT, 1, AT(save_freq), 0, 2e9, NULL, FREE, "500",
     "updates between checkpoints; 0: only at validations"},
    {"disp-freq", OPTION_INT, 1, AT(disp_freq), 1, 2e9, NULL, FREE, "50", "updates between reports in train.jsonl"},
    {"beam-size", OPTION_INT, 1, AT(beam_size), 1, 1000, NULL, NAMED, "5", "hypotheses of the beam search"},
    {"normalize", OPTION_REAL, 1, AT(normalize), 0, 10, NULL, NAMED, "0.6", "divide scores by length to this power"},
};
const int option_count = sizeof option_table / sizeof *option_table;

const Option *option_find(const char *name) {
    for (int i = 0; i < option_count; i++)
        if (!strcmp(option_table[i].name, name)) return &option_table[i];
    return NULL;
}

bool language_is(const char *code, const char *const *codes) {
    const size_t n = strcspn(code, "-_");
    for (; *codes; codes++)
        if (n == strlen(*codes) && !strncasecmp(code, *codes, n)) return true;
    return false;
}

int options_english(const Options *options) {
    static const char *const codes[] = {"en", "eng", NULL};
    const bool source = language_is(options->langs[0], codes), target = language_is(options->langs[1], codes);
    return source == target ? -1 : target;
}

bool options_join_merges(const Options *options) { return !strcmp(options->merges, "joint"); }

bool options_tell_words(const Options *options) {
    return !strcmp(options->source_words, "on") && !strcmp(options->tokenizer[0], "char");
}

static int check_rnnsearch(const Options *o, Err *err) {
    if (!strcmp(o->tied_embeddings, "on") && o->dim_maxout != o->dim_emb)
        return err_set(err, NULL, 0, "--tied-embeddings on needs --dim-maxout %d, as --dim-emb has it, not %d",
                       o->dim_emb, o->dim_maxout);
    if (!strcmp(o->attention, "multi-head") && o->dim_att % o->heads != 0)
        return err_set(err, NULL, 0, "--attention multi-head needs --dim-att to be a multiple of --heads %d, not %d",
                       o->heads, o->dim_att);
    if (!strcmp(o->encoder, "self-attention") && o->dim_rnn % o->heads != 0)
        return err_set(err, NULL, 0, "--encoder self-attention needs --dim-rnn to be a multiple of --heads %d, not %d",
                       o->heads, o->dim_rnn);
    if (o->window % 2 == 0) return err_set(err, NULL, 0, "--window must be odd, not %d", o->window);
    return 0;
}

static int check_transformer(const Options *o, Err *err) {
    if (o->dim_emb % o->heads != 0)
        return err_set(err, NULL, 0, "--arch transformer needs --dim-emb to be a multiple of --heads %d, not %d",
                       o->heads, o->dim_emb);
    return 0;
}

int options_check(const Options *o, Err *err) {
    for (int i = 0; i < 2; i++)
        if (options_join_merges(o) && strcmp(o->tokenizer[i], "bpe") != 0)
            return err_set(err, NULL, 0, "--merges joint needs --tokenizer bpe bpe, not %s %s", o->tokenizer[0],
                           o->tokenizer[1]);
    return !strcmp(o->arch, "transformer") ? check_transformer(o, err) : check_rnnsearch(o, err);
}

/* ---- one value ------------------------------------------------------------------------------------------------ */

enum { TEXT_SIZE = 16 };

static char *text_at(Options *options, const Option *option, int i) {
    return (char *)options + option->offset + (size_t)i * TEXT_SIZE;
}
static int *int_at(Options *options, const Option *option, int i) {
    return (int *)(void *)((char *)options + option->offset) + i;
}
static double *real_at(Options *options, const Option *option, int i) {
    return (double *)(void *)((char *)options + option->offset) + i;
}

bool is_choice(const char *choices, const char *value) {
    size_t n = strlen(value);
    for (const char *c = choices; c; c = strchr(c, '|') ? strchr(c, '|') + 1 : NULL)
        if (n > 0 && !strncmp(c, value, n) && (c[n] == '|' || c[n] == '\0')) return true;
    return false;
}

static int set_text(char *to, const Option *option, const char *value, Err *err) {
    if (option->choices && !is_choice(option->choices, value))
        return err_set(err, NULL, 0, "%s must be one of %s, not '%s'", option->name, option->choices, value);
    size_t n = strlen(value);
    if (n == 0 || n >= TEXT_SIZE || strpbrk(value, " \t\r\n=#") || !utf8_valid(value, n))
        return err_set(err, NULL, 0, "%s cannot be '%s'", option->name, value);
    snprintf(to, TEXT_SIZE, "%s", value);
    return 0;
}

/* A vocabulary holds its four specials and a piece at least. */
static bool is_vocabulary_size(const Option *option, double x) {
    return option->offset != AT(dim_vocabs) || x == 0 || x > 4;
}

static int set_number(Options *options, const Option *option, int i, const char *value, Err *err) {
    char *end;
    double x = strtod(value, &end);
    bool whole = option->kind == OPTION_INT;
    if (end == value || *end || !isfinite(x) || (whole && x != floor(x)))
        return err_set(err, NULL, 0, "%s needs a %snumber, not '%s'", option->name, whole ? "whole " : "", value);
    if (x < option->least || x > option->most)
        return err_set(err, NULL, 0, "%s must be between %g and %g, not %s", option->name, option->least, option->most,
                       value);
    if (!is_vocabulary_size(option, x)) return err_set(err, NULL, 0, "%s must be 0 or at least 5", option->name);
    if (whole) *int_at(options, option, i) = (int)x;
    else *real_at(options, option, i) = x;
    return 0;
}

int option_set(Options *options, const Option *option, const char *const *values, Err *err) {
    for (int i = 0, n = option->values; i < n; i++) {
        int status = option->kind == OPTION_TEXT ? set_text(text_at(options, option, i), option, values[i], err)
                                                 : set_number(options, option, i, values[i], err);
        if (status) return status;
    }
    return 0;
}

static void format_value(const Options *options, const Option *option, char buffer[64]) {
    Options *o = (Options *)options; /* the accessors only read here */
    int at = 0;
    for (int i = 0; i < option->values; i++) {
        const char *space = i ? " " : "";
        char *to = buffer + at;
        size_t room = 64 - (size_t)at;
        switch (option->kind) {
        case OPTION_INT: at += snprintf(to, room, "%s%d", space, *int_at(o, option, i)); break;
        case OPTION_REAL: at += snprintf(to, room, "%s%.9g", space, *real_at(o, option, i)); break;
        case OPTION_TEXT: at += snprintf(to, room, "%s%s", space, text_at(o, option, i)); break;
        }
    }
}

/* ---- all of them ---------------------------------------------------------------------------------------------- */

/* Sets an option from values separated by white space; the text is cut up. */
static int set_words(Options *options, const Option *option, char *text, Err *err) {
    const char *values[2] = {"", ""};
    int n = 0;
    char *rest = NULL;
    for (char *word = strtok_r(text, " \t\r", &rest); word; word = strtok_r(NULL, " \t\r", &rest), n++)
        if (n < 2) values[n] = word;
    CHECK(option->values <= 2, "%s takes %d values", option->name, option->values);
    if (n != option->values)
        return err_set(err, NULL, 0, "%s needs %d value%s", option->name, option->values,
                       option->values > 1 ? "s" : "");
    return option_set(options, option, values, err);
}

void options_default(Options *options) {
    memset(options, 0, sizeof *options);
    for (int i = 0; i < option_count; i++) {
        char text[64];
        Err err;
        snprintf(text, sizeof text, "%s", option_table[i].fallback);
        int failed = set_words(options, &option_table[i], text, &err);
        CHECK(!failed, "the default of %s: %s", option_table[i].name, err.reason);
    }
}

static int read_line(Options *options, char *line, Err *err) {
    line[strcspn(line, "#")] = '\0';
    line += strspn(line, " \t\r");
    if (!*line) return 0;
    size_t length = strcspn(line, " \t=\r");
    char *equals = line + length + strspn(line + length, " \t\r");
    if (*equals != '=') return err_set(err, NULL, 0, "expected `key = value`");
    line[length] = '\0';
    const Option *option = option_find(line);
    if (!option) return err_set(err, NULL, 0, "unknown key '%.40s'", line);
    return set_words(options, option, equals + 1, err);
}

int options_read(Options *options, const char *text, const char *path, Err *err) {
    const char *mark = "\xEF\xBB\xBF"; /* a byte order mark is no text */
    char *copy = mem_strdup(strncmp(text, mark, strlen(mark)) ? text : text + strlen(mark)), *line = copy;
    int status = 0;
    for (long number = 1; line && !status; number++) {
        char *end = strchr(line, '\n');
        if (end) *end = '\0';
        Err why;
        if (read_line(options, line, &why)) status = err_set(err, path, number, "%s", why.reason);
        line = end ? end + 1 : NULL;
    }
    mem_free(copy);
    return status;
}

char *options_configuration(const Options *options) {
    char *text = mem_alloc((size_t)option_count * 128), *to = text;
    *to = '\0';
    for (int i = 0; i < option_count; i++) {
        char value[64];
        if (option_table[i].hold == FREE) continue;
        format_value(options, &option_table[i], value);
        to += snprintf(to, 128, "%s = %s\n", option_table[i].name, value);
    }
    return text;
}

const Option *options_differ(const Option *after, const Options *a, const Options *b, char left[64], char right[64]) {
    for (const Option *o = after ? after + 1 : option_table; o < option_table + option_count; o++) {
        if (o->hold == FREE) continue;
        format_value(a, o, left);
        format_value(b, o, right);
        if (strcmp(left, right) != 0) return o;
    }
    return NULL;
}
