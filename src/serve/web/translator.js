// What every translator of the live page has in common: the page calls one object, `translator`, which server.js or, in the
// edition without a server, browser.js defines.

/**
 * @typedef {object} Model
 * @property {string} name
 * @property {string} source     code of the language that it reads, for example "zh"
 * @property {string} target     code of the language that it writes
 * @property {boolean} alignment whether its attention can be shown
 * @property {string} attention  its kind of attention, for example "additive"
 * @property {number} [layers]   layers whose attention can be shown; 1 or absent: there is no choice
 * @property {number} [heads]    heads of each such layer; 1 or absent: there is no choice
 * @property {number} [alternatives] most hypotheses besides the best one; absent: any number
 * @property {string} [title]    what the model says about itself, as corpora and licence
 * @property {string} [corpora]
 * @property {string} [licence]
 * @property {string} [training] address of the report of its training; absent: there is none
 *
 * @typedef {object} Request
 * @property {string} text
 * @property {Model} model
 * @property {number} alternatives   hypotheses to answer besides the best one
 * @property {number} candidates     next pieces to answer for each place
 * @property {number} [layer]        1 is the first layer; 0 or absent: the model's choice
 * @property {number} [head]         1 is the first head; 0 or absent: the mean of all
 * @property {string[]} [prefix]     pieces that the translation begins with; then `text` is one sentence
 * @property {boolean} [memory]      false: searches also what is remembered
 *
 * @typedef {object} Settled         the beginning of a translation that all live hypotheses share
 * @property {number} sentence       index of the sentence
 * @property {string} text
 * @property {string[]} pieces
 * @property {number[][]} [rows]     the weights of each piece over the source pieces; absent: no alignment
 *
 * @typedef {object} Sentence        a finished translation
 * @property {number} sentence
 * @property {string} translatedText
 * @property {number} score
 * @property {{text: string, pieces: string[], score: number}[]} alternatives  without the best hypothesis
 * @property {number} [confidence]   how good the translation probably is, from 0 to 1; absent: the model does not say
 * @property {string[]} pieces       of the best hypothesis, with </s>
 * @property {{source: string[], target: string[], matrix: number[][]}} [alignment]  by piece; absent: the model has none
 * @property {{piece: string, probability: number}[][]} candidates  for each piece of the best hypothesis: the most
 *                                                                  probable pieces of its place, best first
 * @property {number} [correction]   the number of the correction that it is; 0: it is from a translation memory; absent: it
 *                                   was searched. A remembered sentence has no score, alternatives and candidates
 * @property {boolean} [copied]      whether the translation is the sentence itself, because the model knows nothing of it; its
 *                                   pieces are those of the source, and it has no candidates
 *
 * @typedef {object} Step            a step of the decoder
 * @property {string} text           one sentence
 * @property {Model} model
 * @property {string[]} pieces       of its translation, as a Sentence has them
 * @property {number} step           pieces that the decoder has read; 0 is the first step
 * @property {number} [top]          most pieces in `best`; absent: 10
 *
 * @typedef {object} Explanation     the numbers of a step, with the letters of docs/model.md
 * @property {number} step
 * @property {string[]} source       with </s>
 * @property {string[]} target       what the decoder has read: <s> and `step` pieces
 * @property {Object<string, Object<string, number[]|number[][]>>} numbers  encoder.h; attention.e, .alpha, .c; state.s_prev,
 *                                   .s_read, .s; output.t and so on; e and alpha have a row for each head, h and v one for
 *                                   each piece
 * @property {{piece: string, probability: number}} next     the next piece of the translation
 * @property {{piece: string, probability: number}[]} best   the most probable next pieces, best first
 *
 * @typedef {object} SearchTree      what a search considered
 * @property {{parent: number, piece: string, logProbability: number, total: number, kept: boolean}[][]} steps  the candidates
 *                                   of each step: first those that it kept, then pruned ones; parent: index in the step before;
 *                                   total: of the hypothesis up to the piece
 * @property {{step: number, place: number, score: number}[]} hypotheses  where they end, best first
 *
 * @typedef {object} Listeners
 * @property {(sentences: string[], pieces: string[][]) => void} onSource  called first: the sentences of the text, and
 *                                                                         the pieces of each, with </s>
 * @property {(settled: Settled) => void} onSettled        called any number of times for each sentence
 * @property {(sentence: Sentence) => void} onSentence     called once for each sentence, in any order
 * @property {AbortSignal} signal
 */

/*
 * The object `translator`. All functions reject with a TranslatorError, or with the AbortError of the signal.
 *
 * models()                       resolves to the Models: {Model[]}
 * settings()                     resolves to {keyRequired, pinyin, corrections, memory}: whether translate needs a key, and
 *                                whether `pinyin`, the functions about corrections, and `similar` exist; what is absent is
 *                                false
 * setKey(key)                    keeps the key for later calls
 * translate(request, listeners)  resolves to the translation of the whole text when all sentences are finished
 * align({text, translation, model, layer, head}, signal)  resolves to the alignment by piece, {source, target, matrix}, of a
 *                                sentence and a given translation; only where there can be several models
 * explain(step, signal)          resolves to the Explanation of a Step
 * search(request, signal)        resolves to the SearchTree of a Request whose text is one sentence
 * pinyin(text)                   resolves to the readings of each character of a text: {string[]}
 *
 * correct({text, model, translation, correction})  keeps the correction of a sentence. translation: what was corrected;
 *                                undefined: it is not known
 * similar({text, model}, signal) resolves to remembered sentences like `text`, the most similar first: [{source, target,
 *                                similarity, correction}]; similarity: from 0 to 1, `text` itself has 1
 * corrections()                  resolves to {corrections, terms}: [{id, time, model, source, target, q, translation,
 *                                correction}], the newest first, and the terms that they propose, [{source, before, after,
 *                                count}]
 * forget(id)                     deletes a correction
 * memoryFile()                   resolves to the corrections as a TMX file: {Blob}
 * learning()                     resolves to {after, models}: how many corrections begin a learning, 0: none do; and what each
 *                                model has learned: [{model, state, said, waiting, generation, generations}], as docs/server.md
 *                                says
 * learn(name)                    lets a model learn from the corrections that wait
 * serve(name, generation)        serves a generation of a model; 0: the model itself
 */

/** A failure that the page shows as one line. kind: a name in text.errors; detail: the reason, of tide, of the
 * kinds "refused" and "broken". */
class TranslatorError extends Error {
  constructor(kind, detail = "", seconds = 0) {
    super(`${kind} ${detail}`);
    Object.assign(this, { kind, detail, seconds }); // seconds: when to try again, 0: only if the user does
  }
}

/** The failure that an error of tide means. */
function tideFailure(status, error) {
  if (status === 413 || /exceeds text limit/.test(error)) return new TranslatorError("long", error);
  return new TranslatorError("refused", error);
}

/** The fields of a request that choose a Model. */
const directed = ({ name, source, target }) => ({ model: name, source, target });

/** The body of POST /v1/search. */
function searchFields({ text: q, model, alternatives, prefix, pruned }) {
  const fields = { q, ...directed(model), alternatives, pruned };
  return { ...fields, prefix_pieces: prefix };
}

/** The body of POST /v1/stream for a Request. */
function requestFields({ text: q, model, alternatives, candidates, layer, head, prefix, memory }) {
  const fields = { q, ...directed(model), alternatives, candidates };
  if (model.alignment) fields.alignment = "piece";
  if (layer) fields.layer = layer;
  if (head) fields.head = head;
  if (prefix) fields.prefix_pieces = prefix;
  if (memory !== undefined) fields.memory = memory;
  return fields;
}

/** The body of POST /v1/explain for a Step. */
function stepFields({ text: q, model, pieces, step, top = 10 }) {
  return { q, ...directed(model), translation_pieces: pieces, step, top };
}

/**
 * Reads a stream of server-sent events: returns a function that takes the next part of its text and tells the Listeners
 * the events that are complete. It returns the translation of the whole text with the last event, before that null.
 */
function eventReader({ onSource, onSettled, onSentence, signal }) {
  let rest = "", result = null;
  function hear(name, data) {
    if (signal.aborted) return;
    if (name === "source") onSource(data.sentences, data.pieces, data.unknown);
    if (name === "settled") onSettled(data);
    if (name === "sentence") onSentence(data);
    if (name === "done") result = data.translatedText;
    if (name === "error") throw new TranslatorError("refused", data.error);
  }
  return (part) => {
    const events = (rest + part).split("\n\n");
    rest = events.pop();
    for (const event of events) {
      const lines = event.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line) ?? []);
      const field = (name) => lines.filter((line) => line[1] === name).map((line) => line[2]).join("\n");
      if (field("data")) hear(field("event"), JSON.parse(field("data")));
    }
    return result;
  };
}
