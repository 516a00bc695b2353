// The translator of the edition without a server: a worker that translates in the browser. worker.js describes the messages.

const editionTexts = {
  en: {
    unpacking: "Unpacking the model",
    errors: {
      unreachable: "The translator stopped. Try again; a shorter text needs less memory.",
      long: "The text is too long for one translation. Remove a part of it.",
      refused: "This cannot be translated.",
      broken: "The model in this page cannot be read.",
      noModels: "This page contains no model.",
    },
  },
  zh: {
    unpacking: "正在解压模型",
    errors: {
      unreachable: "翻译程序停止了。请再试一次；短一些的文字需要的内存较少。",
      long: "文字太长，一次翻译不完，请删去一部分。",
      refused: "无法翻译。",
      broken: "无法读取这个网页里的模型。",
      noModels: "这个网页里没有模型。",
    },
  },
};
Object.assign(text.errors, editionTexts[language].errors, { old: oldBrowser });

const translator = (() => {
  const part = (name) => $(`tide-${name}`)?.textContent; // of the page: "program", "engine", "model" or "about"
  let worker = null; // null: none, or it has failed
  let opened = null; // a promise of the Models of `worker`
  let number = 0; // of the last request
  const waiting = new Map(); // number of a request: its reader of events, and the functions of its promise

  /** Shows, in the place of the settings, how much of the model is unpacked, from 0 to 1. null: the model is known. */
  function progress(share) {
    if (share === null) return $("unpacking")?.parentNode.remove();
    if (!$("unpacking")) {
      const bar = make("progress", { id: "unpacking", max: 1 });
      $("settings").before(make("label", { class: "controls" }, editionTexts[language].unpacking, bar));
    }
    $("unpacking").value = share;
  }

  function fail(problem) {
    worker?.terminate();
    worker = opened = null;
    progress(null);
    for (const { reject } of waiting.values()) reject(problem);
    waiting.clear();
  }

  function hear({ id, status, answer }) {
    const request = waiting.get(id);
    if (!request) return;
    const end = (settle, value) => {
      waiting.delete(id);
      settle(value);
    };
    if (status !== 200) return end(request.reject, tideFailure(status, JSON.parse(answer).error));
    try {
      const result = request.read(answer);
      if (result !== null) end(request.resolve, result);
    } catch (problem) {
      end(request.reject, problem);
    }
  }

  /** Starts the worker. Resolves to its Models. */
  function open() {
    if (isOld()) return Promise.reject(new TranslatorError("old"));
    if (!part("model")) return Promise.resolve([]);
    const source = URL.createObjectURL(new Blob([part("program")], { type: "text/javascript" }));
    worker = new Worker(source);
    progress(0);
    return new Promise((resolve, reject) => {
      worker.onmessage = ({ data }) => {
        if (data.unpacked !== undefined) progress(data.unpacked);
        else if (data.models) {
          progress(null);
          resolve(data.models);
        } else if (data.broken !== undefined) {
          const problem = new TranslatorError("broken", data.broken);
          reject(problem);
          fail(problem);
        } else if (data.stopped) fail(new TranslatorError("unreachable"));
        else hear(data);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        reject(new TranslatorError("unreachable"));
        fail(new TranslatorError("unreachable"));
      };
      worker.postMessage({ engine: part("engine"), model: part("model"), name: JSON.parse(part("about")).name });
      URL.revokeObjectURL(source);
    });
  }

  const models = () => (opened ??= open());

  /** Sends a request. `read` gets the parts of the answer, and returns the result with the last one, before that null. */
  async function ask(path, fields, read, signal) {
    const id = ++number;
    await models();
    signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      waiting.set(id, { read, resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!waiting.delete(id)) return;
        worker?.postMessage({ cancel: id });
        reject(signal.reason);
      });
      worker.postMessage({ id, path, body: JSON.stringify(fields) });
    });
  }

  return {
    models,
    settings: async () => ({}),
    setKey: () => {},
    translate: (request, listeners) =>
      ask("/v1/stream", requestFields(request), eventReader(listeners), listeners.signal),
    explain: (step, signal) => ask("/v1/explain", stepFields(step), (answer) => JSON.parse(answer).explanation, signal),
    search: (request, signal) => ask("/v1/search", searchFields(request), (answer) => JSON.parse(answer).search, signal),
  };
})();
