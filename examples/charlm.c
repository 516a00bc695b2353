/* charlm.c: a language model that reads and writes one character at a time, with a gated recurrent unit. usage:
   charlm [FILE]. The text is each line of FILE up to the first tab; without FILE it is the English side of tide's
   corpus. Trains on the first nine tenths of the text, prints the loss and a sample. Exit status 1 if the model does
   not predict the last tenth much better than counts of character pairs do, 2 if there is too little text. */
#include <tide/core/ops.h>
#include <tide/core/optimizer.h>

#include <math.h>
#include <stdio.h>

enum { CHARS = 128, EMB = 32, UNITS = 96, SIZE = 1 << 17 /* at least the number of weights */ };
enum { BATCH = 32, STEPS = 32, UPDATES = 400, REPORT = 50, SAMPLE = 240 };

/* The parameters: embedding, input of the gates, recurrence, output. Their offsets are computed. */
enum { E, W, B, UZR, U, V, C, PARAMETERS };
static Segment segments[PARAMETERS] = {
    [E] = {0, CHARS, EMB, SEGMENT_TABLE},    [W] = {0, EMB, 3 * UNITS, SEGMENT_MATRIX},
    [B] = {0, 1, 3 * UNITS, SEGMENT_VECTOR}, [UZR] = {0, UNITS, 2 * UNITS, SEGMENT_MATRIX},
    [U] = {0, UNITS, UNITS, SEGMENT_MATRIX}, [V] = {0, UNITS, CHARS, SEGMENT_MATRIX},
    [C] = {0, 1, CHARS, SEGMENT_VECTOR},
};

typedef struct Model {
    Var p[PARAMETERS];
    Weight weights[PARAMETERS];
    real values[SIZE], gradient[SIZE]; /* of all parameters, one after the other */
} Model;

typedef struct Text {
    const unsigned char *chars; /* all less than CHARS */
    int n;
} Text;

/* Draws the initial weights from N(0, 1 / inputs), those of the embedding from N(0, 1). Biases are 0. */
static void model_init(Model *m, Rng *rng) {
    size_t offset = 0;
    for (int i = 0; i < PARAMETERS; i++) {
        Segment *s = &segments[i];
        Var *p = &m->p[i];
        m->weights[i].index = i;
        *p = (Var){.rows = s->rows, .cols = s->cols, .weight = &m->weights[i]};
        s->offset = offset;
        offset += var_size(p);
        CHECK(offset <= SIZE, "%zu weights", offset);
        var_bind(p, m->values + s->offset, m->gradient + s->offset);
        for (size_t k = 0; k < var_size(p) && s->kind != SEGMENT_VECTOR; k++)
            p->v[k] = (real)(rng_normal(rng) / (i == E ? 1 : sqrt(s->rows)));
    }
}

/* h_t = GRU(W E x_t + b, h_{t-1}) for `steps` steps of several texts; x[t texts + i] is a character of text i. Replaces
   the state *h [texts, UNITS]. Returns the output layer: the logits of the next characters [steps texts, CHARS] are
   V h_t + c. */
static OutputLayer predict(Tape *tape, Model *m, const int *x, int steps, Var **h) {
    const int texts = (*h)->rows;
    Var *states[STEPS], *in = linear(tape, gather(tape, &m->p[E], x, steps * texts), &m->p[W], &m->p[B]);
    for (int t = 0; t < steps; t++) {
        *h = gru_step(tape, (GruStep){slice(tape, in, t * texts, texts), *h, &m->p[UZR], &m->p[U], NULL});
        states[t] = *h;
    }
    return (OutputLayer){.x = vcat(tape, states, steps), .W = &m->p[V], .b = &m->p[C]};
}

/* Returns the mean loss on a batch of random places of the text. If the tape records, also computes the gradient. */
static double pass(Tape *tape, Model *m, Text text, Rng *rng) {
    int x[STEPS * BATCH], next[STEPS * BATCH];
    double nats[STEPS * BATCH], sum = 0;
    for (int i = 0; i < BATCH; i++) {
        const unsigned char *from = text.chars + rng_below(rng, (uint32_t)(text.n - STEPS));
        for (int t = 0; t < STEPS; t++) x[t * BATCH + i] = from[t], next[t * BATCH + i] = from[t + 1];
    }
    tape_reset(tape);
    Var *h = zeros(tape, BATCH, UNITS);
    Var *loss = linear_cross_entropy(tape, predict(tape, m, x, STEPS, &h), next, STEPS * BATCH, 0, nats);
    if (tape->recording) tape_backward(tape, loss);
    for (int i = 0; i < STEPS * BATCH; i++) sum += nats[i];
    return sum / (STEPS * BATCH);
}

static void train(Tape *tape, Model *m, Text text, Rng *rng) {
    Optimizer optimizer;
    optimizer_init(&optimizer, optimizer_kind("adam"), segments, PARAMETERS, SIZE);
    tape->recording = true;
    for (int update = 1; update <= UPDATES; update++) {
        const double loss = pass(tape, m, text, rng);
        optimizer_step(&optimizer, tape->threads, m->values, m->gradient, &(StepOptions){.rate = 0.01, .clip_norm = 1});
        if (update % REPORT == 0) printf("update %d: loss %.3f\n", update, loss);
    }
    tape->recording = false;
    optimizer_free(&optimizer);
}

/* Draws each character from p(character | text before it), slightly sharpened, and prints it. */
static void sample(Tape *tape, Model *m, Rng *rng) {
    int chars[SAMPLE + 1] = {'\n'}; /* the first one is not printed */
    tape_reset(tape);
    Var *h = zeros(tape, 1, UNITS);
    for (int i = 0; i < SAMPLE; i++) {
        const real *logits = var_values(output_logits(tape, predict(tape, m, &chars[i], 1, &h), NULL, NULL));
        double p[CHARS], sum = 0;
        for (int k = 0; k < CHARS; k++) sum += p[k] = exp(logits[k] / 0.7);
        double left = sum * rng_uniform(rng);
        int k = 0;
        while (k < CHARS - 1 && (left -= p[k]) >= 0) k++;
        putchar(chars[i + 1] = k);
    }
}

/* The loss of p(b | a) = (count of ab + 1) / (count of a + CHARS), counted on one text, on another text. */
static double loss_of_pairs(Text counted, Text text) {
    static double pairs[CHARS][CHARS], firsts[CHARS];
    double sum = 0;
    for (const unsigned char *c = counted.chars; c < counted.chars + counted.n - 1; c++)
        pairs[c[0]][c[1]]++, firsts[c[0]]++;
    for (const unsigned char *c = text.chars; c < text.chars + text.n - 1; c++)
        sum -= log((pairs[c[0]][c[1]] + 1) / (firsts[c[0]] + CHARS));
    return sum / (text.n - 1);
}

/* Reads at most a million characters; '?' stands for each byte that is not ASCII. */
static Text read_text(const char *path) {
    static unsigned char chars[1000000];
    int n = 0, c;
    bool skip = false; /* from a tab to the end of the line */
    FILE *file = fopen(path, "r");
    while (file && n < (int)sizeof chars && (c = getc(file)) != EOF) {
        skip = c != '\n' && (skip || c == '\t');
        if (!skip) chars[n++] = (unsigned char)(c < CHARS ? c : '?');
    }
    if (file) fclose(file);
    return (Text){chars, n};
}

int main(int argc, char **argv) {
    enum { PASSES = 20 };
    static Model model;
    const Text all = read_text(argc > 1 ? argv[1] : "corpus/train.tsv"), learned = {all.chars, all.n / 10 * 9},
               held_out = {all.chars + learned.n, all.n - learned.n};
    if (held_out.n <= STEPS) return puts("There is too little text, or it cannot be read."), 2;
    Rng rng = rng_seed(1, 0);
    Tape tape;
    tape_init(&tape, threads_new(1), rng);
    model_init(&model, &rng);
    train(&tape, &model, learned, &rng);
    double loss = 0, pairs = loss_of_pairs(learned, held_out);
    for (int i = 0; i < PASSES; i++) loss += pass(&tape, &model, held_out, &rng) / PASSES;
    puts("\nA sample:");
    sample(&tape, &model, &rng);
    printf("\n\nHeld out: %.2f nats for each character; with counts of pairs of characters %.2f.\n", loss, pairs);
    threads_free(tape.threads);
    tape_free(&tape);
    return !(loss < 0.8 * pairs);
}
