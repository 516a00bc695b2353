/* tide_serve.c: tide-serve, the program that `tide serve` executes. So tide starts without libmicrohttpd, whose
   libraries for TLS would double the time of every start. */
#include "cli/cli.h"
#include "cli/messages.h"
#include "cli/word_lists.h"
#include "io/ds.h"
#include "io/files.h"
#include "io/system.h"
#include "serve/serve.h"
#include "translate/model_file.h"

#include <string.h>
#include <unistd.h>

static void notice(const char *line) { message("tide: %s", line); }

/* Checks that there are corrections, if a flag is about learning from them. */
static int check_learning(const Args *args, Err *err) {
    static const char *const flags[] = {"learn-after", "learn-shared", "learn-text", "learn-dev"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (args_has(args, flags[i]) && !args_has(args, "corrections"))
            return usage_error(err, "--%s needs --corrections", flags[i]);
    return 0;
}

static int options_of(const Args *args, ServeOptions *o, Err *err) {
    double wait = 0;
    Limits *l = &o->limits;
    if (args_int(args, "max-body", &l->body, err) || args_int(args, "max-sentences", &l->sentences, err) ||
        args_int(args, "max-length", &l->pieces, err) || args_int(args, "max-beam", &l->beam, err) ||
        args_int(args, "max-queue", &l->queue, err) || args_int(args, "max-connections", &l->connections, err) ||
        args_int(args, "connections-per-address", &l->address, err) || args_int(args, "mini-batch", &l->batch, err) ||
        args_real(args, "batch-wait", &wait, err) || args_real(args, "timeout", &l->timeout, err) ||
        args_int(args, "learn-after", &o->learn.after, err) || machine_flags(args, &o->workers, err))
        return -1;
    l->wait = wait / 1000;
    o->learn.threads = o->workers;
    if (l->queue < l->sentences)
        return usage_error(err, "--max-queue %d is less than --max-sentences %d", l->queue, l->sentences);
    return 0;
}

/* The paths of the models that are served, those of the command line or the installed ones: a stb_ds array; release it
   with strings_free. NULL with *err filled if there is none. */
static char **choose_models(const Args *args, Err *err) {
    static const char *const usual[] = {"zh-en", "en-zh"};
    const int count = args->word_count ? args->word_count : (int)(sizeof usual / sizeof *usual);
    char **models = NULL, folder[PATH_SIZE];
    for (int i = 0; i < count; i++) {
        const char *name = args->word_count ? args->words[i] : usual[i];
        if (model_installed(name, folder)) arrput(models, mem_strdup(folder));
        else if (args->word_count || !access(name, F_OK)) arrput(models, mem_strdup(name));
    }
    if (!models)
        usage_error(err,
                    "serve needs at least one MODEL, because neither %s nor %s is installed; see `tide serve "
                    "--help`",
                    usual[0], usual[1]);
    return models;
}

/* Checks that a flag has a FILE for each model, or is not given. Returns 0, or -1 with *err filled. */
static int check_files(const Args *args, int models, const char *flag, Err *err) {
    const int given = args_count(args, flag);
    if (!given || given == models) return 0;
    return usage_error(err, "--%s has %d FILE%s for %d MODEL%s: give one for each, - for none", flag, given,
                       given > 1 ? "s" : "", models, models > 1 ? "s" : "");
}

/* The FILE of a flag for MODEL i; NULL: none. */
static const char *file_of(const Args *args, const char *flag, int i) {
    const char *path = args_value(args, flag, i);
    return path && strcmp(path, "-") != 0 ? path : NULL;
}

/* Fills list, [count]. Returns 0, or -1 with *err filled. */
static int models_of(const Args *args, char *const *paths, int count, ModelFiles *list, Err *err) {
    int first = 0, best = 0;
    if (shortlist_check(args, err) || args_int(args, "shortlist-first", &first, err) ||
        args_int(args, "shortlist-best", &best, err) || check_files(args, count, "glossary", err) ||
        check_files(args, count, "shortlist", err))
        return -1;
    for (int i = 0; i < count; i++)
        list[i] = (ModelFiles){paths[i], file_of(args, "glossary", i), file_of(args, "shortlist", i), first, best};
    return 0;
}

static int run(const Args *args, Err *err) {
    ServeOptions options = {.listen = args_value(args, "listen", 0),
                            .hosts = args_values(args, "host"),
                            .host_count = args_count(args, "host"),
                            .cors = args_value(args, "cors", 0),
                            .key_file = args_value(args, "api-key-file", 0),
                            .access_log = args_value(args, "access-log", 0),
                            .pinyin = args_value(args, "pinyin", 0),
                            .watch = args_has(args, "watch"),
                            .memories = args_values(args, "memory"),
                            .memory_count = args_count(args, "memory"),
                            .learn = {.folder = args_value(args, "corrections", 0),
                                      .shared = args_has(args, "learn-shared"),
                                      .text = args_value(args, "learn-text", 0),
                                      .dev = args_value(args, "learn-dev", 0)},
                            .notice = notice};
    if (!options.listen) options.listen = "127.0.0.1:5000";
    if (options_of(args, &options, err) || check_learning(args, err)) return -1;
    char **paths = choose_models(args, err);
    if (!paths) return -1;
    ModelFiles *models = mem_alloc(arrlenu(paths) * sizeof *models);
    options.models = models;
    options.model_count = (int)arrlen(paths);
    signals_ignore_pipes();
    const int status = models_of(args, paths, options.model_count, models, err) || serve(&options, err) ? -1 : 0;
    mem_free(models);
    strings_free(paths);
    return status;
}

static int serve_command(int argc, char **argv, double began) {
    Command command = command_serve;
    command.run = run;
    return command_run(&command, argc, argv, began);
}

int main(int argc, char **argv) { return cli_main(argc, argv, serve_command); }
