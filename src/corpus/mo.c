#include "corpus/mo.h"

#include <string.h>

/* In bytes: the header is seven 32-bit words; a table entry is a length and an offset. */
enum { HEADER = 28, ENTRY = 8 };
/* Limit on the average number of strings that a byte belongs to, so that the work stays linear in the size. */
enum { MOST_SHARED = 8 };

static const uint32_t MAGIC = 0x950412de, MAGIC_SWAPPED = 0xde120495;

/* The 32-bit word at an offset, aligned or not. */
static uint32_t word_at(const Mo *mo, size_t offset) {
    uint32_t word;
    memcpy(&word, mo->bytes + offset, sizeof word);
    return mo->swapped ? __builtin_bswap32(word) : word;
}

static bool table_fits(const Mo *mo, uint32_t offset) {
    return (uint64_t)offset + (uint64_t)mo->count * ENTRY <= mo->size;
}

/* The sum of the lengths of all strings; each length counts as at most the size of the file. */
static uint64_t message_bytes(const Mo *mo) {
    const uint32_t tables[2] = {mo->originals, mo->translations};
    uint64_t bytes = 0;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < mo->count; i++) {
            const uint32_t length = word_at(mo, (size_t)tables[k] + (size_t)i * ENTRY);
            bytes += length < mo->size ? length : mo->size;
        }
    return bytes;
}

int mo_open(Mo *mo, const char *bytes, size_t size, const char *path, Err *err) {
    *mo = (Mo){.bytes = bytes, .size = size};
    if (size < HEADER) return err_set(err, path, 0, "is not a gettext catalogue (%zu bytes)", size);
    uint32_t magic = word_at(mo, 0);
    if (magic != MAGIC && magic != MAGIC_SWAPPED) return err_set(err, path, 0, "is not a gettext catalogue");
    mo->swapped = magic == MAGIC_SWAPPED;
    uint32_t major = word_at(mo, 4) >> 16;
    if (major > 1) return err_set(err, path, 0, "is a gettext catalogue of a later format (%u)", major);
    mo->count = word_at(mo, 8);
    mo->originals = word_at(mo, 12);
    mo->translations = word_at(mo, 16);
    if (!table_fits(mo, mo->originals) || !table_fits(mo, mo->translations))
        return err_set(err, path, 0, "is cut off: the tables of its %u messages are not within the file", mo->count);
    if (message_bytes(mo) > MOST_SHARED * (uint64_t)size)
        return err_set(err, path, 0, "is not a valid catalogue: its %u messages share bytes", mo->count);
    return 0;
}

/* String i of a table, NUL-terminated; NULL if it is not within the file. */
static const char *string_at(const Mo *mo, uint32_t table, uint32_t i, size_t *length) {
    size_t entry = (size_t)table + (size_t)i * ENTRY, offset = word_at(mo, entry + 4);
    *length = word_at(mo, entry);
    if (offset >= mo->size || *length >= mo->size - offset || mo->bytes[offset + *length] != '\0') return NULL;
    return mo->bytes + offset;
}

int mo_message(const Mo *mo, uint32_t i, const char *path, MoMessage *message, Err *err) {
    CHECK(i < mo->count, "message %u of %u", i, mo->count);
    size_t original_length, translation_length;
    const char *original = string_at(mo, mo->originals, i, &original_length);
    const char *translation = string_at(mo, mo->translations, i, &translation_length);
    if (!original || !translation) return err_set(err, path, (long)i + 1, "the message is not within the file");
    const char *end_of_context = memchr(original, '\4', original_length);
    message->context = end_of_context ? original : NULL;
    message->singular = end_of_context ? end_of_context + 1 : original;
    const char *next = message->singular + strlen(message->singular);
    message->plural = next < original + original_length ? next + 1 : NULL;
    message->first = message->last = translation;
    while ((next = message->last + strlen(message->last)) < translation + translation_length) message->last = next + 1;
    return 0;
}
