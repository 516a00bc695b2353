#include "io/json.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>

/* ---- writing ---- */

void json_string(FILE *out, const char *text) {
    static const char plain[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    fputc('"', out);
    for (; *text; text++) {
        const char *at = strchr(plain, *text);
        if (at) fprintf(out, "\\%c", letters[at - plain]);
        else if ((unsigned char)*text < ' ') fprintf(out, "\\u%04x", (unsigned)*text);
        else fputc(*text, out);
    }
    fputc('"', out);
}

void json_strings(FILE *out, char *const *texts, int n, const char *comma) {
    fputc('[', out);
    for (int i = 0; i < n; i++) {
        if (i) fputs(comma, out);
        json_string(out, texts[i]);
    }
    fputc(']', out);
}

void json_number(FILE *out, double number, int decimals) {
    if (isfinite(number)) fprintf(out, "%.*f", decimals, number);
    else fputs("null", out);
}

void json_print(FILE *out, const char *format, ...) {
    va_list args;
    va_start(args, format);
    for (const char *value; (value = strchr(format, '%')); format++) {
        fwrite(format, 1, (size_t)(value - format), out);
        format = value + strcspn(value, "sdf");
        if (*format == 's') json_string(out, va_arg(args, const char *));
        else if (*format == 'd') fprintf(out, "%d", va_arg(args, int));
        else json_number(out, va_arg(args, double), value[2] - '0'); /* %.6f */
    }
    fputs(format, out);
    va_end(args);
}

/* ---- reading ---- */

/* cJSON writes the position of an error to a global variable, so the mutex lets only one thread parse at a time. */
cJSON *json_parse(const char *bytes, size_t n) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    const char *end = NULL;
    pthread_mutex_lock(&mutex);
    errno = 0;
    cJSON *json = cJSON_ParseWithLengthOpts(bytes, n, &end, false);
    const int why = errno == ENOMEM ? ENOMEM : EINVAL;
    pthread_mutex_unlock(&mutex);
    while (json && end < bytes + n && memchr(" \t\r\n", *end, 4)) end++;
    if (json && end == bytes + n) return json;
    cJSON_Delete(json);
    errno = json ? EINVAL : why;
    return NULL;
}

size_t json_values(const char *bytes, size_t n) {
    size_t values = 1; /* each bracket and each comma adds one */
    bool quoted = false;
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] == '"') quoted = !quoted;
        else if (quoted) i += bytes[i] == '\\';
        else values += bytes[i] == ',' || bytes[i] == '[' || bytes[i] == '{';
    }
    return values;
}

bool json_has_nul(const char *bytes, size_t n) {
    if (memchr(bytes, 0, n)) return true;
    for (size_t i = 0; i + 1 < n; i++) {
        if (bytes[i] != '\\') continue;
        if (i + 6 <= n && !memcmp(bytes + i, "\\u0000", 6)) return true;
        i++;
    }
    return false;
}
