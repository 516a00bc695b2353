// One step of the decoder, opened: the numbers from which a piece of the translation came, with the letters of the paper.

/** A letter of the paper with its index, and the number of its head, if there are several. */
const letter = (name, index, head) => make("var", {}, name, make("sub", {}, index), ...(head ? [make("sup", {}, head)] : []));

/** Draws numbers as a strip of colours: those of positive weights above 0, those of negative ones below; the strongest at
 * `most`. */
function makeStrip(values, most) {
  const stops = values.map((value, i) => {
    const share = Math.round((100 * Math.abs(value)) / (most || 1));
    const [from, to] = [i, i + 1].map((k) => (100 * k) / values.length);
    const colour = `color-mix(in oklab, var(${value < 0 ? "--less" : "--cell"}) ${share}%, var(--paper))`;
    return `${colour} ${from.toFixed(3)}% ${to.toFixed(3)}%`;
  });
  const [low, high] = [Math.min(...values), Math.max(...values)].map(numberText);
  const strip = make("div", { class: "strip", role: "img", "aria-label": text.step.numbers(values.length, low, high) });
  strip.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  strip.title = strip.ariaLabel;
  return strip;
}

/** The files that compute e and α, and c, of an attention of a kind. */
function filesOf(kind) {
  if (kind === "multi-head") return ["multi_head", "multi_head"];
  const own = `attention_${kind.replace("-", "_")}`;
  return kind === "none" ? [own, own] : [own, "attention"];
}

/** The largest absolute value of several lists of numbers. */
const largestOf = (...lists) => lists.flat().reduce((most, value) => Math.max(most, Math.abs(value)), 0);

/** Draws a number as a bar; the longest bar is `most`. */
function makeBar(value, most) {
  const bar = make("i", { class: value < 0 ? "less" : "", "aria-hidden": "true" });
  bar.style.setProperty("--share", Math.abs(value) / (most || 1));
  return bar;
}

/** A quantity of a step: its letter, what it is, the file in src/model that computes it, if any, and its numbers. */
function makeQuantity(name, sentence, file, ...numbers) {
  const where = file ? [" ", make("small", {}, text.step.file(`src/model/${file}.c`))] : [];
  const heading = make("h4", {}, ...[name].flat());
  return make("section", { class: "quantity" }, heading, make("p", {}, sentence, ...where), ...numbers);
}

/** A table with a bar for each number. columns: [{name, values, most, spell}]. */
function makeBars(pieces, columns) {
  const heads = columns.map(({ name }) => make("th", { scope: "col" }, name));
  const rows = pieces.map((piece, j) => {
    const cells = columns.map(({ values, most, spell }) => make("td", {}, makeBar(values[j], most), spell(values[j])));
    return make("tr", {}, make("th", { scope: "row" }, piece), ...cells);
  });
  return make("table", {}, make("thead", {}, make("tr", {}, make("td", {}), ...heads)), make("tbody", {}, ...rows));
}

/**
 * Makes the section of a panel that opens one step of the decoder.
 *
 * on  {persist(act, signal, then, fail), moved(), changed()}: asks the translator until it has time; is told that the user has
 *     opened, closed or moved the step
 *
 * Returns {element, draw, at, stop, toggle, place, choose}:
 *   draw(slot, model)  shows the step of a slot; a slot without a result hides the section
 *   at(piece)          moves to the step that wrote piece `piece`
 *   stop()             ends the request for the numbers, if they are awaited
 *   toggle()           opens or closes the section
 *   place()            the number of the open step from 1, as text; "" if the section is closed
 *   choose(place)      opens the step that `place` returned, or closes the section
 */
function makeStep(on) {
  const button = make("button", { type: "button", "aria-expanded": "false", "aria-keyshortcuts": "e", title: text.step.help });
  button.append(text.step.open);
  const before = make("button", { type: "button", title: text.step.before }, "‹");
  const after = make("button", { type: "button", title: text.step.after }, "›");
  const attentions = make("select", { "aria-label": text.step.attention }), heads = make("select", { "aria-label": text.head });
  const title = make("h3", { "aria-live": "polite" }), body = make("div", { class: "quantities" });
  const bar = make("div", { class: "controls" }, before, title, after, attentions, heads);
  const content = make("div", { hidden: "" }, bar, body);
  const element = make("section", { class: "step", hidden: "" }, make("div", { class: "controls" }, button), content);
  let slot = null, model = null, piece = 0, isOpen = false;
  let asked = {}; // {result, piece, model} of the explanation that is shown or awaited
  let asking = null; // its AbortController
  let shown = null; // the Explanation
  let arrives = false; // whether the page will scroll to the step when it is drawn

  // ---- the quantities ----

  function previous({ target }) {
    const spelled = label(unmark(target.at(-1)));
    return makeQuantity(letter("y", "i−1"), text.step.previous, "", make("p", { class: "value", lang: model.target }, spelled));
  }

  /** Whether the decoder reads y_{i-1} before the attention does. */
  const isConditional = ({ s_prev: before, s_read: read }) => read.some((value, k) => value !== before[k]);

  function states(state) {
    const { s_prev: before, s_read: read } = state, most = largestOf(before, read);
    const quantities = [makeQuantity(letter("s", "i−1"), text.step.state, "state", makeStrip(before, most))];
    if (isConditional(state)) quantities.push(makeQuantity(letter("s′", "i"), text.step.read, "state", makeStrip(read, most)));
    return quantities;
  }

  /** e, α and c of the chosen attention and head. */
  function attention({ source, target, numbers }) {
    const of = attentions.value, head = Number(heads.value), { e, alpha, beta, v, c_heads: all, c } = numbers[of];
    const { state } = numbers;
    const [weigh, sumUp] = filesOf(model.attention), name = (one, index) => letter(one, index, e?.length > 1 && head + 1);
    if (!e) return [makeQuantity(name("c", "i"), text.step.contextNone, sumUp, makeStrip(c, largestOf(c)))];
    const query = text.step.query(!state ? "" : isConditional(state) ? "s′ᵢ" : "sᵢ₋₁");
    const isOwn = of.endsWith(".self"), pieces = spell(isOwn ? target : source).texts.map(label);
    const columns = [{ name: name("e", "ij"), values: e[head], most: largestOf(e[head]), spell: numberText }];
    const share = (weight) => (weight < 0.005 ? "<1%" : percent(weight)); // softmax gives no zero
    columns.push({ name: name("α", "ij"), values: alpha[head], most: 1, spell: share });
    if (beta) columns.unshift({ name: letter("β", "i−1,j"), values: beta, most: Math.max(1, ...beta), spell: numberText });
    const bars = makeBars(pieces, columns);
    bars.querySelectorAll("tbody th").forEach((side) => (side.lang = isOwn ? model.target : model.source));
    const said = beta ? text.step.coverage(query) : text.step.weights(query, Boolean(state));
    const width = all ? all.length / e.length : 0; // of a head
    const part = (values) => (all ? values.slice(head * width, (head + 1) * width) : values);
    const terms = (v ?? numbers.encoder.h).map(part), sum = part(all ?? c);
    const order = alpha[head].map((_, j) => j).sort((a, b) => alpha[head][b] - alpha[head][a]).slice(0, 3);
    const most = largestOf(sum, ...order.map((j) => terms[j]));
    const rows = order.map((j) => make("tr", {}, make("th", { scope: "row" }, `${percent(alpha[head][j])} · ${pieces[j]}`),
      make("td", {}, makeStrip(terms[j], most))));
    const whole = make("tr", {}, make("th", { scope: "row" }, name("c", "i")), make("td", {}, makeStrip(sum, most)));
    return [
      makeQuantity([name("e", "ij"), " → ", name("α", "ij")], said, weigh, bars),
      makeQuantity(name("c", "i"), all ? text.step.contextHead : text.step.context, sumUp, make("table", {}, ...rows, whole)),
    ];
  }

  function words({ next, best, numbers }) {
    const all = best.some(({ piece }) => piece === next.piece) ? best : [...best, next];
    const spelled = all.map((word) => spellCandidate(word.piece, isMarked(all.map((one) => one.piece))));
    const values = all.map(({ probability }) => probability);
    const bars = makeBars(spelled, [{ name: text.probability, values, most: 1, spell: likely }]);
    const chosen = bars.querySelectorAll("tbody tr")[all.findIndex((word) => word.piece === next.piece)];
    chosen.setAttribute("aria-current", "true");
    return makeQuantity(["p(", letter("y", "i"), ")"], text.step.next(Boolean(numbers.state)), numbers.state ? "readout" : "transformer", bars);
  }

  // ---- drawing ----

  /** The name of an attention: "attention", or of a Transformer's layer "decoder.2.cross". */
  function nameOf(name) {
    const [, layer, kind] = name.split(".");
    return layer ? text.step.nameOf(layer, kind === "self") : text.step.attention;
  }

  function fillChoosers({ numbers }) {
    const names = Object.keys(numbers).filter((name) => !["encoder", "state", "output"].includes(name));
    fillSelect(attentions, names.map((name) => [name, nameOf(name)]), names.at(-1));
    attentions.hidden = names.length < 2;
    const count = numbers[attentions.value].e?.length ?? 1;
    fillSelect(heads, Array.from({ length: count }, (_, k) => [k, `${text.head} ${k + 1}`]));
    heads.hidden = count < 2;
  }

  function render() {
    fillChoosers(shown);
    const { state, output } = shown.numbers, word = spellCandidate(shown.next.piece, isMarked(slot.result.pieces));
    title.textContent = text.step.title(shown.step + 1, word);
    before.disabled = piece === 0;
    after.disabled = piece + 1 >= slot.result.pieces.length;
    const last = state
      ? makeQuantity(letter("s", "i"), text.step.newState(isConditional(state)), "state", makeStrip(state.s, largestOf(state.s)))
      : makeQuantity(letter("t", "i"), text.step.output, "transformer", makeStrip(output.t, largestOf(output.t)));
    body.replaceChildren(previous(shown), ...(state ? states(state) : []), ...attention(shown), last, words(shown));
  }

  /** Forgets the explanation; an answer that is awaited is not drawn. */
  function forget() {
    asking?.abort();
    asked = {};
    shown = null;
  }

  function arrive() {
    if (arrives) scrollToSection(element);
    arrives = false;
  }

  function load() {
    const { result } = slot;
    piece = Math.min(piece, result.pieces.length - 1);
    if (asked.result === result && asked.piece === piece && asked.model === model) return shown && arrive();
    forget();
    asked = { result, piece, model };
    asking = new AbortController();
    const { signal } = asking, given = { text: slot.text, model, pieces: result.pieces, step: piece, top: 8 };
    const ask = () => translator.explain(given, signal);
    function draw(found) {
      shown = found;
      render();
      arrive();
    }
    queueMicrotask(() => on.persist(ask, signal, draw, forget)); // one click may choose a sentence, then a piece: one request
  }

  function show() {
    button.setAttribute("aria-expanded", isOpen);
    content.hidden = !isOpen;
    if (isOpen && slot?.result) load();
  }

  function move(to) {
    piece = to;
    show();
    if (isOpen) on.changed();
  }

  function go(by) {
    move(Math.min(Math.max(piece + by, 0), slot.result.pieces.length - 1));
    on.moved();
  }

  function toggle() {
    if (element.hidden) return;
    isOpen = arrives = !isOpen;
    if (content.contains(document.activeElement)) button.focus();
    show();
    on.moved();
    on.changed();
  }

  button.addEventListener("click", toggle);
  before.addEventListener("click", () => go(-1));
  after.addEventListener("click", () => go(1));
  for (const chooser of [attentions, heads]) chooser.addEventListener("change", () => shown && render());

  return {
    element,
    draw(nextSlot, nextModel) {
      [slot, model] = [nextSlot, nextModel];
      if (!slot?.result) forget();
      element.hidden = !slot?.result;
      show();
    },
    at: (to) => to !== piece && move(to),
    stop: () => shown || forget(),
    toggle,
    place: () => (isOpen ? String(piece + 1) : ""),
    choose(place) {
      isOpen = arrives = readPlace(place) > 0;
      if (isOpen) piece = readPlace(place) - 1;
    },
  };
}
