// The translator of the live page: a server. Another edition of the page replaces this file by one that defines the same
// object, for example with a worker that translates in the browser.

/**
 * @typedef {object} Model
 * @property {string} name
 * @property {string} source     code of the language that it reads, for example "zh"
 * @property {string} target     code of the language that it writes
 * @property {boolean} alignment whether its attention can be shown
 * @property {number} [layers]   layers whose attention can be shown; 1 or absent: there is no choice
 * @property {number} [heads]    heads of each such layer; 1 or absent: there is no choice
 * @property {number} [alternatives] most hypotheses besides the best one; absent: any number
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
 * @property {string[]} pieces       of the best hypothesis, with </s>
 * @property {{source: string[], target: string[], matrix: number[][]}} [alignment]  by piece; absent: the model has none
 * @property {{piece: string, probability: number}[][]} candidates  for each piece of the best hypothesis: the most
 *                                                                  probable pieces of its place, best first
 *
 * @typedef {object} Listeners
 * @property {(sentences: string[], pieces: string[][]) => void} onSource  called first: the sentences of the text, and
 *                                                                         the pieces of each, with </s>
 * @property {(settled: Settled) => void} onSettled        called any number of times for each sentence
 * @property {(sentence: Sentence) => void} onSentence     called once for each sentence, in any order
 * @property {AbortSignal} signal
 */

/** A failure that the page shows as one line. kind: a name in text.errors; detail: the reason of kind "refused". */
class TranslatorError extends Error {
  constructor(kind, detail = "", seconds = 0) {
    super(`${kind} ${detail}`);
    Object.assign(this, { kind, detail, seconds }); // seconds: when to try again, 0: only if the user does
  }
}

/**
 * The object through which the page translates. All functions reject with a TranslatorError, or with the AbortError of
 * the signal.
 *
 * models()                       resolves to the Models: {Model[]}
 * needsKey()                     resolves to whether translate needs a key
 * setKey(key)                    keeps the key for later calls
 * translate(request, listeners)  resolves to the translation of the whole text when all sentences are finished
 */
const translator = (() => {
  let key = "";

  async function failure(response) {
    const { error = response.statusText } = await response.json().catch(() => ({}));
    const seconds = Number(response.headers.get("Retry-After")) || 0;
    if (response.status === 429) return new TranslatorError("busy", error, seconds || 1);
    if (response.status === 503 || response.status === 408) return new TranslatorError("stopping", error);
    if (response.status === 403) return new TranslatorError("key", error);
    if (response.status === 413 || /exceeds text limit/.test(error)) return new TranslatorError("long", error);
    return new TranslatorError("refused", error);
  }

  /** Like fetch, but rejects if the answer is an error. */
  async function ask(path, options = {}) {
    const response = await fetch(path, options).catch((problem) => {
      throw problem.name === "AbortError" ? problem : new TranslatorError("unreachable");
    });
    if (!response.ok) throw await failure(response);
    return response;
  }

  /** Calls onEvent(name, data) for each event of a stream of server-sent events. */
  async function readEvents(body, onEvent) {
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read().catch((problem) => {
        throw problem.name === "AbortError" ? problem : new TranslatorError("unreachable");
      });
      if (done) return;
      const events = (rest + value).split("\n\n");
      rest = events.pop();
      for (const event of events) {
        const lines = event.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line) ?? []);
        const field = (name) => lines.filter((line) => line[1] === name).map((line) => line[2]).join("\n");
        if (field("data")) onEvent(field("event"), JSON.parse(field("data")));
      }
    }
  }

  async function translate(request, { onSource, onSettled, onSentence, signal }) {
    const { text: q, model, alternatives, candidates, layer, head, prefix } = request;
    const fields = { q, source: model.source, target: model.target, model: model.name, alternatives, candidates };
    if (model.alignment) fields.alignment = "piece";
    if (layer) fields.layer = layer;
    if (head) fields.head = head;
    if (prefix) fields.prefix_pieces = prefix;
    if (key) fields.api_key = key;
    const headers = { "Content-Type": "application/json" };
    const response = await ask("v1/stream", { method: "POST", headers, body: JSON.stringify(fields), signal });
    let result = null;
    await readEvents(response.body, (name, data) => {
      if (signal.aborted) return;
      if (name === "source") onSource(data.sentences, data.pieces);
      if (name === "settled") onSettled(data);
      if (name === "sentence") onSentence(data);
      if (name === "done") result = data.translatedText;
      if (name === "error") throw new TranslatorError("refused", data.error);
    });
    if (result === null) throw new TranslatorError("unreachable");
    return result;
  }

  async function models() {
    const list = await (await ask("v1/models")).json();
    return list.map(({ training, ...model }) =>
      training ? { ...model, training: `training?model=${encodeURIComponent(model.name)}` } : model,
    );
  }

  return {
    models,
    needsKey: async () => (await (await ask("frontend/settings")).json()).keyRequired,
    setKey: (given) => (key = given),
    translate,
  };
})();
