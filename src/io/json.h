/* json.h: writes JSON to a stream, and parses JSON with cJSON. The host program may set cJSON's allocator
   (cJSON_InitHooks), which may return NULL. A lock protects cJSON's global error position from other threads of tide,
   but not from a host that calls cJSON itself. */
#ifndef TIDE_JSON_H
#define TIDE_JSON_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Writes a text as a JSON string with quotes and escapes. The text should be valid UTF-8; its bytes are not checked. */
void json_string(FILE *out, const char *text);
/* Writes n texts as an array of strings with `comma` ("," or ", ") between them. */
void json_strings(FILE *out, char *const *texts, int n, const char *comma);
/* Writes a format as fprintf does, but %s as json_string and %.6f as json_number. Knows %d, too, and nothing else. */
void json_print(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Writes a number with `decimals` decimals; null if it is not finite, because JSON has no such numbers. */
void json_number(FILE *out, double number, int decimals);

/* Parses n bytes: one value with optional white space around it. Release with cJSON_Delete. NULL with errno set: EINVAL
   if the bytes are not valid, ENOMEM if memory is refused. */
cJSON *json_parse(const char *bytes, size_t n);
/* The number of values in n bytes of valid JSON; other bytes give any number. Call it before parsing, to limit the
   memory that many small values take. */
size_t json_values(const char *bytes, size_t n);
/* Whether n bytes of JSON have a NUL, or a string with the escape of one: cJSON would cut the string there. */
bool json_has_nul(const char *bytes, size_t n);

#endif
