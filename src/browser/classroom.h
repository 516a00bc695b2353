/* classroom.h: a training in the browser, update by update. The page's worker calls these functions in WebAssembly, in
   this order: classroom_begin, then classroom_step and classroom_save, then classroom_end. It is the training of `tide
   train` with one thread, with the same bits; its files are in the memory of the worker. */
#ifndef TIDE_CLASSROOM_H
#define TIDE_CLASSROOM_H

/* Provided by the page's worker: receives one line of JSON.
   {"note": TEXT}: a message for people
   {"update", "epoch", "loss"}: an update was made; the loss is a moving average, in nats per token
   {"validation": UPDATE, "loss", "bleu", "best", "lengths": [{"most", "sentences", "bleu"}]}: as struct Validation */
void classroom_deliver(const char *line, int size);

/* Begins a training. pairs, dev: paths of lines English, tab, Chinese; dev "": no validation. links: path of links of
   words, as `tide lexicon` writes them, a line for each pair; "": none. options: lines `key = value` of a preset; those
   that are missing have the defaults of `tide train`. Returns "", or one line that says why it cannot begin: with the
   path and the number of a line, if one is wrong. */
const char *classroom_begin(const char *pairs, const char *dev, const char *links, const char *options);
/* Makes one update, and the validation that is due. Returns the number of updates made; 0: the options end the
   training, which was finished as `tide train` does; -1: it failed, and classroom_reason says why. */
long classroom_step(void);
const char *classroom_reason(void);
/* Writes a model with the weights as they are, which browser_open reads. Returns 0, or -1: see classroom_reason. */
int classroom_save(const char *path);
/* The last link of the chain of this training, which `tide info --recipe` prints for the same training; "": none yet.
 */
const char *classroom_hash(void);
void classroom_end(void);

#endif
