// The training report: curves over the updates of one training, or of two, and at each validation the alignments of the
// probes and the translations of the dev set.

// ---- numbers ----

/** Formats a number with three significant digits, or with `places` decimal places; 12345 has a thin space between the
 * thousands, and a number below 0.01 is written as 8.50e-4. */
function shown(value, places) {
  const size = Math.abs(value);
  if (places === undefined && size > 0 && size < 0.01) return value.toExponential(2);
  const digits = places ?? (size >= 100 || size === 0 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : 3);
  return value.toFixed(digits).replace(/\B(?=(\d{3})+$)/g, size >= 10000 ? "\u202f" : "");
}

/** Formats a number for an axis, without trailing zeros. */
function tick(value) {
  if (value >= 1e9 || (value > 0 && value < 0.01)) return (+value.toPrecision(6)).toExponential().replace("+", "");
  const [unit, letter] = value >= 1e6 ? [1e6, "M"] : value >= 1e4 ? [1e3, "k"] : [1, ""];
  return `${+(value / unit).toPrecision(6)}${letter}`;
}

/** About `count` round numbers whose range contains low and high. */
function linearTicks(low, high, count) {
  const rough = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough * 0.999);
  const ticks = [];
  for (let k = Math.floor(low / step + 1e-9); ; k++) {
    ticks.push(k * step);
    if (k * step >= high - step * 1e-9) return ticks;
  }
}

/** 1, 2, 5, 10, ... so that the range contains low and high. If there are many, only powers of ten, or only some of
 * these. */
function logTicks(low, high) {
  const from = Math.floor(Math.log10(low));
  const to = Math.ceil(Math.log10(high));
  const every = Math.ceil((to - from) / 8) || 1;
  const powers = Array.from({ length: Math.ceil((to - from) / every) + 1 }, (_, i) => 10 ** (from + every * i));
  const all = powers.flatMap((power) => [power, 2 * power, 5 * power]);
  const ticks = all.filter((n, i) => !(all[i + 1] <= low) && !(all[i - 1] >= high));
  return ticks.length > 7 ? powers : ticks;
}

// ---- data of the charts ----

// The metrics that can choose the best model (--valid-metrics): member of a validation, decimal places.
const metrics = { bleu: ["bleu"], chrf: ["chrf"], "ce-mean-words": ["valid_loss", 3], perplexity: ["valid_ppl"] };
const metricOf = (line) => (line?.metric in metrics ? line.metric : "bleu");
/** [title, value as text, member] of the metric that chose the best model when this validation was made. */
function measured(line) {
  const metric = metricOf(line), [member, places] = metrics[metric];
  return Number.isFinite(line?.[member]) ? [text.metrics[metric], shown(line[member], places), member] : null;
}

/** The log of a training, its best validation, its last update, and the epochs of its updates. letter: "A" or "B" if the
 * page compares two trainings, else "". */
function runOf({ name, reports, validations, outputs, options }, i) {
  const lines = [...reports, ...validations];
  const dated = lines.filter((line) => Number.isFinite(line.epoch));
  return {
    name,
    letter: data.other ? "AB"[i] : "",
    reports,
    validations,
    outputs,
    options,
    best: validations.findLast((line) => line.best && measured(line)),
    last: Math.max(1, ...lines.map((line) => line.update)),
    epochs: new Map(dated.map((line) => [line.update, line.epoch])),
  };
}
const runs = [data, data.other].filter(Boolean).map(runOf);
const [own] = runs;
const last = Math.max(...runs.map((run) => run.last));

/** Says to which of two trainings something belongs; the same text if there is only one. */
const named = ({ letter }, said) => (letter ? text.ofRun(letter, said) : said);

/** A curve of each training. lines: "reports" or "validations" */
const curvesOf = (name, lines, field, scale) =>
  runs.map((run) => ({
    name,
    run,
    kind: run === own ? name : `${name} other`,
    points: run[lines]
      .filter((line) => Number.isFinite(line[field]))
      .map((line) => ({ update: line.update, value: line[field] * scale })),
  }));
const ofTrain = (field) => curvesOf("train", "reports", field, 1);
const ofDev = (field, scale = 1) => curvesOf("dev", "validations", field, scale);

const charts = [
  { name: "loss", curves: [...ofTrain("loss"), ...ofDev("valid_loss")], metric: "valid_loss" },
  { name: "perplexity", isLog: true, curves: [...ofTrain("ppl"), ...ofDev("valid_ppl")], metric: "valid_ppl" },
  { name: "bleu", curves: ofDev("bleu"), metric: "bleu", unitTerm: "dev" },
  { name: "chrf", curves: ofDev("chrf"), metric: "chrf", unitTerm: "dev" },
  { name: "gradient", curves: ofTrain("gnorm") },
  { name: "rate", curves: ofTrain("learn_rate") },
  { name: "speed", curves: ofTrain("tokens_per_s") },
  { name: "entropy", curves: ofDev("attention_entropy") },
  { name: "diversity", curves: ofDev("attention_diversity", 100) },
];

/** The thing whose update is nearest to the given update. */
const nearest = (things, update) =>
  things.reduce((a, b) => (Math.abs(b.update - update) < Math.abs(a.update - update) ? b : a));

/** "update 600, epoch 6.5" */
function moment(update, run = own) {
  const epoch = run.epochs.get(update);
  return epoch === undefined ? text.update(shown(update, 0)) : text.moment(shown(update, 0), epoch.toFixed(1));
}

/** ", BLEU 21.3", or ", best BLEU 21.3"; empty if the log has no validation of this update. */
function result(update, { validations, best } = own) {
  const found = measured(validations.findLast((line) => line.update === update));
  return found ? (update === best?.update ? text.bestResult : text.result)(found[0], found[1]) : "";
}

/** A sentence about the validations of a training that are not among `updates`; "" if all are. recorded: how many of them
 * have `what`; held: how many of these the page holds; whose: to what it belongs. */
function leftOut({ validations, best }, updates, held, recorded, [what, whose]) {
  if (held < recorded) return text.held(held, recorded, what) + (best ? text.spacedAndBest : text.spaced);
  const isWhole = validations.every(({ update }) => updates.includes(update));
  return isWhole ? "" : text.without(what, whose);
}

function note(id, text) {
  $(id).textContent = text;
  $(id).hidden = !text;
}

// ---- charts ----

// In units of the SVG's viewBox; the picture and its text scale with the column.
const WIDTH = 440;
const HEIGHT = 250;
const LEFT = 62;
const RIGHT = 26; // room for half of a tick label with five digits
const TOP = 14;
const BOTTOM = 46;
const FLOOR = HEIGHT - BOTTOM;
const across = (update) => LEFT + (update / last) * (WIDTH - LEFT - RIGHT);
const write = (x, y, anchor, content, kind = "") => make("text", { x, y, "text-anchor": anchor, class: kind }, content);

/** The function show(update) of each chart. It draws the cursor and shows the values at that update; null: no cursor,
 * and the last values. */
const shows = [];
let rest = null; // update of the cursor when the user points at no chart; null: no cursor

function setCursor(update) {
  for (const show of shows) show(update);
}

/** Draws the horizontal lines with their labels. Returns the function that maps a value to its y. */
function drawScale(svg, low, high, isLog) {
  const of = isLog && low > 0 ? Math.log : (value) => value;
  const isWide = low < high / 2 || low === high; // then the axis starts at 0
  const ticks = of === Math.log ? logTicks(low, high) : linearTicks(isWide ? Math.min(0, low) : low, high, 4);
  const bottom = of(ticks[0]);
  const top = of(ticks.at(-1));
  const up = (value) => FLOOR - ((of(value) - bottom) / (top - bottom || 1)) * (FLOOR - TOP);
  for (const value of ticks) {
    svg.append(make("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: up(value), y2: up(value), class: "grid" }));
    svg.append(write(LEFT - 7, up(value) + 5, "end", tick(value)));
  }
  return up;
}

function drawUpdates(svg) {
  for (const update of linearTicks(0, last, 4).filter((n) => n <= last)) {
    const x = across(update);
    svg.append(make("line", { x1: x, x2: x, y1: FLOOR, y2: FLOOR + 5, class: "grid" }));
    svg.append(write(x, FLOOR + 21, "middle", tick(update)));
  }
  svg.append(write((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "middle", text.updates));
}

function drawCurve(svg, { kind, points }, up) {
  const places = points.map((p) => `${across(p.update).toFixed(1)},${up(p.value).toFixed(1)}`);
  svg.append(make("polyline", { points: places.join(" "), class: `curve ${kind}` }));
  if (points.length > 25) return;
  for (const p of points) svg.append(make("circle", { cx: across(p.update), cy: up(p.value), r: 3, class: kind }));
}

/** Marks the best validation with a ring, and with its value if the chart shows one training only. */
function drawBest(svg, line, up) {
  const [, value, member] = measured(line);
  const x = across(line.update);
  const y = up(line[member]);
  const [start, anchor] = x > WIDTH / 2 ? [x + 8, "end"] : [x - 8, "start"];
  svg.append(make("circle", { cx: x, cy: y, r: 8, class: "ring" }));
  if (!data.other) svg.append(write(start, y + (y > FLOOR - 32 ? -14 : 26), anchor, text.best(value), "strong"));
}

/** Adds a figure with a caption, whose title is explained if it is a term, and a line for values. Returns that line; the
 * caller fills it. unit: an element. */
function addFigure(term, title, unit, svg) {
  const readout = make("p", { class: "readout" });
  const name = make("b", {}, title);
  if (explanations[term]) explain(name, term);
  const caption = make("figcaption", {}, name, " ", unit);
  $("curves").append(make("figure", {}, caption, readout, svg));
  return readout;
}

function drawChart({ name, curves, isLog, metric, unitTerm }) {
  curves = curves.filter((c) => c.points.length);
  if (!curves.length) return;
  const [title, unit] = text.charts[name];
  const points = curves.flatMap((c) => c.points);
  const values = points.map((p) => p.value);
  const stops = [...new Set(points.map((p) => p.update))].sort((a, b) => a - b);
  const range = { "aria-valuemin": stops[0], "aria-valuemax": stops.at(-1), "aria-label": `${title} ${unit}` };
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, tabindex: 0, role: "slider", ...range });
  const up = drawScale(svg, Math.min(...values), Math.max(...values), isLog);
  drawUpdates(svg);
  for (const c of curves) drawCurve(svg, c, up);
  const bests = runs.map(({ best }) => best).filter((best) => best && measured(best)[2] === metric);
  for (const best of bests) drawBest(svg, best, up);
  const cursor = svg.appendChild(make("g", { class: "cursor" }));
  const note = make("span", {}, unit);
  const readout = addFigure(name, title, unitTerm ? explain(note, unitTerm) : note, svg);

  function show(update) {
    const at = update ?? last;
    const reached = curves.filter(({ run }) => update === null || update <= run.last);
    const found = reached.map((curve) => ({ ...curve, point: nearest(curve.points, at) }));
    const spans = found.map(({ name, run, kind, point }) =>
      make("span", { class: kind }, named(run, `${text.curves[name]} ${shown(point.value)}`)),
    );
    const when = data.other ? text.update(shown(at, 0)) : moment(found.length === 1 ? found[0].point.update : at);
    readout.replaceChildren(...spans, update === null ? "" : when);
    const line = make("line", { x1: across(at), x2: across(at), y1: TOP, y2: FLOOR });
    const dots = found.map(({ kind, point }) =>
      make("circle", { cx: across(point.update), cy: up(point.value), r: 5, class: kind }),
    );
    cursor.replaceChildren(...(update === null ? [] : [line, ...dots]));
    svg.setAttribute("aria-valuenow", at);
    svg.setAttribute("aria-valuetext", text.values(when, spans.map((span) => span.textContent)));
  }
  shows.push(show);
  listen(svg, stops);
}

/** Lets mouse and keyboard on one chart move the cursor of all charts. stops: updates at which the chart has values. */
function listen(svg, stops) {
  const nearestStop = (update) => stops.reduce((a, b) => (Math.abs(b - update) < Math.abs(a - update) ? b : a));
  svg.addEventListener("pointermove", (event) => {
    const box = svg.getBoundingClientRect();
    const x = ((event.clientX - box.left) / box.width) * WIDTH;
    setCursor(nearestStop(((x - LEFT) / (WIDTH - LEFT - RIGHT)) * last));
  });
  svg.addEventListener("pointerleave", () => setCursor(rest));
  svg.addEventListener("blur", () => setCursor(rest));
  svg.addEventListener("keydown", (event) => {
    const at = stops.indexOf(nearestStop(Number(svg.getAttribute("aria-valuenow"))));
    const steps = { ArrowLeft: at - 1, ArrowRight: at + 1, PageDown: at - 10, PageUp: at + 10, Home: 0, End: Infinity };
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") setCursor((rest = null));
    if (!(event.key in steps)) return;
    event.preventDefault();
    event.stopPropagation();
    setCursor(stops[Math.min(Math.max(steps[event.key], 0), stops.length - 1)]);
  });
}

// ---- BLEU by length ----

/** The label of bucket i: "6–10", or "> 50" for a bucket without an upper bound. */
function lengthsOf(buckets, i) {
  const from = (buckets[i - 1]?.to ?? 0) + 1;
  const to = buckets[i].to;
  return to === null ? `> ${from - 1}` : from === to ? `${to}` : `${from}–${to}`;
}

/** Draws the bars of a bucket: one for each training, with its value if there is only one. */
function drawBars(svg, up, x, width, length, bars) {
  const middle = x + width / 2, each = (width - 6) / bars.length;
  bars.forEach(({ bleu }, i) => {
    const place = { x: x + 3 + i * each, y: up(bleu), width: each, height: FLOOR - up(bleu) };
    svg.append(make("rect", { ...place, class: i ? "bar other" : "bar" }));
    if (bars.length === 1) svg.append(write(middle, up(bleu) - 4, "middle", shown(bleu), "strong"));
  });
  svg.append(write(middle, FLOOR + 17, "middle", length));
  svg.append(write(middle, FLOOR + 33, "middle", shown(bars[0].sentences, 0), "quiet"));
}

/** The lengths and the numbers of sentences of a line of the log. */
const shapeOf = (line) => JSON.stringify(line?.bleu_by_length.map(({ to, sentences }) => [to, sentences]));

/** The validation that the bars of a training show: the nearest one; without an update the best or the last. */
function lineAt({ best }, lines, update) {
  if (update !== null) return nearest(lines, update);
  return lines.includes(best) ? best : lines.at(-1);
}

/** Two trainings are compared if they have the same sentences of each length. */
function drawLengths() {
  const [title, unit] = text.charts.lengths;
  const all = runs.map(({ validations }) => validations.filter((line) => line.bleu_by_length?.length));
  const isComparable = (line) => runs.length === 1 || shapeOf(line) === shapeOf(all[0].at(-1));
  const lines = all.map((found) => found.filter(isComparable));
  if (lines.some(({ length }) => !length)) return;
  const highest = Math.max(...lines.flat().flatMap((line) => line.bleu_by_length.map((bucket) => bucket.bleu)));
  const svg = make("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  const readout = addFigure("bleu", title, make("span", {}, unit), svg);
  shows.push((update) => {
    const found = runs.map((run, i) => ({ run, line: lineAt(run, lines[i], update) }));
    const buckets = found[0].line.bleu_by_length, width = (WIDTH - LEFT - RIGHT) / buckets.length;
    const barsAt = (k) => found.map(({ line }) => line.bleu_by_length[k]);
    svg.replaceChildren();
    const up = drawScale(svg, 0, Math.max(highest, 1) * 1.05, false);
    buckets.forEach((_, k) => drawBars(svg, up, LEFT + k * width, width, lengthsOf(buckets, k), barsAt(k)));
    const nameOf = ({ run, line }) => named(run, line === run.best ? text.devBest : text.curves.dev);
    const whenOf = ({ run, line }) => moment(line.update, run);
    readout.replaceChildren(...found.flatMap((one) => [make("span", { class: "dev" }, nameOf(one)), whenOf(one)]));
    const scores = (k) => barsAt(k).map(({ bleu }) => shown(bleu)).join(" / ");
    const bars = buckets.map(({ sentences }, k) => text.bar(lengthsOf(buckets, k), scores(k), sentences));
    const when = found.map((one) => named(one.run, whenOf(one))).join(" / ");
    svg.setAttribute("aria-label", text.bars(`${title} ${unit}`, when, bars));
  });
}

// ---- the probes ----

/** The text of a side, without </s>. */
const sentenceOf = (texts) => (texts.at(-1) === "</s>" ? texts.slice(0, -1) : texts).join("");

/** A map from the source sentence of each probe to its validations: [{update, translation, alignment}, ...]. */
function momentsByProbe() {
  const probes = new Map();
  for (const { update, alignments } of data.frames)
    for (const alignment of alignments.map(readAlignment)) {
      const source = sentenceOf(alignment.source);
      if (!probes.has(source)) probes.set(source, []);
      const moments = probes.get(source);
      if (moments.at(-1)?.update === update) continue; // the user gave this probe twice
      moments.push({ update, translation: sentenceOf(alignment.target), alignment });
    }
  return probes;
}

/** The place of the best validation, or of the moment before it if that one has no alignment. Without a best validation:
 * the last place. */
function placeOfBest(moments) {
  if (!own.best) return moments.length - 1;
  return Math.max(
    moments.findLastIndex(({ update }) => update <= own.best.update),
    0,
  );
}

function showProbes(probes) {
  let moments = [...probes.values()][0];
  let at = placeOfBest(moments);
  let isMoved = false; // whether the user or the playing has chosen the moment
  let timer = null;
  let pointed = [null, null]; // row and column
  const matrix = drawMatrix($("matrix"), moments[at].alignment, { onPoint: say });

  function say(row, column) {
    pointed = [row, column];
    $("pointed").textContent = describe(moments[at].alignment, row, column);
  }

  function go(place) {
    at = Math.min(Math.max(place, 0), moments.length - 1);
    const { update, translation, alignment } = moments[at];
    const when = moment(update) + result(update);
    $("moment").value = at;
    $("moment").setAttribute("aria-valuetext", when);
    $("when").textContent = when;
    $("translation").textContent = translation;
    matrix.update(alignment);
    const [row, column] = pointed;
    if (row >= alignment.target.length || column >= alignment.source.length) say(null, null);
    else say(row, column);
    matrix.point(...pointed); // with the weights of this moment
  }

  /** Goes to a moment and moves the cursor of the charts there. */
  function step(place) {
    isMoved = true;
    go(place);
    setCursor((rest = moments[at].update));
  }

  /** Shows the probe with this source. Reserves room for its longest translation, so that cells do not move. */
  function choose(source) {
    const update = moments[at].update;
    moments = probes.get(source);
    const targets = moments.map(({ alignment }) => alignment.target);
    const widths = [...new Set(targets.flat())].map((text) => widthOf(label(text)));
    $("matrix").style.setProperty("--most-rows", Math.max(1, ...targets.map((target) => target.length)));
    $("matrix").style.setProperty("--most-left", Math.min(Math.max(1, ...widths), 12) + 0.7);
    $("moment").max = moments.length - 1;
    $("source").textContent = source;
    const updates = moments.map(({ update }) => update);
    note("moments-left-out", leftOut(own, updates, data.frames.length, data.recorded, text.alignments));
    go(moments.indexOf(nearest(moments, update)));
  }

  function play(plays) {
    clearInterval(timer);
    timer = plays ? setInterval(forward, Math.min(Math.max(10000 / moments.length, 120), 1000)) : null;
    $("play").textContent = plays ? text.pause : text.play;
    $("translation").setAttribute("aria-live", plays ? "off" : "polite");
    if (plays && (!isMoved || at === moments.length - 1)) step(0);
  }

  function forward() {
    step(at + 1);
    if (at === moments.length - 1) play(false);
  }

  function press(event) {
    const steps = { ArrowLeft: at - 1, ArrowRight: at + 1 };
    const ours = !["SELECT", "BUTTON", "INPUT"].includes(event.target.tagName);
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === " " && (ours || event.target === $("moment"))) play(timer === null);
    else if ((ours || event.target === $("play")) && event.key in steps) step(steps[event.key]);
    else return;
    event.preventDefault();
  }

  for (const source of probes.keys()) $("probe").append(make("option", { value: source }, source));
  $("probe").addEventListener("change", () => choose($("probe").value));
  $("moment").addEventListener("input", () => step($("moment").valueAsNumber));
  $("play").addEventListener("click", () => play(timer === null));
  document.addEventListener("keydown", press);
  choose($("probe").value);
  play(false);
}

// ---- the page ----

/** The summary in words: texts, and the name of the metric, which is a term. */
function summarise({ best, epochs }) {
  if (!epochs.size) return [text.nothing];
  const parts = [[text.summary.updates(shown(last, 0))]];
  if (epochs.has(last)) parts.push([text.summary.epochs(epochs.get(last).toFixed(1))]);
  if (best) {
    const [name, value] = measured(best), metric = explain(make("span", {}, name), metricOf(best));
    parts.push(text.summary.best(metric, value, moment(best.update)));
  }
  return parts.flatMap((part, i) => (i ? [text.summary.comma, ...part] : part));
}

/** Shows a sample of the lines that a training has in the charts, and its name. */
function keyOf(run) {
  const line = { x1: 0, x2: 44, y1: 8, y2: 8, class: run === own ? "curve" : "curve other" };
  return make("span", {}, make("svg", { viewBox: "0 0 44 16", "aria-hidden": true }, make("line", line)), named(run, run.name));
}

/** The options that differ: [[name, value, other value], ...]; null if the options of a training are not known. */
function differingOptions() {
  const [a, b] = runs.map(({ options }) => options && new Map(options.map((line) => line.split(" = "))));
  if (!a || !b) return null;
  const names = [...new Set([...a.keys(), ...b.keys()])];
  return names.filter((name) => a.get(name) !== b.get(name)).map((name) => [name, a.get(name) ?? "–", b.get(name) ?? "–"]);
}

/** Writes two trainings beside each other: how long they were, their best validations, and the options that differ. */
function compareRuns() {
  const row = (head, cells) => make("tr", {}, make("th", { scope: "row" }, head), ...cells.map((cell) => make("td", {}, cell)));
  const bestOf = (run) => text.bestOf(measured(run.best).slice(0, 2).join(" "), moment(run.best.update, run));
  const whole = [
    [text.rows.updates, (run) => shown(run.last, 0)],
    [text.rows.epochs, (run) => run.epochs.get(run.last)?.toFixed(1) ?? "–"],
    [text.rows.best, (run) => (run.best ? bestOf(run) : "–")],
  ];
  const names = runs.map((run) => make("th", { scope: "col" }, named(run, run.name)));
  const table = $("comparison").querySelector("table");
  table.append(make("thead", {}, make("tr", {}, make("td"), ...names)));
  table.append(make("tbody", {}, ...whole.map(([head, value]) => row(head, runs.map(value)))));
  const options = differingOptions();
  table.append(make("tbody", {}, ...(options ?? []).map(([name, ...values]) => row(`--${name}`, values))));
  note("options", options?.length ? "" : options ? text.sameOptions : text.optionsUnknown);
  note("dev-sets", data.sameDevSet === false ? text.otherDevSet : "");
  $("legend").append(...runs.map(keyOf));
}

fillTexts();
if (text.title) document.title = (data.other ? text.titles : text.title)(...runs.map(({ name }) => name));
$("title").textContent = document.title;
$("summary").hidden = runs.length > 1;
$("comparison").hidden = runs.length === 1;
if (data.other) compareRuns();
else $("summary").append(...summarise(own));
for (const chart of charts) drawChart(chart);
drawLengths();
setCursor(null);
const probes = momentsByProbe();
$("probes").hidden = !probes.size;
if (probes.size) showProbes(probes);
const comparable = runs.every(({ outputs }) => outputs) && (runs.length === 1 || data.sameDevSet);
$("outputs").hidden = !comparable;
if (comparable) showOutputs();
