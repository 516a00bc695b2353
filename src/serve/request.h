/* request.h: a request with texts: its fields, and the task of its sentences. */
#ifndef TIDE_SERVE_REQUEST_H
#define TIDE_SERVE_REQUEST_H

#include "serve/endpoints.h"
#include "serve/language.h"
#include "text/passage.h"
#include "translate/glossary.h"

/* One text of a request. */
typedef struct Part {
    Passage passage; /* the source */
    int first;       /* the number of its first job */
} Part;

/* Where the translation of a file is kept; all zero: the answer is no file. */
typedef struct FileAnswer {
    Downloads *downloads;
    const char *type;         /* the Content-Type; static */
    char *url;                /* the part before the path, such as "http://localhost"; owned */
    char name[DOWNLOAD_NAME]; /* of the translation */
} FileAnswer;

/* A request with texts. The jobs of its task are its sentences. */
typedef struct Request {
    Task task;
    Fields fields;
    Part *parts;         /* [texts of the request] */
    char **given;        /* a stb_ds array: normalised texts and translations of /v1/align, /v1/score and /v1/explain */
    int *ids;            /* a stb_ds array: of the translation of /v1/explain */
    Prefix prefix;       /* of the only sentence; 0 states: none */
    Glossary glossary;   /* of the request, with that of the model as its base; all zero: none */
    Lexicon *lexicon;    /* of the request, for unknown words; NULL: none */
    SentenceTerms terms; /* of the jobs; all zero: none */
    FileAnswer file;
    const char *detected; /* the detected code of the source, owned; NULL: the request names the source */
    double confidence;
    bool searches; /* a sentence needs a search: the answer is not made at once */
    bool spaced;   /* the target separates sentences by spaces */
    bool streams;  /* the answer is a stream of events */
} Request;

/* What a function of endpoints.h passes to its scope. endpoint_finish sets only reply and request. */
typedef struct Start {
    const Service *service;
    const Asked *asked;
    Reply *reply;
    Request *request; /* the result, or NULL */
    const char *key;  /* of a request without a body, which was checked; NULL: none */
    Served *held;     /* the model that the request holds: endpoint_start drops it if the scope fails */
} Start;

/* Parses the fields of the request, and checks its key. Returns 0, or -1 with an error in the reply. Release with
   fields_free in both cases. */
int request_parse(const Start *start, Fields *fields);
/* The key that the request gives; NULL: none. */
const char *request_key(const Start *start, const Fields *fields);
/* The same as request_parse, and checks that the request has the field q. A request with a file has its text
   in q afterwards. Returns 0, or -1 with an error in the reply. Release with fields_free in both cases. */
int request_fields(const Start *start, Fields *fields);
/* Guesses the language of the texts; see language_detect. codes: a stb_ds array. */
Detected request_detect(const Fields *fields, char *const *codes);
/* Creates start->request with its task. If the request has an error, or if its answer needs no search, *reply is the
   answer and start->request is NULL. */
void request_start(Start *start);

#endif
