#include "serve/keys.h"

#include "io/ds.h"
#include "io/lines.h"

#include <string.h>

enum { SHORTEST_KEY = 16 };

int keys_read(Keys *keys, const char *path, Err *err) {
    char **lines = lines_read_raw(path, true, err);
    int status = lines ? 0 : -1;
    *keys = (Keys){0};
    if (lines) keys->list = mem_zalloc((size_t)(arrlen(lines) + 1) * sizeof *keys->list);
    for (ptrdiff_t i = 0; i < arrlen(lines) && !status; i++) {
        const size_t n = strlen(lines[i]);
        if (n == 0 || *lines[i] == '#') continue;
        if (n < SHORTEST_KEY || n >= KEY_SIZE)
            status =
                err_set(err, path, i + 1, "a key of %zu bytes: it must have %d to %d", n, SHORTEST_KEY, KEY_SIZE - 1);
        else memcpy(keys->list[keys->count++], lines[i], n);
    }
    if (!status && keys->count == 0) status = err_set(err, path, 0, "the file has no key");
    strings_free(lines);
    if (status) keys_free(keys);
    return status;
}

void keys_free(Keys *keys) {
    mem_free(keys->list);
    *keys = (Keys){0};
}

bool keys_serve(const Keys *keys, const char *key) {
    char given[KEY_SIZE] = {0};
    const size_t n = key ? strlen(key) : 0;
    volatile bool found = false; /* volatile: the compiler must not leave a loop early */
    memcpy(given, key ? key : "", n < KEY_SIZE ? n : 0);
    for (int i = 0; i < keys->count; i++) {
        volatile unsigned char difference = 0;
        for (int k = 0; k < KEY_SIZE; k++) difference |= (unsigned char)(given[k] ^ keys->list[i][k]);
        found |= difference == 0;
    }
    return keys->count == 0 || (found && n < KEY_SIZE);
}
