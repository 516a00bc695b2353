/* tide attend: shows self-attention step by step on a few vectors: flags and input. */
#include "cli/attend.h"
#include "cli/models.h"
#include "cli/pictures.h"
#include "io/ds.h"
#include "text/unicode.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const Flag flags[] = {
    {"model", 1, "MODEL", "use the embeddings of a trained model: those of --words, or all", .kind = VALUE_FILE},
    {"words", MANY, "WORD ...", "use the embeddings of the pieces of these words", .kind = VALUE_TEXT},
    FLAG_CHOICE("side", "use source or target embeddings", "src|tgt", "src"),
    FLAG_SWITCH("scale", "divide scores by √d_k, the root of the number of columns of the keys"),
    {"weights", 3, "FILE FILE FILE",
     "files with W_Q, W_K, W_V, one matrix row per line: Q = X W_Q, K = X W_K, V = X W_V", .kind = VALUE_FILE},
    FLAG_INT("random-weights", "use random matrices W_Q, W_K, W_V with N columns", 1, 4096, NULL),
    FLAG_INT("heads", "number of heads, which share the columns of W_Q, W_K, W_V", 1, MOST_HEADS, "1"),
    FLAG_INT("seed", "random seed", 0, 1 << 30, "1"),
    {"show", 1, "WHAT", "attention, equivariance or scaling", .choices = "attention|equivariance|scaling",
     .fallback = "attention"},
    {"query", MANY, "NUMBER ...|WORD", "use a vector, or the vector of a word, as the query for all words",
     .kind = VALUE_TEXT},
    {"neighbours", 1, "WORD", "list the words whose vectors have the largest cosine with the vector of WORD",
     .kind = VALUE_TEXT},
    FLAG_INT("most", "most lines in a list", 1, 1 << 20, "10"),
    FLAG_FILE("heatmap", "draw the weights (the mean of all heads) as an SVG picture"),
    FLAG_PICTURE_LANGUAGE,
};

/* ---- sources of vectors ----------------------------------------------------------------------------------------- */

static void take_example(AttendInput *a) {
    static const char *const words[] = {"Your", "journey", "starts", "with", "one", "step"};
    static const float vectors[][3] = {{.43F, .15F, .89F}, {.55F, .87F, .66F}, {.57F, .85F, .64F},
                                       {.22F, .58F, .33F}, {.77F, .25F, .10F}, {.05F, .80F, .55F}};
    a->name = "an example";
    for (int i = 0; i < 6; i++) vectors_add(&a->x, words[i], vectors[i], 3);
}

static int unknown_piece(const AttendInput *a, const char *word, Err *err) {
    return err_set(err, a->name, 0, "'%.100s' is not in the vocabulary", word);
}

/* Adds the embeddings of the pieces of a normalised word. */
static int add_pieces(AttendInput *a, const char *word, Err *err) {
    const Embeddings *e = &a->model;
    int *ids = side_encode(e->side, word), status = 0;
    for (ptrdiff_t i = 0; !status && i + 1 < arrlen(ids); i++) {
        const int id = side_piece(e->side, ids[i]);
        if (id == ID_UNK) status = unknown_piece(a, word, err);
        else vectors_add(&a->x, vocab_piece(e->side->vocab, id), var_row_values(e->E, id), e->E->cols);
    }
    arrfree(ids);
    return status;
}

static void add_all(AttendInput *a) {
    const Embeddings *e = &a->model;
    for (int id = ID_SPECIALS; id < vocab_size(e->side->vocab); id++)
        vectors_add(&a->x, vocab_piece(e->side->vocab, id), var_row_values(e->E, id), e->E->cols);
}

/* Returns the id of `word`: a normalised word of one piece, or a piece as written in the vocabulary; or -1 with *err
   filled. */
static int piece_of(const AttendInput *a, const char *word, Err *err) {
    const Embeddings *e = &a->model;
    int *ids = side_encode(e->side, word), id = arrlen(ids) == 2 ? side_piece(e->side, ids[0]) : ID_UNK;
    const ptrdiff_t pieces = arrlen(ids) - 1;
    arrfree(ids);
    if (id == ID_UNK) id = vocab_id(e->side->vocab, word);
    if (id != ID_UNK) return id;
    if (pieces < 2) return unknown_piece(a, word, err);
    return err_set(err, a->name, 0, "'%.100s' has %td pieces; give one of them, see `tide tokenize`", word, pieces);
}

/* ---- flags ------------------------------------------------------------------------------------------------------ */

static char *normalised(const char *word, Err *err) {
    char *text = text_normalise(word, strlen(word), NULL);
    if (text && *text) return text;
    err_set(err, NULL, 0, text ? "a word is empty" : "a word is not valid UTF-8");
    mem_free(text);
    return NULL;
}

static int read_words(const Args *args, AttendInput *a, Err *err) {
    if (!args_has(args, "words")) add_all(a);
    const char *word;
    for (int i = 0; (word = args_value(args, "words", i)); i++) {
        char *text = normalised(word, err);
        int status = text ? add_pieces(a, text, err) : -1;
        mem_free(text);
        if (status) return -1;
    }
    return 0;
}

/* Returns the vector of a word in the model's embeddings, or in a->x if there is no model; NULL with *err filled. */
static const float *find_vector(const AttendInput *a, const char *word, Err *err) {
    const bool model = a->model.E;
    char *text = normalised(word, err);
    if (!text) return NULL;
    int at = model ? piece_of(a, text, err) : vectors_find(&a->x, text);
    if (!model && at < 0) err_set(err, a->name, 0, "no word '%.100s'", text);
    mem_free(text);
    if (at < 0) return NULL;
    return model ? var_row_values(a->model.E, at) : a->x.numbers + (size_t)at * (size_t)a->x.cols;
}

/* Returns the vector of --query, which is a word or as many numbers as each vector has; NULL with *err filled.
   The numbers are added to *numbers, a stb_ds array. */
static const float *read_query(const Args *args, const AttendInput *a, float **numbers, Err *err) {
    const char *const *texts = args_values(args, "query");
    const int count = args_count(args, "query");
    float number;
    if (count == 1 && (a->x.cols > 1 || !number_parse(texts[0], &number))) return find_vector(a, texts[0], err);
    for (int i = 0; i < count; i++) {
        if (number_parse(texts[i], &number) != 1) {
            err_set(err, "--query", 0, "'%.100s' is not a finite number", texts[i]);
            return NULL;
        }
        arrput(*numbers, number);
    }
    if (count == a->x.cols) return *numbers;
    err_set(err, "--query", 0, "%d numbers, but the vectors have %d", count, a->x.cols);
    return NULL;
}

static const char *const matrix_names[] = {"W_Q", "W_K", "W_V"};

/* Draws a random matrix from N(0, 1/rows), so that the product with a vector keeps the variance. */
static void draw_weights(Vectors *W, int rows, int cols, Rng *rng) {
    float *row = mem_alloc((size_t)cols * sizeof *row);
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < cols; k++) row[k] = (float)(rng_normal(rng) / sqrt(rows));
        vectors_add(W, "", row, cols);
    }
    mem_free(row);
}

static int check_weights(const AttendInput *a, const char *const *paths, Err *err) {
    for (int i = 0; i < 3; i++)
        if (a->W[i].rows != a->x.cols)
            return err_set(err, paths[i], 0, "%s has %d rows, but the vectors have %d numbers", matrix_names[i],
                           a->W[i].rows, a->x.cols);
        else if (a->W[i].cols % a->heads)
            return err_set(err, paths[i], 0, "%s has %d columns, not a multiple of %d heads", matrix_names[i],
                           a->W[i].cols, a->heads);
    if (a->W[0].cols == a->W[1].cols) return 0;
    return err_set(err, paths[1], 0, "W_K has %d columns, but W_Q has %d", a->W[1].cols, a->W[0].cols);
}

static int read_weights(const Args *args, AttendInput *a, Err *err) {
    const char *paths[3] = {NULL, NULL, NULL};
    if (!a->columns && !args_has(args, "weights")) return 0;
    Rng rng = rng_seed((uint64_t)a->seed, 1);
    for (int i = 0; i < 3; i++) {
        paths[i] = args_value(args, "weights", i);
        if (a->columns) draw_weights(&a->W[i], a->x.cols, a->columns, &rng);
        else if (vectors_read(&a->W[i], paths[i], err)) return -1;
    }
    return check_weights(a, paths, err);
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static int search(const Args *args, const AttendInput *a, Err *err) {
    float *numbers = NULL;
    const float *query = read_query(args, a, &numbers, err);
    int status = query ? attend_search(a, query, args_values(args, "query"), args_count(args, "query"), err) : -1;
    arrfree(numbers);
    return status;
}

static int list_neighbours(const Args *args, const AttendInput *a, Err *err) {
    const char *word = args_value(args, "neighbours", 0);
    const float *vector = find_vector(a, word, err);
    if (vector) attend_neighbours(a, word, vector);
    return vector ? 0 : -1;
}

/* The values of --show, in the order of its list. */
typedef enum { ATTENTION, EQUIVARIANCE, SCALING } What;

static int show(const Args *args, AttendInput *a, What what, Err *err) {
    if (read_weights(args, a, err)) return -1;
    if (args_has(args, "query")) return search(args, a, err);
    if (args_has(args, "neighbours")) return list_neighbours(args, a, err);
    if (what == EQUIVARIANCE) return attend_shuffled(a, err);
    if (what == ATTENTION) return attend_show(a, args_value(args, "heatmap", 0), err);
    attend_scaling(a->tape, a->seed);
    return 0;
}

/* Reads the vectors: the embeddings of a model, those of a file, or an example. */
static int read_vectors(const Args *args, AttendInput *a, Translator *tr, bool target, Err *err) {
    const char *path = args->word_count ? args->words[0] : NULL;
    if (args_has(args, "model")) {
        a->name = args_value(args, "model", 0);
        if (models_load_one(tr, a->name, err)) return -1;
        a->model = (Embeddings){target ? &tr->target : &tr->source,
                                target ? model_target_embedding(&tr->model) : tr->model.encoder.E};
        return read_words(args, a, err);
    }
    a->name = path && strcmp(path, "-") != 0 ? path : "standard input";
    if (path) return vectors_read(&a->x, path, err);
    take_example(a);
    return 0;
}

/* Checks that the flags do not contradict each other. */
static int contradiction(const Args *args, What what, Err *err) {
    const bool query = args_has(args, "query"), near = args_has(args, "neighbours"), model = args_has(args, "model");
    const bool given = args_has(args, "weights"), random = args_has(args, "random-weights");
    if (args->word_count > 1) return usage_error(err, "attend reads one FILE; see `tide attend --help`");
    if (model && args->word_count) return usage_error(err, "vectors come from FILE or from --model, not from both");
    if (!model && (args_has(args, "words") || args_has(args, "side")))
        return usage_error(err, "--words and --side need --model");
    if (query + near + args_has(args, "show") > 1)
        return usage_error(err, "--query, --neighbours and --show cannot be given together");
    if (given && random) return usage_error(err, "--weights and --random-weights cannot be given together");
    if (args_has(args, "heads") && !given && !random)
        return usage_error(err, "--heads needs --weights or --random-weights");
    if (args_has(args, "heatmap") && (query || near || what != ATTENTION))
        return usage_error(err, "--heatmap draws attention only");
    if (args_has(args, "picture-language") && !args_has(args, "heatmap"))
        return usage_error(err, "--picture-language needs --heatmap");
    return 0;
}

static int run(const Args *args, Err *err) {
    Tape tape;
    AttendInput a = {.tape = &tape, .scale = args_has(args, "scale")};
    Translator translator = {0};
    int target, what, language;
    if (args_choice(args, "show", &what, err) || args_choice(args, "side", &target, err) ||
        args_int(args, "heads", &a.heads, err) || args_int(args, "seed", &a.seed, err) ||
        args_choice(args, "picture-language", &language, err) || args_int(args, "most", &a.most, err) ||
        args_int(args, "random-weights", &a.columns, err) || contradiction(args, (What)what, err))
        return -1;
    a.picture.language = (HeatmapLanguage)language;
    Threads *threads = threads_new(1);
    tape_init(&tape, threads, rng_seed(0, 0));
    int status = read_vectors(args, &a, &translator, target, err);
    if (!status) status = show(args, &a, (What)what, err);
    tape_free(&tape);
    threads_free(threads);
    translator_free(&translator);
    for (int i = 0; i < 3; i++) vectors_free(&a.W[i]);
    vectors_free(&a.x);
    return status;
}

const Command command_attend = {
    .name = "attend",
    .summary = "show self-attention step by step on a few vectors",
    .usage = "[FILE | --model MODEL [--words WORD ...]] [flags]",
    .about =
        "Shows how words attend to each other: scores X Xᵀ, their softmax, and the context softmax(X Xᵀ) X. Each line\n"
        "of FILE is a vector: a word and its numbers, or only the numbers. `-` is standard input. FILE can be a text\n"
        "file of word2vec, fastText or GloVe. Without FILE, the words are an example sentence of six words.\n"
        "With W_Q, W_K, W_V and --scale, it is the attention of a Transformer, softmax(Q Kᵀ / √d_k) V.\n\n"
        "--show equivariance: compares the contexts for two orders of the words.\n"
        "--show scaling: shows why scores are divided by √d_k.\n"
        "--query: attention as a search. --neighbours: the words nearest to a word. Both can search all embeddings of\n"
        "a model: `tide attend --model MODEL --neighbours 猫`.",
    COMMAND_FLAGS(flags),
    .prints = true,
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples =
        REMARKS({"tide attend", "Show each step for a sentence of six words"},
                {"tide attend vectors.txt --scale --random-weights 8 --heads 2 --heatmap weights.svg",
                 "Show two heads of a Transformer's attention, and draw the weights"},
                {"tide attend --model run1 --neighbours 猫", "List the words with embeddings like that of a word"}),
    .see = "translate",
    .run = run,
};
