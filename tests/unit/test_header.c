/* test_header.c: the head of a request, and the parts of a form, with every kind of value that clients send. */
#include "serve/header.h"
#include "serve/multipart.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#define COUNT(a) ((int)(sizeof(a) / sizeof *(a)))

/* ---- the head --------------------------------------------------------------------------------------------------- */

static void heads_have_one_meaning(void **state) {
    (void)state;
    static const struct {
        const char *fields, *version, *fault; /* fields: each with a line break; fault: a part of it; NULL: none */
    } cases[] = {
        {"Host: a\n", "HTTP/1.1", NULL},
        {"", "HTTP/1.0", NULL},
        {"", "HTTP/1.1", "no header Host"},
        {"Host: a\nhost: a\n", "HTTP/1.1", "several headers Host"},
        {"Host: a\nContent-Length: 1\n", "HTTP/1.1", NULL},
        {"Host: a\nContent-Length: 1\nCONTENT-LENGTH: 1\n", "HTTP/1.1", "several headers Content-Length"},
        {"Host: a\nTransfer-Encoding: chunked\n", "HTTP/1.1", NULL},
        {"Host: a\nTransfer-Encoding: Chunked\n", "HTTP/1.1", NULL},
        {"Host: a\nTransfer-Encoding: gzip\n", "HTTP/1.1", "not just"},
        {"Host: a\nTransfer-Encoding: gzip, chunked\n", "HTTP/1.1", "not just"},
        {"Host: a\nTransfer-Encoding: chunked\nTransfer-Encoding: chunked\n", "HTTP/1.1", "not just"},
        {"Host: a\nTransfer-Encoding: chunked\n", "HTTP/1.0", "HTTP/1.0 has no"},
        {"Host: a\nTransfer-Encoding: chunked\nContent-Length: 1\n", "HTTP/1.1", "both"},
        {"Host: a\n: b\n", "HTTP/1.1", "malformed"},
        {"Host: a\nX Y: b\n", "HTTP/1.1", "malformed"},
        {"Host: a\nX{: b\n", "HTTP/1.1", "malformed"},
        {"Host: a\nX@: b\n", "HTTP/1.1", "malformed"},
        {"Host: a\n`9!Zz: b\n", "HTTP/1.1", NULL},
        {"Host: a\nX: b\rc\n", "HTTP/1.1", "malformed"},
        {"Host: a\nX: b\x7f\n", "HTTP/1.1", "malformed"},
        {"Host: a\nX: b\tc潮\n", "HTTP/1.1", NULL},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        Head head = {0};
        for (const char *at = cases[i].fields; *at; at = strchr(at, '\n') + 1) {
            const char *colon = strchr(at, ':'), *value = colon + 2;
            head_field(&head, at, (size_t)(colon - at), value, strcspn(value, "\n"));
        }
        const char *fault = head_fault(&head, cases[i].version);
        if (!fault != !cases[i].fault || (fault && !strstr(fault, cases[i].fault)))
            fail_msg("'%s' for\n%s", fault ? fault : "no fault", cases[i].fields);
        assert_false(head.wrong_key);
    }
    Head head = {0};
    head_field(&head, "Host", 4, "a", 1);
    head_field(&head, "authorization", 13, "Bearer \x01", 8); /* a wrong key, not a malformed head */
    assert_true(head.wrong_key);
    assert_null(head_fault(&head, "HTTP/1.1"));
    head_field(&head, "X\0", 2, "a", 1);
    assert_true(head.malformed);
}

static void targets_have_no_spaces(void **state) {
    (void)state;
    static const struct {
        const char *target;
        bool malformed;
    } cases[] = {{"/", false}, {"/a?b=潮", false}, {"", true}, {"/a b", true}, {"/\x01", true}, {"/\x7f", true}};
    for (int i = 0; i < COUNT(cases); i++) {
        Head head = {0};
        head_target(&head, cases[i].target);
        assert_int_equal(head.malformed, cases[i].malformed);
    }
}

/* ---- Host and Origin -------------------------------------------------------------------------------------------- */

static void foreign_hosts_are_refused(void **state) {
    (void)state;
    static const char *const own[] = {"tide.example", "other"};
    char name[300];
    static const struct {
        const char *host;
        bool allowed;
    } cases[] = {
        {NULL, false},
        {"", false},
        {":80", false},
        {"127.0.0.1", true},
        {"127.0.0.1:8080", true},
        {"127.0.0.1:", false},
        {"127.0.0.1:80a", false},
        {"127.0.0.1:123456", false},
        {"1.2.3", false},
        {"LocalHost:1", true},
        {"localhost.example", false},
        {"[::1]", true},
        {"[::1]:65535", true},
        {"[::1", false},
        {"[]", false},
        {"[::1]x", false},
        {"[127.0.0.1]", false},
        {"::1", false},
        {"TIDE.example", true},
        {"other:9", true},
        {"another", false},
    };
    for (int i = 0; i < COUNT(cases); i++)
        if (header_host_allowed(cases[i].host, own, COUNT(own)) != cases[i].allowed) fail_msg("%s", cases[i].host);
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    assert_false(header_host_allowed(name, (const char *const[]){name}, 1)); /* longer than the name of any host */
}

static void foreign_pages_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *site, *origin, *host, *cors;
        bool allowed;
    } cases[] = {
        {NULL, NULL, NULL, NULL, true}, /* no browser */
        {"same-origin", "http://a", "b", NULL, true},
        {"None", NULL, NULL, NULL, true},
        {"same-site", "http://a", "a", NULL, false},
        {"cross-site", NULL, "a", NULL, false},
        {NULL, "http://a:80", "A:80", NULL, true},
        {NULL, "http://a", NULL, NULL, false},
        {NULL, "http://a", "b", NULL, false},
        {NULL, "null", "null", NULL, false},
        {"cross-site", "http://a", "b", "*", true},
        {"cross-site", "http://A", "b", "http://a", true},
        {"cross-site", "http://c", "b", "http://a", false},
        {"cross-site", NULL, "b", "http://a", false},
        {"cross-site", "moz-extension://id", "b", NULL, true},
        {"cross-site", "-extension://id", "b", NULL, false},
        {"cross-site", "https://evil-extension", "b", NULL, false},
        {"cross-site", "an-extension", "b", NULL, false},
    };
    for (int i = 0; i < COUNT(cases); i++)
        if (header_origin_allowed(cases[i].site, cases[i].origin, cases[i].host, cases[i].cors) != cases[i].allowed)
            fail_msg("case %d", i);
}

/* ---- other fields ----------------------------------------------------------------------------------------------- */

static void bodies_have_kinds(void **state) {
    (void)state;
    assert_int_equal(header_body_kind(NULL), BODY_FORM);
    assert_int_equal(header_body_kind("application/json"), BODY_JSON);
    assert_int_equal(header_body_kind("Application/JSON; charset=utf-8"), BODY_JSON);
    assert_int_equal(header_body_kind("application/x-www-form-urlencoded\t"), BODY_FORM);
    assert_int_equal(header_body_kind("multipart/form-data;boundary=a"), BODY_MULTIPART);
    assert_int_equal(header_body_kind("application/jsonp"), BODY_OTHER);
    assert_int_equal(header_body_kind(""), BODY_OTHER);
}

static void keys_are_found(void **state) {
    (void)state;
    char password[8];
    assert_null(header_bearer(NULL));
    assert_null(header_bearer("Basic a"));
    assert_string_equal(header_bearer("bearer  key"), "key");
    static const struct {
        const char *value, *password;
    } cases[] = {
        {"Basic OnNlY3JldA==", "secret"}, /* :secret */
        {"basic bmFtZTphOmI=", "a:b"},    /* name:a:b */
        {"Basic bmFtZTo=", ""},           /* name: */
        {"Basic bmFtZQ==", NULL},         /* name */
        {"Basic OnNlY3JldHM=", "secrets"},
        {"Basic OnRvbyBsb25n", NULL}, /* :too long */
        {"Basic OnNlY3JldA==x", NULL},
        {"Basic OnN!", NULL},
        {"Basic OmEAYg==", NULL}, /* :a, NUL, b */
        {"Basic ", NULL},
        {"Bearer a", NULL},
        {NULL, NULL},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        const char *found = header_password(cases[i].value, password, sizeof password);
        if (!found != !cases[i].password || (found && strcmp(found, cases[i].password) != 0))
            fail_msg("%s: %s", cases[i].value, found ? found : "NULL");
    }
}

static void lengths_fit(void **state) {
    (void)state;
    size_t length;
    assert_int_equal(header_length("18446744073709551615", &length), 0);
    assert_true(length == SIZE_MAX);
    assert_int_equal(header_length("18446744073709551616", &length), -1);
    assert_int_equal(header_length("", &length), -1);
    assert_int_equal(header_length("1 ", &length), -1);
    assert_int_equal(header_length("-1", &length), -1);
}

/* ---- forms ------------------------------------------------------------------------------------------------------ */

static void boundaries_are_found(void **state) {
    (void)state;
    char boundary[BOUNDARY_SIZE], type[128];
    static const char *const cases[][2] = {
        {"multipart/form-data; boundary=ab", "ab"},
        {"multipart/form-data; charset=x;\tBoundary=ab; z=1", "ab"},
        {"multipart/form-data; boundary=\"a b\\\"c\"", "a b\\\"c"},
        {"multipart/form-data; boundary=\"ab", "ab"},
        {"multipart/form-data; boundary=\"ab\\", "ab\\"},
        {"multipart/form-data; boundary=ab cd", "ab"},
        {"multipart/form-data; boundary=ab\tcd", "ab"},
        {"multipart/form-data; boundary; boundary=ab", "ab"},
        {"multipart/form-data; boundary", NULL},
        {"multipart/form-data; boundaries=ab", NULL},
        {"multipart/form-data; limitless=ab", NULL},
        {"multipart/form-data; ", NULL},
        {"multipart/form-data; boundary=", NULL},
        {"multipart/form-data", NULL},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        const int status = multipart_boundary(cases[i][0], boundary);
        assert_int_equal(status, cases[i][1] ? 0 : -1);
        if (!status) assert_string_equal(boundary, cases[i][1]);
    }
    for (int n = BOUNDARY_SIZE - 1; n <= BOUNDARY_SIZE; n++) { /* RFC 2046 allows 70 characters */
        snprintf(type, sizeof type, "multipart/form-data; boundary=%0*d", n, 0);
        assert_int_equal(multipart_boundary(type, boundary), n < BOUNDARY_SIZE ? 0 : -1);
    }
}

static void forms_have_parts(void **state) {
    (void)state;
    static const struct {
        const char *body,
            *parts; /* parts: "name=value,", with "(file)" after a name; and "!" if the body is malformed */
    } cases[] = {
        {"--B--\r\n", ""},
        {"before\r\n--B--", ""},
        {"--B\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--B--", "a=x,"},
        {"--B \t\r\nContent-Type: text/plain\r\ncontent-disposition: form-data; NAME=\"a\"\r\n\r\n\r\n--B--", "a=,"},
        {"--B\r\nContent-Disposition: form-data; name=a; filename=f\r\n\r\nx\r\n\r\n--B\r\n"
         "Content-Disposition: form-data; filename*=UTF-8''g; name=b\r\n\r\n--B\r\n--B--\r\nafter",
         "a(f)=x\r\n,b(UTF-8''g)=--B,"},
        {"", "!"},
        {"--C--", "!"},
        {"--B", "!"},
        {"--B-", "!"},
        {"--Bx\r\n", "!"},
        {"--B\r\n", "!"},
        {"--B\r\n\r\nx\r\n--B--", "!"},
        {"--B\r\nX: y\r\n\r\nx\r\n--B--", "!"},
        {"--B\r\nContent-Disposition: form-data\r\n\r\nx\r\n--B--", "!"},
        {"--B\r\nContent-Disposition: form-data; name=a\r\n\r\nx\r\n--B\r\n", "a=x,!"},
        {"--B\r\nContent-Disposition: form-data; name=a\r\n\r\nx", "!"},
        {"--B\r\nContent-Disposition: form-data; name=a\r\nx", "!"},
    };
    for (int i = 0; i < COUNT(cases); i++) {
        const char *at = cases[i].body, *const end = at + strlen(at);
        char parts[256];
        int n = 0, status;
        FormPart p;
        while ((status = multipart_next(&at, end, "B", &p)) > 0) {
            n += snprintf(parts + n, sizeof parts - (size_t)n, "%.*s", (int)p.name_length, p.name);
            if (p.file) n += snprintf(parts + n, sizeof parts - (size_t)n, "(%.*s)", (int)p.file_length, p.file);
            n += snprintf(parts + n, sizeof parts - (size_t)n, "=%.*s,", (int)p.value_length, p.value);
        }
        snprintf(parts + n, sizeof parts - (size_t)n, "%s", status ? "!" : "");
        if (strcmp(parts, cases[i].parts) != 0) fail_msg("%s for\n%s", parts, cases[i].body);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heads_have_one_meaning),
        cmocka_unit_test(targets_have_no_spaces),
        cmocka_unit_test(foreign_hosts_are_refused),
        cmocka_unit_test(foreign_pages_are_refused),
        cmocka_unit_test(bodies_have_kinds),
        cmocka_unit_test(keys_are_found),
        cmocka_unit_test(lengths_fit),
        cmocka_unit_test(boundaries_are_found),
        cmocka_unit_test(forms_have_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
