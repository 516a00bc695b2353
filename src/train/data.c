#include "train/data.h"
#include "text/ds.h"
#include "translate/session.h"

#include <limits.h>
#include <string.h>

static bool has_files(const CorpusFiles *files) { return files->sets[SOURCE] || files->tsv || files->mo; }
bool data_has_validation(const DataFiles *files) { return has_files(&files->valid); }

const char *train_files_name(const TrainFiles *files) {
    const CorpusFiles *train = &files->files;
    return train->sets[SOURCE] ? train->sets[SOURCE] : train->tsv ? train->tsv : train->mo;
}

const char *data_name(const DataFiles *files) { return train_files_name(files->train); }

/* The context of a ProgressFn. */
typedef struct Stage {
    const DataProgress *progress;
    const char *name;
} Stage;

static int report_stage(void *context, long done, long all) {
    const Stage *stage = context;
    return stage->progress->report(stage->progress->context, stage->name, done, all);
}

/* Calls `read` with a reader for each input of a corpus: two line-aligned files together, a TSV file, a MO file. */
typedef int ReadFn(void *context, Reader *reader, const char *path, Err *err);
static int read_files(const CorpusFiles *files, const ModelOptions *options, ReadFn *read, void *context, Err *err) {
    const int english = model_options_english(options);
    const char *const *sets = files->sets;
    if (sets[SOURCE] && read(context, reader_lines(sets[SOURCE], sets[TARGET], err), sets[SOURCE], err)) return -1;
    if ((files->tsv || files->mo) && english < 0)
        return err_set(err, files->tsv ? files->tsv : files->mo, 0,
                       "holds English and another language, but --langs %s %s does not name English exactly once",
                       options->langs[SOURCE], options->langs[TARGET]);
    if (files->tsv && read(context, reader_tsv(files->tsv, english, err), files->tsv, err)) return -1;
    if (files->mo && read(context, reader_mo(files->mo, english, err), files->mo, err)) return -1;
    return 0;
}

static int read_into_memory(void *context, Reader *reader, const char *path, Err *err) {
    return corpus_read(context, reader, path, err);
}

typedef struct DiskReading {
    DiskCorpus *corpus;
    Stage stage;
} DiskReading;

static int read_to_disk(void *context, Reader *reader, const char *path, Err *err) {
    DiskReading *s = context;
    return disk_corpus_read(s->corpus, reader, path, report_stage, &s->stage, err);
}

/* Reads all training sets into one temporary file. */
static int read_training(Data *data, const DataFiles *files, const ModelOptions *options, const DataProgress *progress,
                         Err *err) {
    DiskReading reading = {&data->text, {progress, "reading"}};
    if (disk_corpus_open(&data->text, files->dir, err)) return -1;
    for (int k = 0; k < files->train_count; k++) {
        if (read_files(&files->train[k].files, options, read_to_disk, &reading, err)) return -1;
        arrput(data->set_end, data->text.n);
    }
    return 0;
}

int data_read(Data *data, const DataFiles *files, const ModelOptions *options, bool training,
              const DataProgress *progress, Err *err) {
    *data = (Data){0};
    if ((training && read_training(data, files, options, progress, err)) ||
        read_files(&files->valid, options, read_into_memory, &data->valid, err))
        return -1;
    data->read = data->text.read;
    data->dropped_empty = data->text.dropped_empty;
    return 0;
}

/* Indices of word counts: source and target are 0 and 1, then the counts for the source's subwords. */
enum { SUBWORDS = 2, COUNTS };

static int count_words(DiskCorpus *text, const TokenizerKind kinds[2], bool subwords, WordCount *words[COUNTS],
                       const DataProgress *progress, Err *err) {
    /* Chinese text between two punctuation marks is one word for BPE, so almost every sentence has new words. */
    enum { REPORT_EVERY = 1000, MOST_SUBWORDS = 1 << 18 };
    DiskPair pair;
    int status = disk_corpus_rewind(text, err);
    for (long i = 1; !status && (status = disk_corpus_next(text, &pair, err)) > 0; i++) {
        for (int side = 0; side < 2; side++) words_count(&words[side], kinds[side], pair.text[side]);
        if (subwords && shlen(words[SUBWORDS]) < MOST_SUBWORDS)
            words_count(&words[SUBWORDS], TOKENIZER_BPE, pair.text[SOURCE]);
        status = 0;
        if (i % REPORT_EVERY == 0 && progress->report(progress->context, "counting words", i, text->n))
            status = err_set(err, NULL, 0, "stopped while words were counted");
    }
    return status;
}

int data_learn(Data *data, const DataFiles *files, const ModelOptions *o, Side *source, Side *target,
               const DataProgress *progress, Err *err) {
    Side *const sides[2] = {source, target};
    WordCount *words[COUNTS] = {NULL};
    if (count_words(&data->text, o->tokenizer, model_options_source_words(o), words, progress, err)) {
        for (int i = 0; i < COUNTS; i++) words_free(words[i]);
        return -1;
    }
    if (o->joint_merges) sides_learn_jointly(sides, words, o->bpe_merges[0], o->dim_vocabs);
    else
        for (int i = 0; i < 2; i++) side_learn(sides[i], o->tokenizer[i], words[i], o->bpe_merges[i], o->dim_vocabs[i]);
    for (int k = 0; k < files->train_count; k++)
        if (files->train[k].tag) vocab_add_tag(source->vocab, files->train[k].tag);
    return model_options_source_words(o) ? side_learn_subwords(source, words[SUBWORDS], o->bpe_merges[SOURCE], err) : 0;
}

/* Validation sentences have the length limit of `tide translate`, because validations translate them. */
static int check_lengths(const Pairs *pairs, const CorpusFiles *files, Err *err) {
    for (int i = 0; i < pairs->n; i++) {
        const bool target = pairs->target_length[i] > pairs->source_length[i];
        const int pieces = (target ? pairs->target_length[i] : pairs->source_length[i]) - 1;
        if (pieces > MOST_PIECES)
            return err_set(err, files->tsv ? files->tsv : files->sets[target], pairs->line[i],
                           "a sentence of %d pieces, where %d are the limit", pieces, MOST_PIECES);
    }
    return 0;
}

/* Encodes the training text. One set of weight 1 without tag is the usual case, and has no sets. */
static int encode_training(Data *data, const DataFiles *files, const TrainOptions *o, const Side *source,
                           const Side *target, Stage *stage, Err *err) {
    const int count = files->train_count;
    int *source_end = mem_alloc((size_t)count * sizeof *source_end), status = 0;
    double *weight = mem_alloc((size_t)count * sizeof *weight);
    bool usual = count == 1;
    for (int k = 0; k < count && !status; k++) {
        const char *tag = files->train[k].tag;
        weight[k] = files->train[k].weight;
        source_end[k] = tag ? vocab_tag(source->vocab, tag) : ID_EOS;
        usual &= !tag && weight[k] == 1;
        if (source_end[k] < 0)
            status = err_set(err, train_files_name(&files->train[k]), 0, "the model has no tag '%s'", tag);
    }
    const TrainSets sets = {count, data->set_end, source_end, weight};
    if (!status)
        status = pairs_encode_disk(&data->pairs, &data->text, usual ? NULL : &sets, source, target, o->max_length,
                                   files->dir, report_stage, stage, err);
    if (!status && epoch_size(&data->pairs) == INT_MAX)
        status = err_set(err, data_name(files), 0, "an epoch of more than %d pairs", INT_MAX - 1);
    mem_free(source_end);
    mem_free(weight);
    return status;
}

int data_encode(Data *data, const DataFiles *files, const TrainOptions *o, bool training, const Side *source,
                const Side *target, const DataProgress *progress, Err *err) {
    const char *dir = files->dir;
    Stage stage = {progress, "encoding"};
    if ((training && encode_training(data, files, o, source, target, &stage, err)) ||
        pairs_encode(&data->valid_pairs, &data->valid, source, target, 0, dir, err) ||
        check_lengths(&data->valid_pairs, &files->valid, err))
        return -1;
    if (!training) return 0;
    if (data->pairs.n == 0)
        return err_set(err, data_name(files), 0, "no sentence pair of at most %d pieces", o->max_length);
    if (files->guides &&
        guides_read(&data->guides, files->guides, &data->text, &data->pairs, source, target, dir, o->guided_null, err))
        return -1;
    disk_corpus_close(&data->text);
    return 0;
}

void data_free(Data *data) {
    disk_corpus_close(&data->text);
    arrfree(data->set_end);
    guides_free(&data->guides);
    pairs_free(&data->pairs);
    pairs_free(&data->valid_pairs);
    corpus_free(&data->valid);
}

uint64_t data_hash(const Data *data) {
    uint64_t hash = data->pairs.hash ^ data->guides.hash;
    for (int k = 0; k < arrlen(data->pairs.set_end); k++) {
        uint64_t weight;
        memcpy(&weight, &data->pairs.set_weight[k], sizeof weight);
        hash = (hash ^ weight) * 0xd1342543de82ef95u + (uint64_t)data->pairs.set_end[k];
    }
    return (hash ^ (uint64_t)data->pairs.n) * 0x9e3779b97f4a7c15u;
}
