/* call.c: how each call of the public API runs: in a scope, in the locale "C", and with a line of text for a failure.
 */
#include "api/api.h"
#include "io/system.h"
#include "io/utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *tide_status_text(TideStatus status) {
    static const char *const texts[] = {"no error",
                                        "out of memory",
                                        "invalid argument",
                                        "file cannot be used",
                                        "invalid text",
                                        "sentence too long",
                                        "not supported by this model",
                                        "cancelled",
                                        "internal error"};
    return (unsigned)status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

bool call_fail(Call *call, TideStatus status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(call->error, ERROR_SIZE, format, args);
    va_end(args);
    call->status = status;
    return false;
}

bool call_fail_err(Call *call, TideStatus status, const char *name, const Err *err) {
    char text[ERR_TEXT];
    if (name && err->line && !err->path[0]) return call_fail(call, status, "%s %ld: %s", name, err->line, err->reason);
    err_text(err, text);
    return call_fail(call, status, "%s", text);
}

static void run(void *context) {
    Call *call = context;
    if (call->session) session_open(call->session);
    call->work(call);
}

TideStatus call_run(Call *call, Scope *scope, CallWork *work) {
    call->host = locale_enter();
    call->error[0] = '\0';
    call->status = TIDE_OK;
    call->work = work;
    const ScopeEnd end = call->host ? scope_run(scope, run, call, call->error, ERROR_SIZE) : SCOPE_REFUSED;
    if (end == SCOPE_REFUSED) call_fail(call, TIDE_NO_MEMORY, "out of memory");
    if (end == SCOPE_FAILED) call->status = TIDE_INTERNAL;
    if (call->host) locale_use(call->host);
    return call->status;
}

TideStatus call_once(Call *call, CallWork *work, char *error, size_t size) {
    char text[ERROR_SIZE] = "";
    Scope scope = {0};
    call->error = text;
    const TideStatus status = call_run(call, &scope, work);
    if (call->keeps && status == TIDE_OK) scope_forget(&scope);
    else scope_release(&scope);
    if (error && size) snprintf(error, size, "%s", text);
    return status;
}

TideStatus call_session(Call *call, TideSession *session, CallWork *work) {
    if (!session) return TIDE_BAD_ARGUMENT;
    call->session = session;
    call->error = session->error;
    return call_run(call, &session->scope, work);
}

bool struct_size_valid(size_t size) {
    enum { MOST_STRUCT = 4096 };
    return size >= sizeof size && size <= MOST_STRUCT;
}

bool options_copy(Call *call, const void *given, void *options, size_t size) {
    memset(options, 0, size);
    if (!given) return true;
    size_t there;
    memcpy(&there, given, sizeof there);
    if (!struct_size_valid(there))
        return call_fail(call, TIDE_BAD_ARGUMENT,
                         "options with a size of %zu bytes: set `size` to the size of the struct", there);
    for (size_t i = size; i < there; i++)
        if (((const char *)given)[i])
            return call_fail(call, TIDE_BAD_ARGUMENT, "libtide %s does not know an option that the program has set",
                             TIDE_VERSION);
    memcpy(options, given, there < size ? there : size);
    return true;
}

bool option_between(Call *call, const char *name, int value, int least, int most) {
    if (value >= least && value <= most) return true;
    return call_fail(call, TIDE_BAD_ARGUMENT, "%s is %d, but must be between %d and %d", name, value, least, most);
}

bool texts_given(Call *call, const char *name, const char *const *texts, int n) {
    if (n < 0) return call_fail(call, TIDE_BAD_ARGUMENT, "the count is %d", n);
    for (int i = 0; i < n; i++)
        if (!texts || !texts[i]) return call_fail(call, TIDE_BAD_ARGUMENT, "%s %d is NULL", name, i + 1);
    return true;
}

bool file_text_given(Call *call, const char *name, const char *text) {
    return utf8_valid(text, strlen(text)) || call_fail(call, TIDE_BAD_TEXT, "%s: not valid UTF-8", name);
}

bool argument_given(Call *call, const char *name, const void *pointer) {
    return pointer || call_fail(call, TIDE_BAD_ARGUMENT, "the %s is NULL", name);
}
