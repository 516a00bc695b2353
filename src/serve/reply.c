#include "serve/reply.h"

#include "core/base.h"
#include "io/system.h"
#include "text/unicode.h"

#include <stdarg.h>
#include <stdio.h>

int reply_error(Reply *reply, int status, const char *format, ...) {
    char text[REPLY_ERROR_SIZE / 2], *out = reply->error, *const end = reply->error + REPLY_ERROR_SIZE - 16;
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    for (size_t n = strlen(text); !utf8_valid(text, n);) text[--n] = '\0'; /* vsnprintf cuts inside characters */
    reply_free(reply);
    out += sprintf(out, "{\"error\":\"");
    for (const char *at = text; *at && out < end; at++) {
        if (*at == '"' || *at == '\\') *out++ = '\\';
        *out++ = (unsigned char)*at < ' ' ? ' ' : *at;
    }
    out += sprintf(out, "\"}\n");
    reply->status = status;
    reply->type = "application/json";
    reply->size = (size_t)(out - reply->error);
    return -1;
}

void reply_error_event(Reply *reply) {
    char body[REPLY_ERROR_SIZE];
    memcpy(body, reply->error, reply->size);
    reply->size = (size_t)sprintf(reply->error, "event: error\ndata: %.*s\n", (int)reply->size, body);
}

void reply_memory(Reply *reply, const char *type, MemoryFile *memory) {
    *reply = (Reply){.status = 200, .type = type};
    reply->body = memory_close(memory, &reply->size);
}

void reply_fixed(Reply *reply, const char *type, const char *text) {
    *reply = (Reply){.status = 200, .type = type, .fixed = text, .size = strlen(text)};
}

void reply_share(Reply *reply) {
    reply->shared = mem_alloc(sizeof *reply->shared);
    reply->shared->text = reply->body;
    atomic_init(&reply->shared->holds, 1);
    reply->body = NULL;
}

Reply reply_again(const Reply *reply) {
    atomic_fetch_add(&reply->shared->holds, 1);
    return *reply;
}

const char *reply_bytes(const Reply *reply) {
    if (reply->fixed) return reply->fixed;
    if (reply->shared) return reply->shared->text;
    return reply->body ? reply->body : reply->error;
}

int make_nonce(char nonce[NONCE_SIZE]) {
    unsigned char bytes[(NONCE_SIZE - 1) / 2];
    if (random_bytes(bytes, sizeof bytes)) return -1;
    for (size_t i = 0; i < sizeof bytes; i++) sprintf(nonce + 2 * i, "%02x", bytes[i]);
    return 0;
}

void reply_free(Reply *reply) {
    mem_free(reply->file);
    if (reply->shared && atomic_fetch_sub(&reply->shared->holds, 1) == 1) {
        mem_free(reply->shared->text);
        mem_free(reply->shared);
    }
    mem_free(reply->body);
    *reply = (Reply){0};
}
