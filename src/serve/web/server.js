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

  async function translate(request, listeners) {
    const fields = requestFields(request), { signal } = listeners, read = eventReader(listeners);
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
      else return result;
    }
  }

  /** Asks with fields and the key for an answer that is no stream. */
  async function answer(path, fields, signal) {
    const body = JSON.stringify(key ? { ...fields, api_key: key } : fields);
    return (await ask(path, { method: "POST", headers: { "Content-Type": "application/json" }, body, signal })).json();
  }

  async function align({ text: q, translation, model }, signal) {
    const fields = { q, translation, model: model.name, source: model.source, target: model.target, alignment: "piece" };
    return (await answer("v1/align", fields, signal)).alignment;
  }

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
  };
})();
