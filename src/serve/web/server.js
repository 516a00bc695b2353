// The translator of the live page: a server.

const translator = (() => {
  let key = "";

  async function failure(response) {
    const { error = response.statusText } = await response.json().catch(() => ({}));
    const seconds = Number(response.headers.get("Retry-After")) || 0;
    if (response.status === 429) return new TranslatorError("busy", error, seconds || 1);
    if (response.status === 503 || response.status === 408) return new TranslatorError("stopping", error);
    if (response.status === 403) return new TranslatorError("key", error);
    return tideFailure(response.status, error);
  }

  /** Like fetch, but rejects if the answer is an error. */
  async function ask(path, options = {}) {
    const response = await fetch(path, options).catch((problem) => {
      throw problem.name === "AbortError" ? problem : new TranslatorError("unreachable");
    });
    if (!response.ok) throw await failure(response);
    return response;
  }

  /** Completes a remembered sentence: its pieces, and their alignment if the model has one. */
  async function complete(sentence, text, { model, layer, head }, signal) {
    if (!model.alignment) return { ...sentence, pieces: piecesFor(sentence.translatedText) };
    const alignment = await align({ text, translation: sentence.translatedText, model, layer, head }, signal);
    return { ...sentence, pieces: alignment.target, alignment };
  }

  /** Returns {read, end}: an eventReader that completes remembered sentences; end() resolves when they are complete. */
  function recallingReader(request, listeners) {
    const { signal } = listeners, completing = [];
    let sentences = [];
    const read = eventReader({
      ...listeners,
      onSource(texts, pieces, unknown) {
        sentences = texts;
        listeners.onSource(texts, pieces, unknown);
      },
      onSentence(result) {
        if (result.correction === undefined) return listeners.onSentence(result);
        const show = (whole) => signal.aborted || listeners.onSentence(whole);
        completing.push(complete(result, sentences[result.sentence], request, signal).then(show));
        completing.at(-1).catch(() => {}); // `end` rejects
      },
    });
    return { read, end: () => Promise.all(completing) };
  }

  async function translate(request, listeners) {
    const fields = requestFields(request), { signal } = listeners, { read, end } = recallingReader(request, listeners);
    if (key) fields.api_key = key;
    const headers = { "Content-Type": "application/json" };
    const response = await ask("v1/stream", { method: "POST", headers, body: JSON.stringify(fields), signal });
    const parts = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let result = null; ; ) {
      const { done, value } = await parts.read().catch((problem) => {
        throw problem.name === "AbortError" ? problem : new TranslatorError("unreachable");
      });
      if (!done) result = read(value);
      else if (result === null) throw new TranslatorError("unreachable");
      else return end().then(() => result);
    }
  }

  /** Asks with fields and the key for an answer that is no stream. */
  async function answer(path, fields, signal) {
    const body = JSON.stringify(key ? { ...fields, api_key: key } : fields);
    return (await ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body, signal })).json();
  }

  async function align({ text: q, translation, model, layer = 0, head = 0 }, signal) {
    const fields = { q, translation, ...directed(model), alignment: "piece", layer, head };
    return (await answer("v1/align", fields, signal)).alignment;
  }

  const get = (path) => ask(path, key ? { headers: { Authorization: `Bearer ${key}` } } : {});

  async function models() {
    const list = await (await ask("v1/models")).json();
    return list.map(({ training, ...model }) =>
      training ? { ...model, training: `training?model=${encodeURIComponent(model.name)}` } : model,
    );
  }

  return {
    models,
    settings: async () => (await ask("frontend/settings")).json(),
    setKey: (given) => (key = given),
    translate,
    align,
    pinyin: async (q) => (await answer("v1/pinyin", { q })).pinyin,
    explain: async (step, signal) => (await answer("v1/explain", stepFields(step), signal)).explanation,
    search: async (request, signal) => (await answer("v1/search", searchFields(request), signal)).search,
    correct: ({ text: q, model, ...given }) => answer("v1/corrections", { q, ...directed(model), ...given }),
    similar: async ({ text: q, model }, signal) => (await answer("v1/similar", { q, ...directed(model) }, signal)).similar,
    corrections: async () => (await get("v1/corrections")).json(),
    forget: (id) => answer("v1/corrections/delete", { id }),
    memoryFile: async () => (await get("v1/corrections.tmx")).blob(),
    learning: async () => (await get("v1/learning")).json(),
    learn: (model) => answer("v1/learn", { model }),
    serve: (model, generation) => answer("v1/generation", { model, generation }),
  };
})();
