// The corrections that are kept, the terms that they propose, and what the models have learned from them.

/** Replaces the rows of a list. The focus stays at the button in the same place. */
function refill(list, rows) {
  const buttons = () => [...list.querySelectorAll("button")], at = buttons().indexOf(document.activeElement);
  list.replaceChildren(...rows);
  if (at >= 0) buttons().at(Math.min(at, buttons().length - 1))?.focus();
}

/** Formats a measure before and after a learning. */
const changeOf = (measure, name) => ["before", "after"].map((when) => numberText(measure[when][name])).join(" → ");

/**
 * Makes the section of one model: what waits, its generations, and the buttons that learn and serve.
 *
 * on  {learn(), serve(generation)}
 *
 * Returns {element, draw(course, after, model)}; course: a model in the answer of translator.learning; after: as there;
 * model: its Model
 */
function makeCourse(on) {
  const words = text.ledger;
  const name = make("h3", {}), waiting = make("span", {}), state = make("p", { role: "status" });
  const learn = make("button", { type: "button", title: words.learnHelp }, words.learn);
  const busy = make("progress", { "aria-label": words.learning }), said = make("small", { lang: "en" });
  const doing = make("p", { class: "controls" }, busy, said), list = make("ol", {});
  const element = make("section", {}, name, make("p", { class: "controls" }, waiting, learn), state, doing, list);
  let drawn = ""; // the generations that are shown

  function example({ source, before, after }, model) {
    const compared = make("p", { lang: model.target }, ...changesOf(before, after));
    return make("li", {}, make("p", { lang: model.source }, source), compared);
  }

  /** What a generation has learned; nothing for 0, the model itself. */
  function report({ learned }, model) {
    if (!learned) return [];
    const { corrections, held_out: heldOut, dev, examples = [], accepted, reason } = learned;
    const decision = make("p", {}, accepted ? words.accepted : words.refused);
    if (reason) decision.append(" ", make("small", { lang: "en" }, reason));
    const bleu = explain(make("span", {}, "BLEU"), "bleu");
    const perplexity = explain(make("span", {}, words.perplexity), "perplexity");
    const judged = make("p", {}, words.heldOut(corrections.held_out), " ", bleu, ` ${changeOf(heldOut, "bleu")}${words.comma}`,
      perplexity, ` ${changeOf(heldOut, "perplexity")}`);
    const kept = make("p", {}, `${words.dev} BLEU ${changeOf(dev, "bleu")}`);
    const rows = examples.map((one) => example(one, model));
    const details = make("details", {}, make("summary", {}, words.examples), make("ul", {}, ...rows));
    details.hidden = !rows.length;
    return [make("p", {}, words.learnedFrom(corrections.learned)), judged, kept, decision, details];
  }

  function row(entry, served, model) {
    const { generation, learned } = entry, isServed = generation === served;
    const name = generation ? words.generation(generation) : words.itself;
    const heading = make("div", { class: "controls" }, make("strong", {}, name));
    const choose = make("button", { type: "button", "aria-pressed": isServed }, isServed ? words.served : words.serve);
    choose.addEventListener("click", () => isServed || on.serve(generation));
    if (!generation || learned?.accepted) heading.append(choose);
    return make("li", {}, heading, ...report(entry, model));
  }

  learn.addEventListener("click", on.learn);
  return {
    element,
    draw(course, after, model) {
      name.textContent = course.model;
      waiting.textContent = words.waiting(course.waiting, after);
      learn.disabled = course.state !== "idle";
      const isFailed = course.state === "idle" && course.said;
      state.textContent = isFailed ? words.failed : { idle: "", waiting: words.queued, learning: words.learning }[course.state];
      said.textContent = course.said;
      doing.hidden = course.state === "idle" && !isFailed;
      busy.hidden = course.state === "idle";
      const { generation, generations } = course, next = JSON.stringify([generation, generations]);
      if (next === drawn) return;
      drawn = next;
      refill(list, [...[{ generation: 0 }, ...generations].reverse()].map((entry) => row(entry, generation, model)));
    },
  };
}

/**
 * Makes the section of all corrections.
 *
 * on  {corrected(sentence), replaced(), modelNamed(name)}: is told that what is remembered of a sentence has changed, and that
 *     another generation of a model is served; finds a Model
 *
 * Returns {element, changed}; changed(): there may be other corrections, or another key
 */
function makeLedger(on) {
  const words = text.ledger, MOST = 20; // corrections that are listed at once
  const button = (name, act, attributes = {}) => {
    const made = make("button", { type: "button", ...attributes }, name);
    made.addEventListener("click", act);
    return made;
  };
  const problem = make("p", { class: "problem", role: "alert" }), copied = make("span", { role: "status" });
  const none = make("p", {}, words.none), list = make("ol", {}), terms = make("ul", {});
  const more = button(words.more, () => show((most += MOST))), save = button(words.download, download);
  const proposed = make("section", {}, make("h3", {}, words.terms), make("p", {}, words.termsHelp), terms, copied);
  const learning = make("section", {}, make("h2", {}, words.learningTitle));
  const [above, below] = [save, more].map((one) => make("div", { class: "controls" }, one));
  const kept = make("section", {}, make("h2", {}, words.corrections), above, none, list, below);
  const element = make("details", { class: "ledger" }, make("summary", {}, words.title), problem, kept, proposed, learning);
  const courses = new Map(); // of each model, by its name
  let corrections = [], most = MOST, served = ""; // `served`: the generation of each model
  let timer = null; // of the next look at a learning
  let moves = false; // whether a model learns, or the server may still count what waits

  /** Asks the translator; shows a failure as one line, and tries again if it says when. */
  async function attempt(act, then = () => {}) {
    problem.replaceChildren();
    try {
      then(await act());
    } catch (failure) {
      problem.replaceChildren(...failureLine(failure));
      if (failure.seconds) setTimeout(attempt, 1000 * failure.seconds, act, then);
    }
  }

  // ---- corrections ----

  function row({ id, time, source, target, q, translation, correction }) {
    const remove = () => attempt(() => translator.forget(id), () => on.corrected(q));
    const when = new Date(time).toLocaleString(document.documentElement.lang, { dateStyle: "medium", timeStyle: "short" });
    const about = make("div", { class: "controls" }, make("small", {}, make("time", { datetime: time }, when)));
    about.append(button(words.remove, remove, { "aria-label": words.removeOf(q) }));
    const compared = make("p", { lang: target }, ...changesOf(translation ?? correction, correction));
    return make("li", {}, make("p", { lang: source }, q), compared, about);
  }

  function term({ source, after, count }) {
    const copy = async () => sayBriefly(copied, (await copyText(`${source}\t${after}`)) ? text.copied : text.notCopied);
    const copies = button(words.copyTerm, copy, { title: words.copyTermHelp });
    return make("li", { class: "controls" }, words.term(source, after, count), copies);
  }

  function show() {
    none.hidden = corrections.length > 0;
    more.hidden = corrections.length <= most;
    save.disabled = !corrections.length;
    refill(list, corrections.slice(0, most).map(row));
  }

  function download() {
    attempt(translator.memoryFile, (blob) => saveAs(blob, "corrections.tmx"));
  }

  // ---- learning ----

  function courseOf(name) {
    const learn = () => attempt(() => translator.learn(name), look);
    const serve = (generation) => attempt(() => translator.serve(name, generation), look);
    if (!courses.has(name)) courses.set(name, makeCourse({ learn, serve }));
    return courses.get(name);
  }

  function showLearning({ models, after }) {
    const before = served;
    served = models.map(({ generation }) => generation).join();
    for (const course of models) {
      const own = courseOf(course.model);
      if (!own.element.isConnected) learning.append(own.element);
      own.draw(course, after, on.modelNamed(course.model));
    }
    clearTimeout(timer);
    const moved = moves;
    moves = models.some(({ state }) => state !== "idle");
    if (moved || moves) timer = setTimeout(look, 2000);
    if (before && before !== served) on.replaced();
  }

  const look = () => element.open && attempt(translator.learning, showLearning);

  function changed() {
    if (!element.open) return;
    attempt(translator.corrections, (found) => {
      corrections = found.corrections;
      show();
      proposed.hidden = !found.terms.length;
      refill(terms, found.terms.map(term));
    });
    moves = true;
    look();
  }

  element.addEventListener("toggle", changed);
  return { element, changed };
}
