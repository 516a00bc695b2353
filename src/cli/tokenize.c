/* tide tokenize: splits standard input into pieces with a model's tokeniser, or joins pieces to text. */
#include "cli/messages.h"
#include "cli/models.h"
#include "io/ds.h"
#include "text/normal_lines.h"

#include <stdio.h>

static const Flag flags[] = {
    FLAG_CHOICE("side", "tokeniser to use: of the source or of the target", "src|tgt", "src"),
    FLAG_SWITCH("join", "the inverse: join pieces that are separated by spaces to text"),
};

/* Splits the current line with `from`, joins the pieces as tokeniser `to` does, and prints the result. */
static int convert(const Side *from, TokenizerKind to, const LineReader *lines, Err *err) {
    char *text = line_reader_text(lines, 0, lines->length, err);
    if (!text) return -1;
    char **pieces = side_split(from, text), *joined = tokenizer_join(to, pieces, (int)arrlen(pieces));
    fprintf(results(), "%s\n", joined);
    mem_free(joined);
    strings_free(pieces);
    mem_free(text);
    return 0;
}

/* Converts line by line, so that memory depends only on the longest line. */
static int convert_all(const Side *side, bool join, Err *err) {
    const Side spaces = {.tokenizer.kind = TOKENIZER_NONE};
    const Side *from = join ? &spaces : side;
    const TokenizerKind to = join ? side->tokenizer.kind : TOKENIZER_NONE;
    LineReader lines;
    int status = line_reader_open(&lines, NULL, err);
    lines.keep_mark = join; /* a piece may be a byte order mark */
    while (!status && (status = line_reader_next(&lines, err)) > 0) status = convert(from, to, &lines, err);
    line_reader_close(&lines);
    return status;
}

static int run(const Args *args, Err *err) {
    int target;
    Translator translator;
    if (args->word_count == 2) return input_is_a_word(err, "tokenize", args);
    if (args->word_count != 1) return usage_error(err, "tokenize needs one MODEL; see `tide tokenize --help`");
    if (args_choice(args, "side", &target, err) || models_load_one(&translator, args->words[0], err)) return -1;
    const Side *side = target ? &translator.target : &translator.source;
    message_waiting("sentences");
    int status = convert_all(side, args_has(args, "join"), err);
    translator_free(&translator);
    return status;
}

const Command command_tokenize = {
    .name = "tokenize",
    .summary = "split standard input into the pieces of a model",
    .usage = "MODEL [--side src|tgt] [--join] < text > pieces",
    .about = "Prints the pieces of each line, normalised to NFKC and separated by spaces, so that another\n"
             "toolkit can train on the same text. Pieces that are not in the model's vocabulary are printed as\n"
             "well.",
    COMMAND_FLAGS(flags),
    .reads = true,
    .prints = true,
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = REMARKS({"tide tokenize run1 < test.zh > test.pieces", "Split the sentences of a file"},
                        {"tide tokenize run1 --side tgt --join < pieces.en", "Join pieces of the target language"}),
    .see = "translate",
    .run = run,
};
