#include "train/translator.h"
#include "text/ds.h"
#include "text/unicode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what follows from options and languages ------------------------------------------------------------------ */

/* <unk> comes first and Han last, so that a search without either ban has a part of the list. */
static const int never[] = {ID_UNK, ID_PAD, ID_BOS};
enum { NEVER = sizeof never / sizeof *never };

bool translator_writes_han(const Translator *translator) {
    static const char *const codes[] = {"zh", "zho", "chi", "cmn", "yue", "lzh", "wuu", "ja", "jpn", "ko", "kor", NULL};
    return language_is(translator->options.langs[1], codes);
}

bool translator_aligns(const Translator *translator) {
    bool aligns = model_aligns(&translator->model);
    for (ptrdiff_t i = 0; i < arrlen(translator->mates); i++) aligns |= model_aligns(&translator->mates[i].model);
    return aligns;
}

static int *banned_pieces(const Translator *translator) {
    const Vocab *vocab = translator->target.vocab;
    int *banned = NULL;
    for (int i = 0; i < NEVER; i++) arrput(banned, never[i]);
    if (translator_writes_han(translator)) return banned;
    for (int id = ID_SPECIALS; id < vocab_size(vocab); id++)
        if (text_has_han(vocab_piece(vocab, id))) arrput(banned, id);
    return banned;
}

void translator_begin(Translator *translator) {
    const Options *o = &translator->options;
    const ModelConfig config = {
        .source_vocab = vocab_size(translator->source.vocab),
        .target_vocab = vocab_size(translator->target.vocab),
        .source_words = translator->source.larger ? vocab_size(translator->source.larger->vocab) : 0,
        .arch = arch_named(o->arch),
        .emb = o->dim_emb,
        .rnn = o->dim_rnn,
        .att = o->dim_att,
        .maxout = o->dim_maxout,
        .encoder = encoder_kind(o->encoder),
        .attention = attention_kind(o->attention),
        .heads = o->heads,
        .depth = o->enc_depth,
        .decoder_depth = o->dec_depth,
        .ffn = o->dim_ffn,
        .window = o->window,
        .readout_prev = !strcmp(o->readout_state, "prev"),
        .tied_embeddings = !strcmp(o->tied_embeddings, "on"),
        .dropout_embedding = o->dropout_emb,
        .dropout_annotation = o->dropout_annotation,
        .dropout_readout = o->dropout_readout,
    };
    model_init(&translator->model, &config);
    translator->banned = banned_pieces(translator);
}

/* ---- the file ------------------------------------------------------------------------------------------------- */

/* The languages, and the source's larger pieces, if there are any. */
enum { LARGER = 2, SIDES };
static const char *const side_keys[SIDES][2] = {{"source.vocab", "source.merges"},
                                                {"target.vocab", "target.merges"},
                                                {"source.larger.vocab", "source.larger.merges"}};

void translator_meta(const Translator *translator, Meta meta[TRANSLATOR_META]) {
    const Side *sides[SIDES] = {&translator->source, &translator->target, translator->source.larger};
    meta[0] = (Meta){"format", mem_strdup("tide 1")};
    meta[1] = (Meta){"config", options_configuration(&translator->options)};
    for (int i = 0; i < SIDES; i++) {
        const Bpe *bpe = sides[i] ? sides[i]->tokenizer.bpe : NULL;
        meta[2 + 2 * i] = (Meta){side_keys[i][0], sides[i] ? vocab_format(sides[i]->vocab) : mem_strdup("")};
        meta[3 + 2 * i] = (Meta){side_keys[i][1], bpe ? bpe_format(bpe) : mem_strdup("")};
    }
}

void translator_meta_free(Meta meta[TRANSLATOR_META]) {
    for (int i = 0; i < TRANSLATOR_META; i++) mem_free((char *)meta[i].value);
}

Tensor *translator_tensors(const Translator *translator) {
    Tensor *tensors = NULL;
    const Params *params = &translator->model.params;
    for (int i = 0; i < params->count; i++) {
        const Param *p = params->list[i];
        arrput(tensors, ((Tensor){p->name, p->var.rows, p->var.cols, p->var.v}));
    }
    return tensors;
}

int translator_save(const Translator *translator, const char *path, Err *err) {
    Meta meta[TRANSLATOR_META];
    translator_meta(translator, meta);
    Tensor *tensors = translator_tensors(translator);
    int status = safetensors_write(path, tensors, (int)arrlen(tensors), meta, TRANSLATOR_META, err);
    arrfree(tensors);
    translator_meta_free(meta);
    return status;
}

static int read_side(Side *side, int which, int kind, const Safetensors *file, const char *path, Err *err) {
    const char *vocab = safetensors_meta(file, side_keys[which][0]),
               *merges = safetensors_meta(file, side_keys[which][1]);
    if (!vocab || !merges) return err_set(err, path, 0, "the metadata has no %s", side_keys[which][vocab ? 1 : 0]);
    side->tokenizer = (Tokenizer){.kind = (TokenizerKind)kind};
    if (kind == TOKENIZER_BPE && !(side->tokenizer.bpe = bpe_parse(merges, path, err))) return -1;
    return (side->vocab = vocab_parse(vocab, path, err)) ? 0 : -1;
}

static int read_sides(Translator *translator, const Safetensors *file, const char *path, Err *err) {
    const Options *o = &translator->options;
    Side *source = &translator->source;
    if (read_side(source, SOURCE, tokenizer_kind(o->tokenizer[SOURCE]), file, path, err) ||
        read_side(&translator->target, TARGET, tokenizer_kind(o->tokenizer[TARGET]), file, path, err))
        return -1;
    if (!options_tell_words(o)) return 0;
    source->larger = mem_zalloc(sizeof *source->larger);
    return read_side(source->larger, LARGER, TOKENIZER_BPE, file, path, err) || side_check_larger(source, path, err)
               ? -1
               : 0;
}

static int borrow_weights(Params *params, const Safetensors *file, Err *err) {
    for (int i = 0; i < params->count; i++) {
        Param *p = params->list[i];
        const float *data;
        if (safetensors_find(file, p->name, p->var.rows, p->var.cols, &data, err)) return -1;
        param_borrow(p, data);
    }
    return 0;
}

int translator_read(Translator *translator, const Safetensors *file, const char *path, Err *err) {
    *translator = (Translator){0};
    options_default(&translator->options);
    const char *config = safetensors_meta(file, "config"), *format = safetensors_meta(file, "format");
    if (!config || !format || strcmp(format, "tide 1") != 0) return err_set(err, path, 0, "not a model of tide");
    Err why;
    if (options_read(&translator->options, config, path, err)) return -1;
    if (options_check(&translator->options, &why)) return err_set(err, path, 0, "%s", why.reason);
    if (read_sides(translator, file, path, err)) return -1;
    translator_begin(translator);
    return borrow_weights(&translator->model.params, file, err);
}

/* What has a checkpoint only is a training that was cut off before it made a model. */
static bool is_unfinished(const char *directory, const char *model) {
    char checkpoint[512];
    snprintf(checkpoint, sizeof checkpoint, "%s/checkpoint.safetensors", directory);
    return access(model, F_OK) && !access(checkpoint, F_OK);
}

int translator_load(Translator *translator, const char *path, Err *err) {
    static const char *const go_on =
        "the same `tide train` goes on from there, and leaves a model where it ends or stops";
    char full[512];
    struct stat info;
    *translator = (Translator){0};
    bool directory = !stat(path, &info) && S_ISDIR(info.st_mode);
    if (snprintf(full, sizeof full, directory ? "%s/model.safetensors" : "%s", path) >= (int)sizeof full)
        return err_set(err, path, 0, "the path is too long");
    if (directory && is_unfinished(path, full))
        return err_set(err, path, 0, "holds no model, but a checkpoint: %s", go_on);
    Safetensors *file = safetensors_open(full, err);
    if (!file) return -1;
    if (safetensors_meta(file, "state")) {
        safetensors_close(file);
        return err_set(err, full, 0, "is a checkpoint, not a model: %s", go_on);
    }
    int status = translator_read(translator, file, full, err);
    translator->file = file;
    if (!status) status = safetensors_all_found(file, err);
    if (status) translator_free(translator);
    return status;
}

static bool same_cut(const Translator *a, const Translator *b, int side) {
    for (int k = 0; k < 2; k++) {
        const char *key = side_keys[side][k];
        if (strcmp(safetensors_meta(a->file, key), safetensors_meta(b->file, key)) != 0) return false;
    }
    return true;
}

static bool same_pieces(const Translator *a, const Translator *b, int side) {
    if (strcmp(a->options.tokenizer[side], b->options.tokenizer[side]) != 0 || !same_cut(a, b, side)) return false;
    if (side == TARGET) return true;
    const bool larger = options_tell_words(&a->options);
    return larger == options_tell_words(&b->options) && (!larger || same_cut(a, b, LARGER));
}

int translator_join(Translator *translator, const char *path, Err *err) {
    Translator mate;
    if (translator_load(&mate, path, err)) return -1;
    for (int side = 0; side < 2; side++)
        if (!same_pieces(translator, &mate, side)) {
            translator_free(&mate);
            return err_set(err, path, 0, "its %s pieces are not those of the first model", side ? "target" : "source");
        }
    arrput(translator->mates, mate);
    return 0;
}

void translator_free(Translator *translator) {
    for (ptrdiff_t i = 0; i < arrlen(translator->mates); i++) translator_free(&translator->mates[i]);
    arrfree(translator->mates);
    side_free(&translator->source);
    side_free(&translator->target);
    model_free(&translator->model);
    arrfree(translator->banned);
    safetensors_close(translator->file);
    *translator = (Translator){0};
}

/* ---- translating ---------------------------------------------------------------------------------------------- */

BeamOptions translator_beam_options(const Translator *translator) {
    CHECK(translator->banned, "a search with a translator that was not begun");
    return (BeamOptions){
        .beam = translator->options.beam_size,
        .normalize = translator->options.normalize,
        .length_limit = 3,
        .begin = ID_BOS,
        .end = ID_EOS,
        .banned = translator->banned,
        .banned_count = (int)arrlen(translator->banned),
    };
}

int translator_banned_han(const Translator *translator) { return (int)arrlen(translator->banned) - NEVER; }

void translator_allow(const Translator *translator, bool unknown, bool han, BeamOptions *options) {
    options->banned = translator->banned + unknown;
    options->banned_count = (han ? NEVER : (int)arrlen(translator->banned)) - unknown;
}

typedef struct Place {
    int index, length;
} Place;

static int longest_first(const void *left, const void *right) {
    const Place *a = left, *b = right;
    if (a->length != b->length) return a->length > b->length ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* The non-empty sentences by falling length: a stb_ds array. */
static Place *by_length(int *const *ids, int n) {
    Place *places = NULL;
    for (int i = 0; i < n; i++)
        if (arrlen(ids[i]) > 1) arrput(places, ((Place){i, (int)arrlen(ids[i])}));
    if (places) qsort(places, (size_t)arrlen(places), sizeof *places, longest_first);
    return places;
}

/* How many of the sentences from a place on are searched at once; their length and the beam bound the memory. */
static int batch_size(const Place *places, int left, int batch, int beam) {
    enum { MOST_ROWS = 2048, MOST_ANNOTATIONS = 8192 };
    int most =
        MOST_ANNOTATIONS / places->length < MOST_ROWS / beam ? MOST_ANNOTATIONS / places->length : MOST_ROWS / beam;
    if (most > batch) most = batch;
    if (most > left) most = left;
    return most > 0 ? most : 1;
}

int translate_most(char *const *sentences, int n, int beam) {
    enum { MOST = 4096 };
    const double most_weights = 4e8; /* bytes for pieces: several bytes are one, and sentences end as they should */
    double weights = 0;
    int i = 0;
    for (; i < n && i < MOST; i++) {
        const double length = (double)strlen(sentences[i]);
        weights += length * length * beam;
        if (i > 0 && weights > most_weights) break;
    }
    return i;
}

/* Its model and those of its mates: a stb_ds array. */
static const Model **models_of(const Translator *translator) {
    const Model **models = NULL;
    arrput(models, &translator->model);
    for (ptrdiff_t i = 0; i < arrlen(translator->mates); i++) arrput(models, &translator->mates[i].model);
    return models;
}

Translations translate(Tape *tape, const Translator *translator, char *const *sentences, int n,
                       const BeamOptions *options, int batch, Counter *counter, void *context) {
    Translations t = {.n = n, .sentences = sentences};
    t.source = side_encode_all(&translator->source, sentences, n);
    t.nbest = mem_zalloc((size_t)n * sizeof *t.nbest);
    Place *places = by_length(t.source, n);
    const Model **models = models_of(translator);
    const Ensemble ensemble = {models, (int)arrlen(models)};
    const int **ids = mem_alloc((size_t)batch * sizeof *ids);
    int *length = mem_alloc((size_t)batch * sizeof *length), all = (int)arrlen(places);
    tape->recording = false;
    for (int first = 0, size; first < all; first += size) {
        size = batch_size(places + first, all - first, batch, options->beam);
        for (int b = 0; b < size; b++) {
            ids[b] = t.source[places[first + b].index];
            length[b] = places[first + b].length;
        }
        Nbest *found = beam_search(tape, ensemble, ids, length, size, options, &t.arena, &t.timing);
        for (int b = 0; b < size; b++) t.nbest[places[first + b].index] = found[b];
        if (counter) counter(context, first + size, all);
    }
    mem_free(ids);
    mem_free(length);
    arrfree(models);
    arrfree(places);
    return t;
}

static void free_ids(int **ids, int n) {
    for (int i = 0; i < n; i++) arrfree(ids[i]);
    mem_free(ids);
}

void translations_free(Translations *t) {
    free_ids(t->source, t->n);
    mem_free(t->nbest);
    arena_free(&t->arena);
    *t = (Translations){0};
}

char *translation_text(const Translations *t, const Translator *translator, int i, int k) {
    if (k >= t->nbest[i].count) return mem_strdup("");
    return side_decode(&translator->target, t->nbest[i].list[k].ids, t->nbest[i].list[k].length);
}

char **translations_text(const Translations *t, const Translator *translator) {
    char **texts = NULL;
    for (int i = 0; i < t->n; i++) arrput(texts, translation_text(t, translator, i, 0));
    return texts;
}

Alignment translation_alignment(const Translations *t, const Translator *translator, int i, const Hypothesis *h) {
    char **source = side_spell(&translator->source, t->sentences[i]);
    char **target = side_pieces(&translator->target, h->ids, h->length);
    CHECK(arrlen(source) == arrlen(t->source[i]), "%td pieces for %td ids", arrlen(source), arrlen(t->source[i]));
    Alignment alignment = alignment_new(source, (int)arrlen(source), target, h->length, h->alpha);
    pieces_free(source);
    arrfree(target);
    return alignment;
}

/* α [target, source] of sentence b of the decoder, in the arena. */
static const float *alpha_of(Arena *arena, const Batch *batch, const Forced *forced, int b) {
    const int n_target = batch->target.length[b];
    const size_t n_source = (size_t)batch->source.spans.length[b];
    float *alpha = arena_alloc(arena, (size_t)n_target * n_source * sizeof *alpha);
    for (int i = 0; i < n_target; i++) {
        const Var *step = forced->alpha[i];
        memcpy(alpha + (size_t)i * n_source, step->v + (size_t)b * (size_t)step->cols, n_source * sizeof *alpha);
    }
    return alpha;
}

static int *lengths_of(Arena *arena, int *const *ids, int n) {
    int *lengths = arena_alloc(arena, (size_t)n * sizeof *lengths);
    for (int i = 0; i < n; i++) lengths[i] = (int)arrlen(ids[i]);
    return lengths;
}

void translator_align(Tape *tape, const Translator *tr, char *const *source, char *const *target, int n,
                      Alignment *alignments) {
    TapeMark mark = tape_mark(tape);
    Arena *arena = &tape->arena;
    int **x = side_encode_all(&tr->source, source, n), **y = side_encode_all(&tr->target, target, n);
    Batch batch = batch_fold(arena, (const int *const *)x, lengths_of(arena, x, n), (const int *const *)y,
                             lengths_of(arena, y, n), n, ID_BOS);
    Forced forced = model_force(tape, &tr->model, &batch);
    for (int b = 0; b < n; b++) {
        const int i = batch.target.order[b];
        char **from = side_spell(&tr->source, source[i]), **to = side_spell(&tr->target, target[i]);
        alignments[i] =
            alignment_new(from, (int)arrlen(from), to, (int)arrlen(to), alpha_of(arena, &batch, &forced, b));
        pieces_free(from);
        pieces_free(to);
    }
    free_ids(x, n);
    free_ids(y, n);
    tape_rewind(tape, mark);
}
