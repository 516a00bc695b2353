/* tide serve: an HTTP server. The program tide-serve runs it: see tide_serve.c. */
#include "cli/cli.h"
#include "cli/messages.h"
#include "cli/word_lists.h"

static const Flag flags[] = {
    {"listen", 1, "ADDRESS", "HOST:PORT or unix:PATH to listen on; port 0: a free one", .fallback = "127.0.0.1:5000"},
    {"host", MANY, "NAME ...", "names of this server, for requests whose Host is not localhost or an IP address",
     .kind = VALUE_TEXT},
    FLAG_FILE("api-key-file",
              "serve only clients with a key of FILE, which has one on each line, and perhaps its quotas"),
    {"cors", 1, "ORIGIN", "let pages of this origin use the server; *: all pages", .kind = VALUE_TEXT},
    {"glossary", MANY, "FILE ...",
     "for each MODEL: translate terms as FILE says, lines of `source TAB target`; -: none", .kind = VALUE_FILE},
    {"shortlist", MANY, "FILE ...",
     "for each MODEL: use only words that FILE gives for the source, as `tide translate` does; -: none",
     .kind = VALUE_FILE},
    FLAGS_SHORTLIST_SIZE,
    FLAG_FILE(
        "pinyin",
        "show pinyin above Chinese characters on the live page, and answer /v1/pinyin; FILE is a dictionary in the "
        "form of CC-CEDICT, plain or compressed"),
    FLAG_FILE("corrections", "keep corrections in this folder, answer with them, and learn from them"),
    {"memory", MANY, "FILE ...", "answer with the pairs of these translation memories (TMX)", .kind = VALUE_FILE},
    FLAG_INT("learn-after",
             "new corrections, and at least a fifth of those before, that begin a learning; 0: only a request does", 0,
             1 << 30, "50"),
    FLAG_SWITCH("learn-shared", "let the models of all keys learn from the corrections of all keys"),
    FLAG_FILE("learn-text", "pairs that keep what a model knows while it learns (TSV); see tide learn --keep-tsv"),
    FLAG_FILE("learn-dev", "development set that must not get worse (TSV); see tide learn --valid-tsv"),
    FLAG_FILE("access-log", "append a line to FILE for each answered request; -: standard output"),
    FLAG_SWITCH("watch", "load a model again when one of its files changes"),
    FLAG_INT("max-body", "most bytes in the body of a request", 64, 1 << 30, "1048576"),
    FLAG_INT("max-sentences", "most sentences in a request", 1, 1 << 20, "256"),
    FLAG_INT("max-length", "most pieces in a sentence; memory grows with the square", 2, 1 << 16, "500"),
    FLAG_INT("max-beam", "most hypotheses of a search", 1, 1000, "16"),
    FLAG_INT("max-queue", "most sentences that wait; more get status 429", 1, 1 << 20, "512"),
    FLAG_INT("max-connections", "most open connections", 1, 1 << 16, "512"),
    FLAG_INT("connections-per-address", "most open connections of an address, except this machine's; 0: no limit", 0,
             1 << 16, "0"),
    FLAG_INT("mini-batch", "most sentences translated together; the results are the same", 1, 4096, "32"),
    {"batch-wait", 1, "MS", "milliseconds for which a batch waits for more sentences", VALUE_REAL, 0, 1000, NULL, "2"},
    {"timeout", 1, "S", "seconds from the first byte of a request to its answer", VALUE_REAL, 0.1, 3600, NULL, "30"},
    FLAGS_MESSAGES,
    FLAG_THREADS,
    FLAG_ISA,
};

const Command command_serve = {
    .name = "serve",
    .summary = "translate for HTTP clients, as LibreTranslate does",
    .usage = "[MODEL ...] [flags]",
    .about =
        "Each MODEL is a directory that `tide train` made, a model.safetensors, or the name of an installed model;\n"
        "without MODEL, zh-en and en-zh are served if they are installed. Models with different languages\n"
        "are directions, which requests choose by source and target; of several models of one direction, requests\n"
        "choose by the field `model`, the last part of the path. The API is LibreTranslate's with additions;\n"
        "/openapi.json describes it. --threads is the number of sentences' batches computed at the same time.\n\n"
        "--glossary has a FILE for each MODEL, in their order, because a list of terms is for one direction. A\n"
        "request may add terms by its field `glossary`; if both lists have the same source, that of the request\n"
        "counts. --shortlist also has a FILE for each MODEL.\n\n"
        "The server listens on this machine only, unless --listen says otherwise. It has no TLS: put a proxy in\n"
        "front of it. SIGTERM ends it after the requests that have arrived.",
    COMMAND_FLAGS(flags),
    .word = {.values = MANY, .kind = VALUE_FILE},
    .examples = REMARKS(
        {"tide serve run1", "Serve a model on this machine"},
        {"curl -d q=潮水退了。 -d source=zh -d target=en http://127.0.0.1:5000/translate", "Use the server"},
        {"tide serve zh-en en-zh --watch --api-key-file keys --listen 0.0.0.0:5000 --host translate.example.org",
         "Serve both directions to clients with a key, also by this name"},
        {"tide serve zh-en en-zh --glossary terms.tsv -",
         "Translate terms as a list says, from Chinese to English only"}),
    .see = "learn train translate",
    .missing = "`make` builds it beside tide if Debian's package libmicrohttpd-dev is installed; copy both programs",
};
