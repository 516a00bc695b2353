/* tide serve: an HTTP server. */
#include "serve/serve.h"
#include "cli/cli.h"
#include "cli/messages.h"
#include "cli/shortlist_flag.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const Flag flags[] = {
    {"listen", 1, "ADDRESS", "HOST:PORT to listen on; port 0: a free one", .fallback = "127.0.0.1:5000"},
    {"host", MANY, "NAME ...", "names of this server, for requests whose Host is not localhost or an IP address",
     .kind = VALUE_TEXT},
    {"api-key-file", 1, "FILE", "serve only clients with a key of FILE, which has one on each line",
     .kind = VALUE_FILE},
    {"cors", 1, "ORIGIN", "let pages of this origin use the server; *: all pages", .kind = VALUE_TEXT},
    {"glossary", MANY, "FILE ...",
     "for each MODEL: translate terms as FILE says, lines of `source TAB target`; -: none", .kind = VALUE_FILE},
    {"shortlist", MANY, "FILE ...",
     "for each MODEL: use only words that FILE gives for the source, as `tide translate` does; -: none",
     .kind = VALUE_FILE},
    FLAGS_SHORTLIST_SIZE,
    {.name = "watch", .help = "load a model again when one of its files changes"},
    {"max-body", 1, "N", "most bytes in the body of a request", VALUE_INT, 64, 1 << 30, NULL, "1048576"},
    {"max-sentences", 1, "N", "most sentences in a request", VALUE_INT, 1, 1 << 20, NULL, "256"},
    {"max-length", 1, "N", "most pieces in a sentence; memory grows with the square", VALUE_INT, 2, 1 << 16, NULL,
     "500"},
    {"max-beam", 1, "N", "most hypotheses of a search", VALUE_INT, 1, 1000, NULL, "16"},
    {"max-queue", 1, "N", "most sentences that wait; more get status 429", VALUE_INT, 1, 1 << 20, NULL, "512"},
    {"max-connections", 1, "N", "most open connections", VALUE_INT, 1, 1 << 16, NULL, "512"},
    {"mini-batch", 1, "N", "most sentences translated together; the results are the same", VALUE_INT, 1, 4096, NULL,
     "32"},
    {"batch-wait", 1, "MS", "milliseconds for which a batch waits for more sentences", VALUE_REAL, 0, 1000, NULL, "2"},
    {"timeout", 1, "S", "seconds from the first byte of a request to its answer", VALUE_REAL, 0.1, 3600, NULL, "30"},
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};

static void notice(const char *line) { message("tide: %s", line); }

static int options_of(const Args *args, ServeOptions *o, Err *err) {
    double wait = 0;
    Limits *l = &o->limits;
    if (args_int(args, "max-body", &l->body, err) || args_int(args, "max-sentences", &l->sentences, err) ||
        args_int(args, "max-length", &l->pieces, err) || args_int(args, "max-beam", &l->beam, err) ||
        args_int(args, "max-queue", &l->queue, err) || args_int(args, "max-connections", &l->connections, err) ||
        args_int(args, "mini-batch", &l->batch, err) || args_real(args, "batch-wait", &wait, err) ||
        args_real(args, "timeout", &l->timeout, err) || machine_flags(args, &o->workers, err))
        return -1;
    l->wait = wait / 1000;
    if (l->queue < l->sentences)
        return err_set(err, NULL, 0, "--max-queue %d is less than --max-sentences %d", l->queue, l->sentences);
    return 0;
}

/* Checks that a flag has a FILE for each MODEL, or is not given. Returns 0, or -1 with *err filled. */
static int check_files(const Args *args, const char *flag, Err *err) {
    const int given = args_count(args, flag), models = args->word_count;
    if (!given || given == models) return 0;
    return err_set(err, NULL, 0, "--%s has %d FILE%s for %d MODEL%s: give one for each, - for none", flag, given,
                   given > 1 ? "s" : "", models, models > 1 ? "s" : "");
}

/* The FILE of a flag for MODEL i; NULL: none. */
static const char *file_of(const Args *args, const char *flag, int i) {
    const char *path = args_value(args, flag, i);
    return path && strcmp(path, "-") != 0 ? path : NULL;
}

/* Fills list, [number of models]. Returns 0, or -1 with *err filled. */
static int models_of(const Args *args, ModelFiles *list, Err *err) {
    int first = 0, best = 0;
    if (shortlist_misused(args, err) || args_int(args, "shortlist-first", &first, err) ||
        args_int(args, "shortlist-best", &best, err) || check_files(args, "glossary", err) ||
        check_files(args, "shortlist", err))
        return -1;
    for (int i = 0; i < args->word_count; i++)
        list[i] =
            (ModelFiles){args->words[i], file_of(args, "glossary", i), file_of(args, "shortlist", i), first, best};
    return 0;
}

static int run(const Args *args) {
    Err err;
    ServeOptions options = {.model_count = args->word_count,
                            .listen = args_value(args, "listen", 0),
                            .cors = args_value(args, "cors", 0),
                            .key_file = args_value(args, "api-key-file", 0),
                            .watch = args_has(args, "watch"),
                            .notice = notice};
    const char *hosts[64];
    if (args->word_count < 1) return usage_error("serve needs at least one MODEL; see `tide serve --help`");
    if (!options.listen) options.listen = "127.0.0.1:5000";
    for (; options.host_count < 64 && args_value(args, "host", options.host_count); options.host_count++)
        hosts[options.host_count] = args_value(args, "host", options.host_count);
    if (args_value(args, "host", 64)) return usage_error("more than 64 names after --host");
    options.hosts = hosts;
    if (options_of(args, &options, &err)) return usage_error("%s", err.reason);
    ModelFiles *models = mem_alloc((size_t)args->word_count * sizeof *models);
    options.models = models;
    int status = models_of(args, models, &err) ? usage_error("%s", err.reason) : 0;
    signal(SIGPIPE, SIG_IGN);
    if (!status && serve(&options, &err)) status = fail(&err);
    mem_free(models);
    return status;
}

static const Remark examples[] = {
    {"tide serve run1", "Serve a model on this machine"},
    {"curl -d q=潮水退了。 -d source=zh -d target=en http://127.0.0.1:5000/translate", "Use the server"},
    {"tide serve zh-en en-zh --watch --api-key-file keys --listen 0.0.0.0:5000 --host translate.example.org",
     "Serve both directions to clients with a key, also by this name"},
    {"tide serve zh-en en-zh --glossary terms.tsv -", "Translate terms as a list says, from Chinese to English only"},
    {0}};

const Command command_serve = {
    .name = "serve",
    .summary = "translate for HTTP clients, as LibreTranslate does",
    .usage = "MODEL ... [flags]",
    .about =
        "Each MODEL is a directory that `tide train` made, or a model.safetensors. Models with different languages\n"
        "are directions, which requests choose by source and target; of several models of one direction, requests\n"
        "choose by the field `model`, the last part of the path. The API is LibreTranslate's with additions;\n"
        "/openapi.json describes it. --threads is the number of sentences' batches computed at the same time.\n\n"
        "--glossary has a FILE for each MODEL, in their order, because a list of terms is for one direction. A\n"
        "request may add terms by its field `glossary`; if both lists have the same source, that of the request\n"
        "counts. --shortlist also has a FILE for each MODEL.\n\n"
        "The server listens on this machine only, unless --listen says otherwise. It has no TLS: put a proxy in\n"
        "front of it. SIGTERM ends it after the requests that have begun.",
    .flags = flags,
    .flag_count = sizeof flags / sizeof *flags,
    .word = {.values = MANY, .kind = VALUE_FILE},
    .examples = examples,
    .see = "train translate",
    .run = run,
};
