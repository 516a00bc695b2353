/* classroom.h: a training in the browser, update by update. The page's worker calls these functions in WebAssembly, in
   this order: classroom_begin, then classroom_step, classroom_measure and classroom_save, then classroom_end. It is the
   training of `tide train` with one thread, with the same bits; its files are in the memory of the worker. */
#ifndef TIDE_CLASSROOM_H
#define TIDE_CLASSROOM_H

/* Provided by the page's worker: receives one line of JSON.
   {"note": TEXT}: a message for people
   {"update", "epoch", "loss", "changes": {NAME: SHARE}}: an update was made. The loss is a moving average, in nats per
   token; a share is the norm of a parameter's change, divided by the norm that it had
   {"measured": UPDATE, "bleu", "bleu_by_length"}: of the dev set, as train.jsonl has them */
void classroom_deliver(const char *line, int size);

/* Begins a training. pairs, dev: paths of lines English, tab, Chinese; dev "": no development set. links: path of links
   of words, as `tide lexicon` writes them, a line for each pair; "": none. options: lines `key = value` of a preset;
   those that are missing have the defaults of `tide train`. Returns "", or one line that says why it cannot begin: with
   the path and the number of a line, if one is wrong. */
const char *classroom_begin(const char *pairs, const char *dev, const char *links, const char *options);
/* Makes one update. Returns the number of updates made; 0: the options end the training, which was finished as `tide
   train` does; -1: it failed, and classroom_reason says why. */
long classroom_step(void);
const char *classroom_reason(void);
/* Translates the development set with the weights as they are, and delivers its measures; the training goes on as if it
   had not been measured. Returns 0, or -1: see classroom_reason. */
int classroom_measure(void);
/* Writes a model with the weights as they are, which browser_open reads. Returns 0, or -1: see classroom_reason. */
int classroom_save(const char *path);
/* The last link of the chain of this training, which `tide info --recipe` prints for the same training; "": none yet.
   The text is valid until the next call. */
const char *classroom_hash(void);
void classroom_end(void);

#endif
