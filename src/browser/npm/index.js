// The module `tide`: index.d.ts describes it. The build puts translator.js, which the page uses, too, before this file.
import makeTide from "./engine.cjs";

/** Bytes of a file or of a folder's model.safetensors, if `source` is a path; else `source`. */
async function bytesOf(source) {
  if (typeof source !== "string" && !(source instanceof URL)) return source;
  const { readFile, stat } = await import("node:fs/promises");
  const { join } = await import("node:path");
  const folder = (await stat(source)).isDirectory();
  return readFile(folder ? join(String(source), "model.safetensors") : source);
}

/** Lets other work in between the batches. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

class Translator {
  #tide;
  #deliver; // receives the parts of the answer: (status, text)
  #last = Promise.resolve(); // the translations so far: one is computed at a time

  static async load(model, { wasm = new URL("./engine.wasm", import.meta.url) } = {}) {
    const [bytes, wasmBinary] = await Promise.all([bytesOf(model), bytesOf(wasm)]);
    const self = new Translator();
    self.#tide = await makeTide({ wasmBinary, deliver: (status, text) => self.#deliver(status, text) });
    self.#tide.FS.writeFile("/model", bytes);
    const problem = self.#tide.ccall("browser_open", "string", ["string"], ["/model"]);
    self.#tide.FS.unlink("/model");
    if (problem) throw new Error(problem);
    self.#deliver = (_, text) => ([self.model] = JSON.parse(text));
    self.#tide.ccall("browser_models", null, [], []);
    return self;
  }

  translate(text, { alternatives = 0, candidates = 0, layer, head, prefix, signal, onSettled = () => {} } = {}) {
    const request = { text, model: this.model, alternatives, candidates, layer, head, prefix };
    return this.#next(() => this.#answer(requestFields(request), signal, onSettled));
  }

  explain(text, pieces, step, { top = 10 } = {}) {
    const fields = stepFields({ text, model: this.model, pieces, step, top });
    return this.#next(() => this.#ask("/v1/explain", fields).explanation);
  }

  search(text, { alternatives = 0, prefix, pruned } = {}) {
    const fields = searchFields({ text, model: this.model, alternatives, prefix, pruned });
    return this.#next(() => this.#ask("/v1/search", fields).search);
  }

  /** Works after all that was asked before. */
  #next(work) {
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** The whole answer about one sentence. */
  #ask(path, fields) {
    let answer;
    this.#deliver = (_, text) => (answer = JSON.parse(text));
    if (this.#call("browser_begin", path, JSON.stringify(fields))) this.#call("browser_continue");
    this.#call("browser_cancel");
    if (answer.error) throw new Error(answer.error);
    return answer;
  }

  async #answer(fields, signal = new AbortController().signal, onSettled) {
    let found = null, problem = null;
    const sentences = [];
    const read = eventReader({
      onSource: (sources, pieces) => sources.forEach((source, i) => (sentences[i] = { source, sourcePieces: pieces[i] })),
      onSettled,
      onSentence: ({ sentence, translatedText, ...rest }) => Object.assign(sentences[sentence], { text: translatedText, ...rest }),
      signal,
    });
    this.#deliver = (status, text) => {
      if (status !== 200) problem = new Error(JSON.parse(text).error);
      else found = read(text) ?? found;
    };
    signal.throwIfAborted();
    for (let left = this.#call("browser_begin", "/v1/stream", JSON.stringify(fields)); left && !signal.aborted; await turn())
      left = this.#call("browser_continue");
    this.#call("browser_cancel");
    signal.throwIfAborted();
    if (problem) throw problem;
    return { text: found, sentences };
  }

  #call(name, ...given) {
    return this.#tide.ccall(name, "number", given.map(() => "string"), given);
  }
}

export const load = Translator.load;
