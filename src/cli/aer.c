/* tide aer: alignment error rate. */
#include "cli/cli.h"
#include "cli/messages.h"
#include "io/ds.h"
#include "io/lines.h"
#include "aligner/links.h"

#include <stdio.h>
#include <string.h>

static const Flag flags[] = {
    FLAG_SWITCH("one-ref", "the gold alignment counts words from 1, not from 0"),
    FLAG_SWITCH("score-only", "print the alignment error rate only"),
    FLAG_SWITCH("json", "print JSON"),
};

static int add_line(Aer *aer, const LineReader *found, const LineReader *gold, int first, Err *err) {
    Link *a = NULL, *g = NULL;
    for (int i = 0; i < 2; i++) {
        const LineReader *reader = i ? gold : found;
        if (strlen(reader->line) != reader->length)
            return err_set(err, reader->path, reader->number, "line holds a NUL");
    }
    int status = links_parse(found->line, 0, found->path, found->number, &a, err) ||
                 links_parse(gold->line, first, gold->path, gold->number, &g, err);
    if (!status) aer_add(aer, a, (int)arrlen(a), g, (int)arrlen(g));
    arrfree(a);
    arrfree(g);
    return status ? -1 : 0;
}

static int add_lines(Aer *aer, LineReader *found, LineReader *gold, int first, Err *err) {
    for (;;) {
        int more = line_reader_next(gold, err), other = more < 0 ? -1 : line_reader_next(found, err);
        if (more < 0 || other < 0) return -1;
        if (more != other)
            return err_set(err, found->path, found->number, "%s lines than %s has", other ? "more" : "fewer",
                           gold->path);
        if (!more) return gold->number ? 0 : err_set(err, gold->path, 0, "file is empty");
        if (add_line(aer, found, gold, first, err)) return -1;
    }
}

static int run(const Args *args, Err *err) {
    Aer aer = {0};
    LineReader gold, found = {0};
    if (args->word_count == 2) return input_is_a_word(err, "aer", args);
    if (args->word_count != 1) return usage_error(err, "aer needs one GOLD; see `tide aer --help`");
    if (line_reader_open(&gold, args->words[0], err)) return -1;
    message_waiting("links such as 0-0 1-2");
    int status = line_reader_open(&found, NULL, err);
    if (!status) status = add_lines(&aer, &found, &gold, args_has(args, "one-ref"), err);
    line_reader_close(&gold);
    line_reader_close(&found);
    if (status) return -1;
    if (args_has(args, "json"))
        printf("{\"name\": \"AER\", \"score\": %.4f, \"precision\": %.4f, \"recall\": %.4f, \"links\": %ld, "
               "\"sure\": %ld, \"possible\": %ld}\n",
               aer_rate(&aer), aer_precision(&aer), aer_recall(&aer), aer.found, aer.sure, aer.possible);
    else if (args_has(args, "score-only")) printf("%.4f\n", aer_rate(&aer));
    else
        printf("AER = %.4f precision = %.4f recall = %.4f (links = %ld sure = %ld possible = %ld)\n", aer_rate(&aer),
               aer_precision(&aer), aer_recall(&aer), aer.found, aer.sure, aer.possible);
    return 0;
}

const Command command_aer = {
    .name = "aer",
    .summary = "compute the alignment error rate of standard input",
    .usage = "GOLD [--one-ref] [--score-only | --json] < alignments",
    .about =
        "Each line holds the links of one sentence pair, separated by spaces, with the source word first. `3-4` is a\n"
        "sure link; in GOLD, `3p4` or `3-4-P` is a possible link. A: the links on standard input; S: the sure links\n"
        "of GOLD; P: all links of GOLD.\n\n"
        "precision = |A∩P|/|A|, recall = |A∩S|/|S|, AER = 1 - (|A∩S| + |A∩P|) / (|A| + |S|)  (Och & Ney 2003).",
    COMMAND_FLAGS(flags),
    .reads = true,
    .prints = true,
    .word = {.values = 1, .kind = VALUE_FILE},
    .examples = REMARKS({"tide align run1 --src dev.zh --tgt dev.en --level word | tide aer gold",
                         "Compare the links of a model with links made by people"}),
    .see = "align",
    .run = run,
};
