/* Fuzz target: the body of a request of `tide serve`. The first byte chooses its type; the rest is the body. The
   boundary of a multipart form is one letter, which the fuzzer can guess. An accepted body has texts that are valid
   UTF-8, and numbers and counts within the limits. */
#include "fuzz.h"
#include "serve/fields.h"

static void text_check(const char *text) { CHECK(!text || utf8_valid(text, strlen(text)), "'%s' is not UTF-8", text); }

static void texts_check(const Texts *texts, int most) {
    CHECK(arrlen(texts->list) <= most, "%td texts", arrlen(texts->list));
    for (ptrdiff_t i = 0; i < arrlen(texts->list); i++) text_check(texts->list[i]);
    CHECK(texts->array || arrlen(texts->list) <= 1, "%td texts are not an array", arrlen(texts->list));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size < 1) return 0;
    static const char *const types[] = {"application/json", "application/x-www-form-urlencoded", "text/plain",
                                        "multipart/form-data; boundary=b"};
    const Limits limits = {.body = 1 << 20, .sentences = 8, .pieces = 100, .beam = 16};
    Fields fields = {0};
    Reply reply = {0};
    char *body = mem_alloc(size); /* without a NUL at the end */
    memcpy(body, data + 1, size - 1);
    const int status = fields_parse(&fields, types[data[0] % 4], body, size - 1, &limits, &reply);
    CHECK(status ? reply.status == 400 || reply.status == 415 : reply.status == 0, "%d with status %d", status,
          reply.status);
    CHECK(status || data[0] % 4 || !memchr(body, 0, size - 1), "JSON with a NUL is accepted");
    CHECK(utf8_valid(reply.error, strlen(reply.error)), "the error is not UTF-8");
    if (!status) {
        texts_check(&fields.q, limits.sentences);
        texts_check(&fields.translation, limits.sentences);
        for (ptrdiff_t i = 0; i < arrlen(fields.prefix_pieces.list); i++) text_check(fields.prefix_pieces.list[i]);
        CHECK(arrlen(fields.prefix_pieces.list) <= limits.pieces, "%td pieces", arrlen(fields.prefix_pieces.list));
        CHECK(fields.search.beam >= 0 && fields.search.beam <= 1000 && fields.alternatives >= 0 &&
                  fields.alternatives <= 1000,
              "beam %d, alternatives %d", fields.search.beam, fields.alternatives);
        char *const words[] = {fields.source,  fields.target, fields.format,  fields.model,
                               fields.api_key, fields.prefix, fields.glossary};
        for (size_t i = 0; i < sizeof words / sizeof *words; i++) text_check(words[i]);
    }
    fields_free(&fields);
    reply_free(&reply);
    mem_free(body);
    return 0;
}
