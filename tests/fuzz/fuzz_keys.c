/* Fuzz target: the file of keys of `tide serve`. */
#include "fuzz.h"
#include "serve/keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    FuzzFile file = memory_file(data, size);
    Keys keys;
    Err err = {0};
    if (keys_read(&keys, file.path, &err)) CHECK(err.reason[0] && !keys.count, "refused without a reason");
    else CHECK(keys.count > 0, "no keys");
    for (int i = 0; i < keys.count; i++) {
        Key *key = &keys.list[i];
        const size_t n = strlen(key->text);
        CHECK(n >= 16 && n < KEY_SIZE && !strpbrk(key->text, " \t"), "the key '%s'", key->text);
        CHECK(keys_find(&keys, key->text) == key, "another key is found than '%s'", key->text);
        for (int k = 0; k < QUOTAS; k++) CHECK(key->quotas[k].most >= 0, "the quota %ld", key->quotas[k].most);
        while (!key_take(key, 1L << 40, 0).exceeded && key->quotas[0].used < 1L << 50) continue;
        CHECK(!key->quotas[0].most || key->quotas[0].used <= key->quotas[0].most, "%ld used", key->quotas[0].used);
    }
    keys_free(&keys);
    memory_file_close(&file);
    return 0;
}
