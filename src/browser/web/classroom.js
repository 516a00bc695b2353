// The classroom: one training, or two side by side, each in a worker of its own (classroom_worker.js), and what is seen of them.

const part = (name) => $(`room-${name}`).textContent.replace(/^\n/, ""); // of the page: program, engine, options, pairs, dev, links, new
const linesOf = (content) => content.split("\n").filter(Boolean);

/** The pairs of a part: {english, chinese}. */
const pairsOf = (name) => linesOf(part(name)).map((line) => line.split("\t")).map(([english, chinese]) => ({ english, chinese }));

const pairs = pairsOf("pairs"), fresh = pairsOf("new");
const learned = pairs.filter((_, i) => i % 56 === 0); // ten, spread over all
const DEFAULT = "潮水退了，才知道谁没穿裤子。";
const CHANGES = 6; // parameters whose change is shown
const SHEET = 6; // matrices of the printed history

// ---- settings ----

/** The lines of the preset with some options in the place of its own. */
function optionsWith(own) {
  const lines = linesOf(part("options")).map((line) => line.replace(/\s*#.*/, "")).filter(Boolean);
  const options = new Map(lines.map((line) => line.split(/\s*=\s*/)));
  for (const [name, value] of Object.entries(own)) options.set(name, value);
  return options;
}

/** The options of each kind of network; "unguided" has no links. */
const KINDS = { "": {}, none: { attention: "none" }, dot: { attention: "dot" }, gru: { encoder: "gru" }, unguided: {} };
const aligns = (kind) => kind !== "none";

/** The user's pairs: {pairs, problem}; problem: one line about the first that is wrong, or "". */
function ownPairs() {
  const found = [];
  const lines = $("own").value.split("\n");
  for (const [i, line] of lines.entries()) {
    if (!line.trim()) continue;
    const [chinese, english, ...rest] = line.split("\t").map((side) => side.trim());
    const reason = english === undefined || rest.length ? text.noTab
      : !chinese || !english ? text.empty
        : !/\p{sc=Han}/u.test(chinese) ? text.noHan
          : [...chinese].length > 40 || english.split(/\s+/).length > 40 ? text.long : "";
    if (reason) return { pairs: [], problem: text.ownLine(i + 1, reason) };
    found.push({ chinese, english });
  }
  return { pairs: found, problem: "" };
}

/** What only the user's pairs have: {chars, words}, as texts. */
function unknownIn(own) {
  const unitsOf = (list) => ({
    chars: new Set(list.flatMap(({ chinese }) => chinese.match(/\p{sc=Han}/gu) ?? [])),
    words: new Set(list.flatMap(({ english }) => english.toLowerCase().match(/[a-z']+/g) ?? [])),
  });
  const [known, given] = [unitsOf(pairs), unitsOf(own)];
  const only = (name) => [...given[name]].filter((unit) => !known[name].has(unit));
  return { chars: only("chars").join(""), words: only("words").join(", ") };
}

function checkOwn() {
  const { pairs: own, problem } = ownPairs(), { chars, words } = unknownIn(own);
  $("owned").textContent = problem || (own.length ? text.owned(own.length, chars, words) : "");
  $("owned").classList.toggle("problem", Boolean(problem));
}

// ---- one training ----

/** A chart of the loss. points: [{update, loss}]. */
function drawLoss(svg, points, all) {
  const most = Math.max(...points.map(({ loss }) => loss), 1);
  const line = points.map(({ update, loss }) => `${(400 * update / all).toFixed(1)},${(100 - 95 * loss / most).toFixed(1)}`).join(" ");
  svg.replaceChildren(
    make("title", {}, text.curve),
    make("line", { x1: 0, y1: 100, x2: 400, y2: 100, class: "axis" }),
    make("polyline", { points: line, class: "loss" }),
    make("line", { x1: 0, x2: 0, y1: 0, y2: 100, class: "cursor" }),
  );
}

/** Bars for shares of `most`: rows of [name, value, spelled]. */
function barsOf(rows, most) {
  const body = rows.map(([name, value, spelled]) =>
    make("tr", {}, make("th", { scope: "row" }, name), make("td", {}, makeBar(value, most), spelled)));
  return make("table", { class: "bars" }, make("tbody", {}, ...body));
}

/**
 * Makes a training of a kind. onChange(): called when there is something new to see.
 *
 * Returns {element, kind, looks, state, update, send, ask, stop, show}: looks: [{update, text, pieces, unknown, result}]; state: whether
 * it has ended or failed; update(): the updates made; send(message) to the worker; ask(path, body) resolves to an answer about the
 * weights as they are; show(update) shows and returns the last look up to that update.
 */
function makeRun(kind, settings, onChange) {
  const parts = {
    state: make("p", { class: "state", role: "status" }, text.waiting),
    most: make("small", { class: "most" }, text.curve),
    chart: make("svg", { viewBox: "0 0 400 100", role: "img", "aria-label": text.curve, preserveAspectRatio: "none" }),
    target: make("p", { class: "target", lang: "en" }),
    matrix: make("div", {}),
    side: make("div", { class: "side" }),
    ended: make("p", { class: "ended" }),
  };
  const bleu = make("div", { class: "bleu" }), changed = make("div", { class: "changes" });
  parts.side.append(bleu, changed);
  const element = make("section", { class: "run" }, make("h2", {}, text.runs[kind]), ...Object.values(parts));
  const points = [], looks = [], waiting = new Map(); // points: what the worker says of each update
  const state = { ended: false, failed: false }, update = () => points.at(-1)?.update ?? 0;
  let matrix = null, drawn = null, number = 0, drawing = 0; // drawn: the look that is shown

  const source = URL.createObjectURL(new Blob([part("program")], { type: "text/javascript" }));
  const worker = new Worker(source);
  URL.revokeObjectURL(source);

  function fail(reason) {
    state.ended = state.failed = true;
    parts.state.textContent = reason;
    parts.state.classList.add("problem");
    for (const { reject } of waiting.values()) reject(new Error(reason));
    worker.terminate();
    onChange();
  }

  /** Keeps the translation of the sentence after an update, whose events are complete. */
  function readLook(after, sentence, events) {
    if (sentence !== settings.text()) return; // the user has chosen another one
    const sentences = [], pieces = [], unknown = [];
    const read = eventReader({
      onSource(_, found, unread) {
        pieces.push(...found);
        unknown.push(...unread);
      },
      onSettled: () => {},
      onSentence: (found) => sentences.push(found),
      signal: { aborted: false },
    });
    read(events);
    if (sentences.length) looks.push({ update: after, text: sentence, result: sentences[0], pieces: pieces[0], unknown: unknown[0] });
  }

  function showMeasures({ measured, bleu: all, bleu_by_length: lengths }) {
    const rows = lengths.map(({ to, sentences, bleu: value }, i) => {
      const from = (lengths[i - 1]?.to ?? 0) + 1;
      return [to ? `${from}–${to}` : `≥ ${from}`, value, text.ofSentences(value.toFixed(0), sentences)];
    });
    bleu.replaceChildren(make("p", {}, text.bleu(all.toFixed(1), measured)), barsOf(rows, 100));
  }

  function showChanges(changes) {
    const most = Object.entries(changes).sort((a, b) => b[1] - a[1]).slice(0, CHANGES);
    changed.replaceChildren(make("h3", {}, text.changed, " ", make("small", {}, text.changedHelp)),
      barsOf(most.map(([name, share]) => [name, share, `${(100 * share).toFixed(1)}%`]), most[0]?.[1]));
  }

  function draw() {
    drawing = 0;
    const last = points.at(-1);
    if (last) {
      parts.state.textContent = text.state(last.update, settings.all, last.epoch.toFixed(1), last.loss.toFixed(2));
      parts.most.textContent = text.from(points[0].loss.toFixed(1));
      drawLoss(parts.chart, points, settings.all);
      showChanges(last.changes);
    }
    onChange();
  }

  worker.onmessage = ({ data }) => {
    if (data.problem !== undefined) return fail(data.problem || text.noMemory);
    if (data.id !== undefined) {
      const { resolve, reject } = waiting.get(data.id);
      waiting.delete(data.id);
      return data.status === 200 ? resolve(data.answer) : reject(new TranslatorError("refused", JSON.parse(data.answer).error));
    }
    if (data.began) parts.state.textContent = text.ready;
    if (data.look !== undefined) readLook(data.look, data.text, data.answer);
    if (data.measured !== undefined) showMeasures(data);
    if (data.update !== undefined) points.push(data);
    if (data.ended !== undefined) {
      state.ended = true;
      const said = [text.hash, " ", make("code", {}, data.ended), settings.command && ` ${text.same} `];
      parts.ended.replaceChildren(...said, ...(settings.command ? [make("code", {}, settings.command)] : []));
    }
    drawing ||= setTimeout(draw, 16); // once for many messages; not in a frame: a hidden page has none, and learns to the end
  };
  worker.onerror = (event) => {
    event.preventDefault();
    fail(event.message || text.errors.unreachable);
  };
  worker.postMessage({ engine: part("engine"), files: settings.files, options: settings.options, aligns: aligns(kind) });

  return {
    element, kind, looks, state, update,
    send: (message) => worker.postMessage(message),
    ask: (path, body) => new Promise((resolve, reject) => {
      waiting.set(++number, { resolve, reject });
      worker.postMessage({ id: number, path, body: JSON.stringify(body) });
    }),
    stop: () => worker.terminate(),
    show(at) {
      const look = looks.findLast((one) => one.update <= at);
      parts.chart.querySelector(".cursor")?.setAttribute("transform", `translate(${400 * at / settings.all})`);
      if (!look || look === drawn) return look;
      drawn = look;
      parts.target.textContent = look.result.translatedText || text.babble;
      if (!aligns(kind)) parts.matrix.textContent = text.noMatrix;
      else if (matrix) matrix.update(shownOf(look, false));
      else matrix = drawMatrix(parts.matrix, shownOf(look, false), { caption: text.matrix(look.text) });
      return look;
    },
  };
}

// ---- the page ----

let runs = [], isRunning = false, total = 0; // total: the updates of a training
let follows = true; // whether the newest look is shown
let isTested = false; // whether the end of the trainings was seen
const step = makeStep({ persist: persistStep, moved: () => {}, changed: () => {} });
const model = { name: "now", source: "zh", target: "en", alignment: true, attention: "additive" };

/** The translator of step.js: the first training, as it is now. */
const translator = {
  explain: async (given) => JSON.parse(await runs[0].ask("/v1/explain", stepFields(given))).explanation,
};

async function persistStep(act, signal, then, fail) {
  try {
    const answer = await act();
    if (!signal.aborted) then(answer);
  } catch {
    if (!signal.aborted) fail();
  }
}

/** The files and options of a training of a kind. */
function settingsOf(kind) {
  const own = ownPairs().pairs, all = [...pairs, ...own];
  const guided = $("guided").checked && kind !== "unguided" && aligns(kind);
  const options = optionsWith({ ...KINDS[kind], seed: $("seed").value || "1" });
  const content = (list) => list.map(({ english, chinese }) => `${english}\t${chinese}\n`).join("");
  const files = { "pairs.tsv": content(all), "dev.tsv": part("dev") };
  if (guided) files.links = part("links") + own.map(() => "\n").join("");
  const perEpoch = Math.ceil(all.length / Number(options.get("mini-batch")));
  const given = Object.entries(KINDS[kind]).map(([name, value]) => ` --${name} ${value}`).join("");
  const folder = "build/browser/classroom";
  const command = own.length ? "" : `build/tide train --config src/browser/classroom.conf --tsv ${folder}/pairs.tsv ` +
    `--valid-tsv ${folder}/dev.tsv${guided ? ` --guided-alignment ${folder}/links` : ""}${given} --seed ${options.get("seed")} ` +
    "--model room; build/tide info --recipe room";
  return {
    files, command,
    options: [...options].map(([name, value]) => `${name} = ${value}\n`).join(""),
    all: perEpoch * Number(options.get("after-epochs")),
    text: () => $("sentence").value.trim(),
  };
}

function begin() {
  const { problem } = ownPairs();
  $("problem").textContent = problem;
  if (problem) return;
  runs.forEach((run) => run.stop());
  isRunning = isTested = false;
  $("tests").hidden = true;
  runs = [...new Set(["", $("beside").value])].map((kind) => makeRun(kind, settingsOf(kind), changed));
  total = settingsOf("").all;
  $("runs").replaceChildren(...runs.map(({ element }) => element));
  $("runs").classList.toggle("two", runs.length > 1);
  $("history").max = $("history").value = 0;
  setPace();
  setSentence();
  changed();
}

const setPace = () => runs.forEach((run) => run.send({ pace: Number($("pace").value) }));

function setSentence() {
  const sentence = $("sentence").value.trim();
  follows = true;
  runs.forEach((run) => {
    run.looks.length = 0;
    run.send({ text: sentence });
  });
  const known = [...pairs, ...fresh].find(({ chinese }) => chinese === sentence);
  $("reference").textContent = known ? text.reference(known.english) : "";
}

function setRunning(on) {
  isRunning = on;
  runs.forEach((run) => run.send({ run: on }));
  changed();
}

/** Shows what is new, or the place of the history that the user has chosen. */
function changed() {
  const [first] = runs, { looks } = first, last = Math.max(looks.length - 1, 0);
  const ended = runs.every(({ state }) => state.ended);
  if (ended && !isTested) {
    isRunning = false;
    isTested = true;
    test(runs.filter(({ state }) => !state.failed));
  }
  $("run").textContent = isRunning ? text.pause : first.update() ? text.resume : text.start;
  for (const id of ["run", "one"]) $(id).disabled = ended;
  $("history").max = last;
  if (follows) $("history").value = last;
  const at = follows ? first.update() : looks[$("history").value].update;
  const [slot] = runs.map((run) => run.show(follows ? run.update() : at));
  $("when").textContent = text.when(at, total);
  if (slot) step.draw(follows ? slot : { ...slot, result: null }, model); // its numbers are those of now
}

/** Translates sentences with the weights of a run: their translations. */
async function translateAll(run, sentences) {
  const events = await run.ask("/v1/stream", { q: sentences.join("\n"), source: "zh", target: "en" });
  const found = [];
  eventReader({
    onSource: () => {}, onSettled: () => {}, signal: { aborted: false },
    onSentence: ({ sentence, translatedText }) => (found[sentence] = translatedText),
  })(events);
  return found;
}

/** Shows what trainings translate at their end. */
async function test(ended) {
  const tables = [];
  for (const run of ended)
    for (const [name, list] of [[text.learned, learned], [text.fresh, fresh]]) {
      const written = await translateAll(run, list.map(({ chinese }) => chinese));
      const rows = list.map(({ chinese, english }, i) => {
        const right = written[i] === english;
        return make("tr", { class: right ? "right" : "wrong" }, make("td", { lang: "zh" }, chinese),
          make("td", { lang: "en" }, `${right ? "✓" : "✗"} ${written[i]}`, ...(right ? [] : [make("small", {}, ` ${english}`)])));
      });
      const right = rows.filter((row) => row.classList.contains("right")).length;
      const caption = make("caption", {}, `${runs.length > 1 ? `${text.runs[run.kind]}, ` : ""}${name}: ${text.right(right, list.length)}`);
      tables.push(make("table", {}, caption, make("tbody", {}, ...rows)));
    }
  $("results").replaceChildren(...tables);
  $("tests").hidden = !tables.length;
}

/** The sheet that is printed: the alignment at some updates, from the first to the last. */
function fillSheet() {
  const looks = runs[0].looks.filter(({ result }) => result.alignment);
  const places = [...new Set(Array.from({ length: SHEET }, (_, k) => Math.round(k * (looks.length - 1) / (SHEET - 1))))];
  const figures = (looks.length ? places : []).map((place) => {
    const look = looks[place], box = make("div", {});
    drawMatrix(box, shownOf(look, false), { caption: text.matrix(look.text) });
    const caption = make("figcaption", {}, `${text.when(look.update, total)}: ${look.result.translatedText}`);
    return make("figure", {}, caption, box);
  });
  $("sheet").replaceChildren(make("h2", {}, `${text.sheet}: ${$("sentence").value}`), ...figures);
}

function listen() {
  $("run").addEventListener("click", () => setRunning(!isRunning));
  $("one").addEventListener("click", () => {
    setRunning(false);
    follows = true;
    runs.forEach((run) => run.send({ step: true }));
  });
  $("again").addEventListener("click", begin);
  $("pace").addEventListener("change", setPace);
  for (const id of ["beside", "guided", "seed"]) $(id).addEventListener("change", begin);
  $("sentence").addEventListener("change", setSentence);
  $("own").addEventListener("input", checkOwn);
  $("help").addEventListener("click", () => $("keys").showModal());
  $("history").addEventListener("input", () => {
    follows = Number($("history").value) === Number($("history").max);
    changed();
  });
  document.addEventListener("keydown", (event) => {
    const own = "input:not([type=checkbox], [type=range]), textarea, select, dialog" + (event.key === " " ? ", button, summary, input" : "");
    if (event.target.closest(own) || event.ctrlKey || event.altKey || event.metaKey) return;
    const act = { " ": $("run"), ".": $("one"), r: $("again") }[event.key];
    if (event.key === "e") step.toggle();
    if (!act && event.key !== "e") return;
    event.preventDefault();
    act?.click();
  });
  addEventListener("beforeprint", fillSheet);
}

document.title = text.title;
fillTexts();
fillSelect($("pace"), text.paces);
fillSelect($("beside"), text.besides);
$("sentences").append(...[...fresh, ...learned].map(({ chinese }) => make("option", { value: chinese })));
$("sentence").value = DEFAULT;
$("step").append(step.element);
if (isOld()) $("problem").textContent = oldBrowser;
else {
  listen();
  begin();
}
