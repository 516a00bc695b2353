/* limits.h: limits of requests and connections. They are checked before a search starts. */
#ifndef TIDE_SERVE_LIMITS_H
#define TIDE_SERVE_LIMITS_H

typedef struct Limits {
    int body;        /* bytes of a request's body */
    int sentences;   /* of one request */
    int pieces;      /* of one sentence, with </s> */
    int beam;        /* hypotheses of a search */
    int queue;       /* sentences that wait; at least `sentences`, so that an empty queue has room for any request */
    int connections; /* open at the same time */
    int address;     /* connections of one address, except this machine's; 0: no limit */
    int batch;       /* sentences translated together */
    double wait;     /* seconds for which a batch waits for more sentences */
    double timeout;  /* seconds from the first byte of a request to its answer */
} Limits;

#endif
