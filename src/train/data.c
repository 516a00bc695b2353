#include "train/data.h"
#include "io/ds.h"
#include "translate/session.h"

#include <limits.h>
#include <sha2.h>
#include <string.h>

bool data_has_validation(const DataFiles *files) { return files->valid.path[0]; }
const char *train_files_name(const TrainFiles *files) { return files->files.path[0]; }
const char *data_name(const DataFiles *files) { return train_files_name(files->train); }
const char *data_name_of(const DataFiles *files, const Pairs *pairs, int pair) {
    return train_files_name(&files->train[pairs_set(pairs, pair)]);
}

/* Opens a corpus and reports its reader_note, if there is one. NULL with *err filled if it cannot be opened. */
static Reader *open_files(const Data *data, const CorpusFiles *files, const ModelOptions *options, Err *err) {
    const char *const langs[] = {options->langs[SOURCE], options->langs[TARGET]};
    Reader *reader = reader_open(files, langs, err);
    const char *note = reader ? reader_note(reader) : NULL;
    if (note && data->note) data->note(data->context, note);
    return reader;
}

/* The states of the sums of a corpus: of its source and its target. */
typedef struct SideSums {
    SHA2_CTX side[2];
} SideSums;

static void add_to_sums(void *context, const RawPair *pair) {
    SideSums *sums = context;
    for (int side = 0; side < 2; side++) {
        SHA256Update(&sums->side[side], (const uint8_t *)pair->text[side], pair->size[side]);
        SHA256Update(&sums->side[side], (const uint8_t *)"\n", 1);
    }
}

/* Reads a corpus, and appends its description to *described. */
static int read_corpus(Data *data, DiskCorpus *corpus, const TrainFiles *set, const ModelOptions *options,
                       ProgressFn *progress, RecipeCorpus **described, Err *err) {
    const CorpusFiles *files = &set->files;
    const long before = corpus->read;
    SideSums *sums = mem_alloc(sizeof *sums);
    for (int side = 0; side < 2; side++) SHA256Init(&sums->side[side]);
    corpus->seen = add_to_sums;
    corpus->context = sums;
    if (disk_corpus_read(corpus, open_files(data, files, options, err), files->path[0], progress, data->context, err)) {
        mem_free(sums);
        return -1;
    }
    arrput(*described, ((RecipeCorpus){.form = files->form,
                                       .pairs = corpus->read - before,
                                       .weight = set->weight,
                                       .quiet = set->quiet,
                                       .distillation = set->distillation}));
    RecipeCorpus *c = &arrlast(*described);
    for (int side = 0; side < 2; side++) {
        SHA256End(&sums->side[side], c->side[side].hex);
        if (side == 0 || files->form == FORM_LINES) c->name[side] = recipe_name(files->path[side]);
    }
    mem_free(sums);
    if (set->tag) c->tag = mem_strdup(set->tag);
    return set->teacher ? recipe_model_read(&c->teacher, set->teacher, err) : 0;
}

/* Reads all training sets into one temporary file. */
static int read_training(Data *data, const ModelOptions *options, Err *err) {
    const DataFiles *files = data->files;
    if (disk_corpus_open(&data->text, files->dir, false, err)) return -1;
    for (int k = 0; k < files->train_count; k++) {
        if (read_corpus(data, &data->text, &files->train[k], options, data->progress, &data->corpora, err)) return -1;
        arrput(data->sets, ((TrainSet){data->text.n, files->train[k].weight, ID_EOS, files->train[k].quiet,
                                       files->train[k].distillation}));
    }
    return 0;
}

int data_read(Data *data, const ModelOptions *options, Err *err) {
    const TrainFiles valid = {.files = data->files->valid, .weight = 1};
    data->stage = "reading";
    if (data->reads && read_training(data, options, err)) return -1;
    if (!data_has_validation(data->files)) return 0;
    return disk_corpus_open(&data->valid, data->files->dir, true, err) ||
                   read_corpus(data, &data->valid, &valid, options, NULL, &data->dev, err)
               ? -1
               : 0;
}

/* Indices of word counts: source and target are 0 and 1, then the counts for the source's subwords. */
enum { SUBWORDS = 2, COUNTS };

static int count_words(Data *data, const ModelOptions *o, WordCounts words[COUNTS], Err *err) {
    /* Chinese text between two punctuation marks is one word for BPE, so almost every sentence has new words. */
    enum { REPORT_EVERY = 1000, MOST_SUBWORDS = 1 << 18 };
    DiskCorpus *text = &data->text;
    DiskPair pair;
    int status = disk_corpus_rewind(text, err);
    data->stage = "counting words";
    for (long i = 1; !status && (status = disk_corpus_next(text, &pair, err)) > 0; i++) {
        for (int side = 0; side < 2; side++) words_count(&words[side], o->tokenizer[side], pair.text[side]);
        if (model_options_source_words(o) && string_table_count(&words[SUBWORDS].words) < MOST_SUBWORDS)
            words_count(&words[SUBWORDS], TOKENIZER_BPE, pair.text[SOURCE]);
        status = 0;
        if (i % REPORT_EVERY == 0 && data->progress(data->context, i, text->n))
            status = err_set(err, NULL, 0, "stopped while words were counted");
    }
    return status;
}

int data_learn(Data *data, Translator *translator, Err *err) {
    const ModelOptions *o = &translator->options;
    Side *source = &translator->source;
    Side *const sides[2] = {source, &translator->target};
    WordCounts words[COUNTS] = {0};
    if (count_words(data, o, words, err)) {
        for (int i = 0; i < COUNTS; i++) words_free(&words[i]);
        return -1;
    }
    if (o->joint_merges) sides_learn_jointly(sides, words, o->bpe_merges[0], o->dim_vocabs);
    else
        for (int i = 0; i < 2; i++) side_learn(sides[i], o->tokenizer[i], words[i], o->bpe_merges[i], o->dim_vocabs[i]);
    for (int k = 0; k < data->files->train_count; k++)
        if (data->files->train[k].tag) vocab_add_tag(source->vocab, data->files->train[k].tag);
    return model_options_source_words(o) ? side_learn_subwords(source, words[SUBWORDS], o->bpe_merges[SOURCE], err) : 0;
}

/* Validation sentences have the length limit of `tide translate`, because validations translate them. */
static int check_lengths(const Pairs *pairs, const CorpusFiles *files, Err *err) {
    for (int i = 0; i < pairs->n; i++) {
        const bool target = pairs->target_length[i] > pairs->source_length[i];
        const int pieces = (target ? pairs->target_length[i] : pairs->source_length[i]) - 1;
        if (pieces > MOST_PIECES)
            return err_set(err, files->path[files->form == FORM_LINES && target], pairs->line[i],
                           "a sentence of %d pieces, where %d are the limit", pieces, MOST_PIECES);
    }
    return 0;
}

/* Encodes the training text. One set of weight 1 without tag, not quiet, without a teacher, is the usual case, and has
   no sets. */
static int encode_training(Data *data, const TrainOptions *o, const Translator *translator, Err *err) {
    const DataFiles *files = data->files;
    const Side *source = &translator->source, *target = &translator->target;
    bool usual = files->train_count == 1;
    for (int k = 0; k < files->train_count; k++) {
        TrainSet *set = &data->sets[k];
        const char *tag = files->train[k].tag;
        if (tag) set->source_end = vocab_tag(source->vocab, tag);
        usual &= !tag && set->weight == 1 && !set->quiet && set->distillation == 0;
        if (set->source_end < 0)
            return err_set(err, train_files_name(&files->train[k]), 0, "the model has no tag '%s'", tag);
    }
    return pairs_encode(&data->pairs, &data->text, usual ? NULL : data->sets, source, target, o->max_length, files->dir,
                        data->progress, data->context, err);
}

int data_encode(Data *data, const TrainOptions *o, const Translator *translator, Err *err) {
    const DataFiles *files = data->files;
    const Side *source = &translator->source, *target = &translator->target;
    const char *dir = files->dir;
    data->stage = "encoding";
    if ((data->reads && encode_training(data, o, translator, err)) ||
        (data_has_validation(files) &&
         pairs_encode(&data->valid_pairs, &data->valid, NULL, source, target, 0, dir, NULL, NULL, err)) ||
        check_lengths(&data->valid_pairs, &files->valid, err))
        return -1;
    if (!data->reads) return 0;
    if (data->pairs.n == 0)
        return err_set(err, data_name(files), 0, "no sentence pair of at most %d pieces", o->max_length);
    const int size = epoch_size(&data->pairs);
    if (size == 0) return err_set(err, data_name(files), 0, "--train-set-weights leave no sentence pair in an epoch");
    if (size == INT_MAX) return err_set(err, data_name(files), 0, "an epoch of more than %d pairs", INT_MAX - 1);
    if (files->guides &&
        guides_read(&data->guides, files->guides, &data->text, &data->pairs, source, target, dir, o->guided_null, err))
        return -1;
    disk_corpus_close(&data->text);
    return 0;
}

void data_free(Data *data) {
    disk_corpus_close(&data->text);
    arrfree(data->sets);
    recipe_corpora_free(data->corpora);
    recipe_corpora_free(data->dev);
    guides_free(&data->guides);
    pairs_free(&data->pairs);
    pairs_free(&data->valid_pairs);
    disk_corpus_close(&data->valid);
}

uint64_t data_hash(const Data *data) {
    uint64_t hash = data->pairs.hash ^ data->guides.hash;
    for (ptrdiff_t k = 0; k < arrlen(data->pairs.sets); k++) {
        const TrainSet *set = &data->pairs.sets[k];
        uint64_t weight;
        memcpy(&weight, &set->weight, sizeof weight);
        hash = (hash ^ weight) * 0xd1342543de82ef95u + (uint64_t)set->end;
        if (set->quiet) hash = ~hash; /* old checkpoints have no quiet sets, and their hash must stay */
        if (set->distillation > 0) {
            memcpy(&weight, &set->distillation, sizeof weight);
            hash = (hash ^ weight) * 0xd1342543de82ef95u;
        }
    }
    return (hash ^ (uint64_t)data->pairs.n) * 0x9e3779b97f4a7c15u;
}
