/* translate.c: translates a sentence, in ten lines. usage: translate MODEL SENTENCE */
#include <stdio.h>
#include <tide.h>

int main(int argc, char **argv) {
    TideModel *model;
    TideSession *session;
    TideResult *result;
    char error[256] = "usage: translate MODEL SENTENCE";
    if (argc != 3 || tide_load(argv[1], &model, error, sizeof error)) return puts(error), 1;
    if (tide_session_new(&model, 1, NULL, &session, error, sizeof error)) return puts(error), 1;
    if (tide_translate(session, (const char *const *)&argv[2], 1, NULL, &result)) return puts(tide_error(session)), 1;
    puts(result->sentences[0]->hypotheses[0]->text);
    tide_result_free(result);
    tide_session_free(session);
    tide_free(model);
    return 0;
}
