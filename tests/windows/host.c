/* host.c: a program that sees only tide.h and libtide.dll: translates each line of standard input with a model. */
#include "tide.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    char error[256], line[1000];
    TideModel *model;
    TideSession *session;
    if (argc != 2 || tide_load(argv[1], &model, error, sizeof error) ||
        tide_session_new(&model, 1, NULL, &session, error, sizeof error)) {
        fprintf(stderr, "%s\n", argc == 2 ? error : "usage: host MODEL");
        return 1;
    }
    while (fgets(line, sizeof line, stdin)) {
        const char *text = line;
        TideResult *result;
        line[strcspn(line, "\r\n")] = '\0';
        if (tide_translate(session, &text, 1, NULL, &result)) {
            fprintf(stderr, "%s\n", tide_error(session));
            return 1;
        }
        puts(result->sentences[0]->hypotheses[0]->text);
        tide_result_free(result);
    }
    tide_session_free(session);
    tide_free(model);
    return 0;
}
