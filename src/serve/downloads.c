#include "serve/downloads.h"

#include <stdio.h>
#include <string.h>

void downloads_init(Downloads *d) {
    *d = (Downloads){0};
    pthread_mutex_init(&d->mutex, NULL);
}

static void drop(Downloads *d, Download *file) {
    d->size -= file->size;
    mem_free(file->text);
    *file = (Download){0};
}

void downloads_free(Downloads *d) {
    for (int i = 0; i < DOWNLOADS; i++) drop(d, &d->list[i]);
    pthread_mutex_destroy(&d->mutex);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Adds n bytes to a text of `size` bytes, escaped as in a URL, as far as the text has room. */
static size_t add_escaped(char *text, size_t size, const char *bytes, size_t n) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    enum { ESCAPE = 3 };
    for (size_t i = 0; i < n && size + ESCAPE < DOWNLOAD_NAME; i++) {
        if (bytes[i] && strchr(plain, bytes[i])) text[size++] = bytes[i];
        else size += (size_t)sprintf(text + size, "%%%02X", (unsigned char)bytes[i]);
    }
    text[size] = '\0';
    return size;
}

void download_name(char name[DOWNLOAD_NAME], const char *path, const char *language) {
    enum { REST = 64 }; /* for the language and the ending */
    for (const char *at = path; *at; at++)
        if (*at == '/' || *at == '\\') path = at + 1;
    const char *dot = strrchr(path, '.');
    const size_t n = dot ? (size_t)(dot - path) : strlen(path);
    const size_t most = (DOWNLOAD_NAME - REST) / 3, stem = n < most ? n : most;
    size_t size = add_escaped(name, 0, path, stem);
    size = add_escaped(name, size, "_", 1);
    size = add_escaped(name, size, language, strnlen(language, 8));
    if (dot) add_escaped(name, size, dot, strnlen(dot, 8));
}

/* ---- files; the caller has the mutex ----------------------------------------------------------------------------- */

static void drop_old(Downloads *d, double now) {
    for (int i = 0; i < DOWNLOADS; i++)
        if (d->list[i].text && d->list[i].until <= now) drop(d, &d->list[i]);
}

/* The oldest file, or a free place if there is one. */
static Download *oldest(Downloads *d, bool free_place) {
    Download *found = NULL;
    for (Download *file = d->list; file < d->list + DOWNLOADS; file++) {
        if (!file->text && free_place) return file;
        if (file->text && (!found || file->until < found->until)) found = file;
    }
    return found;
}

/* ------------------------------------------------------------------------------------------------------------------ */

void downloads_add(Downloads *d, Download file, double now) {
    pthread_mutex_lock(&d->mutex);
    drop_old(d, now);
    while (d->size > 0 && d->size + file.size > DOWNLOAD_BYTES) drop(d, oldest(d, false));
    Download *place = oldest(d, true);
    drop(d, place);
    file.until = now + DOWNLOAD_SECONDS;
    *place = file;
    d->size += file.size;
    pthread_mutex_unlock(&d->mutex);
}

Download downloads_find(Downloads *d, const char *asked, double now) {
    Download copy = {0};
    if (strcspn(asked, ".") != NONCE_SIZE - 1) return copy;
    pthread_mutex_lock(&d->mutex);
    drop_old(d, now);
    for (int i = 0; i < DOWNLOADS && !copy.text; i++) {
        if (!d->list[i].text || memcmp(d->list[i].id, asked, NONCE_SIZE - 1) != 0) continue;
        copy = d->list[i];
        copy.text = mem_try_realloc(NULL, copy.size + 1);
        if (copy.text) memcpy(copy.text, d->list[i].text, copy.size + 1);
        else break;
    }
    pthread_mutex_unlock(&d->mutex);
    return copy;
}
