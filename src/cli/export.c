/* tide export: writes a model as a web page that translates by itself. */
#include "cli/models.h"
#include "io/files.h"
#include "io/output.h"
#include "view/web.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const Flag flags[] = {
    FLAG_SWITCH("html", "write one HTML file, which translates in a browser without a network"),
};

/* The line of the page that the model replaces. */
static const char place[] = "<!-- model -->\n";

/* The page without a model; the caller owns it. NULL with *err filled. */
static char *page_read(Err *err) {
    static const char *const names[] = {"../share/tide/page.html", "../browser/page.html"};
    char path[PATH_SIZE];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        program_path(path, sizeof path, names[i]);
        if (access(path, R_OK)) continue;
        char *page = file_read(path, NULL, err);
        if (!page || strstr(page, place)) return page;
        mem_free(page);
        err_set(err, path, 0, "is not the page of the browser edition");
        return NULL;
    }
    program_path(path, sizeof path, names[0]);
    err_set(
        err, NULL, 0,
        "this tide was built without the browser edition: there is no %.300s. In the sources of tide, `make browser` "
        "makes it, for build/tide, and `make install` installs it",
        path);
    return NULL;
}

/* The bytes of a model, compressed; the caller owns them. gzip belongs to every Debian system. */
static unsigned char *model_pack(const char *path, size_t *size, Err *err) {
    char gzip[] = "gzip", best[] = "-9nc", file[PATH_SIZE];
    FILE *in = model_find(path, file, err) ? NULL : file_open(file, "rb", err);
    if (!in) return NULL;
    const int out = file_in_memory(false);
    const int status = out < 0 ? -1 : program_run((char *[]){gzip, best, NULL}, fileno(in), out, -1);
    const off_t length = out < 0 ? 0 : lseek(out, 0, SEEK_END);
    unsigned char *bytes = status || length <= 0 ? NULL : mem_alloc((size_t)length);
    if (!bytes || file_read_at(out, bytes, (size_t)length, 0)) {
        err_set(err, path, 0, "gzip failed with exit status %d", status);
        mem_free(bytes);
        bytes = NULL;
    }
    *size = (size_t)length;
    if (out >= 0) close(out);
    fclose(in);
    return bytes;
}

/* Base64 (RFC 4648, section 4). */
static void write_base64(FILE *out, const unsigned char *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t n = size - i < 3 ? size - i : 3;
        uint32_t group = 0;
        for (size_t k = 0; k < n; k++) group |= (uint32_t)bytes[i + k] << (16 - 8 * k);
        for (size_t k = 0; k < 4; k++) fputc(k <= n ? digits[group >> (18 - 6 * k) & 63] : '=', out);
    }
}

/* The last part of a model's path, without slashes at its end, as a JSON string. */
static void write_name(FILE *out, const char *path) {
    size_t end = strlen(path), begin;
    while (end > 1 && path[end - 1] == '/') end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/'; begin--) continue;
    char *name = mem_strndup(path + begin, end - begin);
    web_text(out, name);
    mem_free(name);
}

static int write_page(const char *page, const char *model, const char *path, Err *err) {
    OutputFile output;
    size_t size;
    unsigned char *packed = model_pack(model, &size, err);
    if (!packed) return -1;
    int status = output_open(&output, path, err);
    if (!status) {
        const char *at = strstr(page, place);
        fwrite(page, 1, (size_t)(at - page), output.stream);
        fputs("<script type=\"application/json\" id=\"tide-about\">{\"name\":", output.stream);
        write_name(output.stream, model);
        fputs("}</script>\n<script type=\"text/plain\" id=\"tide-model\">", output.stream);
        write_base64(output.stream, packed, size);
        fprintf(output.stream, "</script>\n%s", at + strlen(place));
        status = output_commit(&output, err);
    }
    mem_free(packed);
    return status;
}

/* Whether the file is a model that tide can use. */
static int check_model(const char *path, Err *err) {
    Translator translator;
    if (models_load_one(&translator, path, err)) return -1;
    translator_free(&translator);
    return 0;
}

static int run(const Args *args, Err *err) {
    if (args->word_count != 2 || !args_has(args, "html"))
        return usage_error(err, "export needs --html, MODEL and OUT; see `tide export --help`");
    char *page = page_read(err);
    if (!page) return -1;
    const int status = check_model(args->words[0], err) || write_page(page, args->words[0], args->words[1], err);
    mem_free(page);
    return status ? -1 : 0;
}

const Command command_export = {
    .name = "export",
    .summary = "write a model as one HTML file that translates offline",
    .usage = "--html MODEL OUT",
    .about =
        "The page is that of `tide serve`: it translates while one types, and shows the alignment. It contains the\n"
        "model and needs no server, no network and no installation: it can be sent by mail and opened from disk.",
    COMMAND_FLAGS(flags),
    .word = {.values = 2, .kind = VALUE_FILE},
    .examples = REMARKS({"tide export --html run1 class.html", "Make a page that a class can open without a server"}),
    .see = "serve",
    .run = run,
};
