#include "serve/keys.h"

#include "io/ds.h"
#include "io/lines.h"
#include "io/utf8.h"

#include <stdlib.h>
#include <string.h>

enum { SHORTEST_KEY = 16 };

static const struct {
    const char *name;
    double seconds;
} periods[QUOTAS] = {{"minute", 60}, {"day", 86400}};

/* ---- the file --------------------------------------------------------------------------------------------------- */

/* Reads a quota of n bytes, such as "day=1000". Returns 0, or -1 if it is none. */
static int read_quota(Key *key, const char *text, size_t n) {
    enum { MOST_DIGITS = 15 };
    for (int i = 0; i < QUOTAS; i++) {
        const size_t length = strlen(periods[i].name);
        if (!starts_with(text, periods[i].name) || text[length] != '=') continue;
        const char *const digits = text + length + 1;
        const size_t count = strspn(digits, "0123456789");
        key->quotas[i].most = count <= MOST_DIGITS ? strtol(digits, NULL, 10) : 0;
        return digits + count == text + n && key->quotas[i].most > 0 ? 0 : -1;
    }
    return -1;
}

/* Reads a line. Returns 0, or -1 with *err filled. */
static int read_key(Key *key, const char *line, const char *path, long number, Err *err) {
    static const char blanks[] = " \t";
    const size_t n = strcspn(line, blanks);
    if (n < SHORTEST_KEY || n >= KEY_SIZE)
        return err_set(err, path, number, "a key of %zu bytes: it must have %d to %d", n, SHORTEST_KEY, KEY_SIZE - 1);
    memcpy(key->text, line, n);
    for (const char *at = line + n; *(at += strspn(at, blanks)); at += strcspn(at, blanks)) {
        const size_t length = strcspn(at, blanks);
        if (read_quota(key, at, length))
            return err_set(err, path, number, "'%.*s' is no quota, such as minute=5000 or day=100000",
                           length < 50 ? (int)length : 50, at);
    }
    return 0;
}

static int add_key(Keys *keys, const char *line, const char *path, long number, Err *err) {
    Key *key = &keys->list[keys->count];
    int status = read_key(key, line, path, number, err);
    if (!status && keys_find(keys, key->text)) status = err_set(err, path, number, "this key occurs twice");
    pthread_mutex_init(&key->mutex, NULL);
    keys->count++;
    return status;
}

int keys_read(Keys *keys, const char *path, Err *err) {
    char **lines = lines_read_raw(path, true, err);
    int status = lines ? 0 : -1;
    *keys = (Keys){0};
    if (lines) keys->list = mem_zalloc((size_t)(arrlen(lines) + 1) * sizeof *keys->list);
    for (ptrdiff_t i = 0; i < arrlen(lines) && !status; i++)
        if (*lines[i] && *lines[i] != '#') status = add_key(keys, lines[i], path, i + 1, err);
    if (!status && keys->count == 0) status = err_set(err, path, 0, "the file has no key");
    strings_free(lines);
    if (status) keys_free(keys);
    return status;
}

void keys_free(Keys *keys) {
    for (int i = 0; i < keys->count; i++) pthread_mutex_destroy(&keys->list[i].mutex);
    mem_free(keys->list);
    *keys = (Keys){0};
}

/* ---- requests --------------------------------------------------------------------------------------------------- */

Key *keys_find(const Keys *keys, const char *text) {
    char given[KEY_SIZE] = {0};
    const size_t n = text ? strlen(text) : 0;
    volatile int found = -1; /* volatile: the compiler must not leave a loop early */
    memcpy(given, text ? text : "", n < KEY_SIZE ? n : 0);
    for (int i = 0; i < keys->count; i++) {
        volatile unsigned char difference = 0;
        for (int k = 0; k < KEY_SIZE; k++) difference |= (unsigned char)(given[k] ^ keys->list[i].text[k]);
        found = difference == 0 ? i : found;
    }
    return found >= 0 && n < KEY_SIZE ? &keys->list[found] : NULL;
}

bool keys_serve(const Keys *keys, const char *text) { return keys->count == 0 || keys_find(keys, text); }

QuotaLeft key_take(Key *key, long characters, double now) {
    QuotaLeft left = {0};
    pthread_mutex_lock(&key->mutex);
    for (int i = 0; i < QUOTAS; i++) {
        Quota *quota = &key->quotas[i];
        if (!quota->used || now - quota->since >= periods[i].seconds) *quota = (Quota){quota->most, 0, now};
        if (quota->most && characters > quota->most - quota->used)
            left = (QuotaLeft){quota, periods[i].name, quota->since + periods[i].seconds - now};
    }
    for (int i = 0; i < QUOTAS && !left.exceeded; i++) key->quotas[i].used += characters;
    pthread_mutex_unlock(&key->mutex);
    return left;
}
