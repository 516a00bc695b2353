/* json.h: JSON, written to a stream and read with cJSON. The host program may set cJSON's allocator (cJSON_InitHooks),
   which may return NULL. A lock protects cJSON's global error position, but not from a host that calls cJSON itself. */
#ifndef TIDE_JSON_H
#define TIDE_JSON_H

#include <cJSON.h>
#include <stddef.h>
#include <stdio.h>

/* A text, which should be UTF-8, as a string: with quotes and escapes. */
void json_string(FILE *out, const char *text);
/* n texts as an array of strings; `comma` stands between them: "," or ", ". */
void json_strings(FILE *out, char *const *texts, int n, const char *comma);
/* A number with so many decimals; null if the number is not finite, as JSON has none such. */
void json_number(FILE *out, double number, int decimals);

/* Parses n bytes that hold one value, with white space around it or none; release with cJSON_Delete. NULL with errno
   set: to EINVAL where the bytes are not that, to ENOMEM where there is no memory. */
cJSON *json_parse(const char *bytes, size_t n);
/* How many values n bytes of JSON hold; for other bytes some number. Before parsing, this bounds the memory that a
   value of few bytes takes. */
size_t json_values(const char *bytes, size_t n);

#endif
