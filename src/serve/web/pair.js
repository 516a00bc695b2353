// One sentence and its translation: two lines of pieces.

/**
 * What a panel knows about a sentence.
 * @typedef {object} Slot
 * @property {string} text
 * @property {string[]} pieces     of the source, with </s>
 * @property {number[]} unknown    the places of those that the model cannot read
 * @property {Settled|null} settled
 * @property {Sentence|null} result  what is shown
 * @property {Hypothesis[]} hypotheses  those of the last search, the best one first
 * @property {number} viewed       index of the hypothesis that is shown
 * @property {Choice[]} choices    the user's choices, the last one last
 * @property {string|null} [draft] a correction that the user is writing; absent or null: none
 * @property {boolean} [isStale]   whether what is remembered of the sentence has changed since it was translated
 *
 * @typedef {object} Hypothesis
 * @property {string} text
 * @property {string[]} pieces
 * @property {number} score
 * @property {Sentence} [result]   known for the best one, and for one that was viewed
 *
 * @typedef {object} Choice
 * @property {string[]} prefix     the pieces that the translation begins with; a click chooses the last one
 * @property {object} before       the slot before the choice, except for its choices
 */

/** Keeps the result of a search in its slot. */
function finish(slot, result) {
  const best = { text: result.translatedText, pieces: result.pieces, score: result.score, result };
  Object.assign(slot, { result, hypotheses: [best, ...(result.alternatives ?? [])], viewed: 0 });
}

/** The score of a hypothesis, with two decimal places. */
const scoreOf = ({ score }) => numberText(score);

/** The choices that the shown translation still begins with. */
const holding = ({ result, choices }) =>
  choices.filter(({ prefix }) => prefix.every((piece, k) => piece === result?.pieces[k]));

/** The places of the pieces that a choice changed: from the first one that the translation before did not have. */
function placesOf({ prefix, before }) {
  const first = prefix.findIndex((piece, k) => piece !== before.result?.pieces[k]);
  return [...prefix.keys()].slice(first < 0 ? -1 : first);
}

/** The probability of piece k of the translation after the pieces before it; null if it is not among the candidates. */
function probabilityOf({ result }, k) {
  return result?.candidates?.[k]?.find(({ piece }) => piece === result.pieces[k])?.probability ?? null;
}

let projected = false; // whether the page is shown to an audience, without </s>

/** An alignment, without </s> if the page is shown to an audience. keys: what belongs to target texts. */
function forAudience(shown, keys = []) {
  if (!projected) return shown;
  const [source, target] = [shown.source, shown.target].map((side) => (_, i) => side[i] !== "</s>");
  const keep = (names, test) => names.map((name) => [name, shown[name].filter(test)]);
  const sides = [...keep(["source", "sourceWord"], source), ...keep(["target", "targetWord", ...keys], target)];
  const matrix = shown.matrix && shown.matrix.filter(target).map((row) => row.filter(source));
  return { ...shown, ...Object.fromEntries(sides), matrix };
}

/** Returns the alignment of a slot at a level. matrix: null if there are no weights. parts: for each target text the
 * indices of its pieces. unknown: whether the model cannot read a source text. likelihood: the probability of each target
 * text; null if it is not known. */
function shownOf(slot, byWord) {
  const target = slot.result?.pieces ?? slot.settled?.pieces ?? [];
  const matrix = (slot.result ? slot.result.alignment?.matrix : slot.settled?.rows) ?? null;
  const pieces = spellAlignment({ source: slot.pieces, target, matrix });
  const shown = byWord ? mergeWords(pieces) : pieces;
  const parts = shown.target.map(() => []);
  pieces.targetWord.forEach((word, i) => parts[byWord ? word : i].push(i));
  const unknown = shown.source.map(() => false); // and no </s>, the only text that is left out
  for (const j of slot.unknown) unknown[byWord ? pieces.sourceWord[j] : j] = true;
  const likelihood = parts.map((part) => part.reduce((product, k) => product && product * probabilityOf(slot, k), 1) || null);
  return forAudience({ ...shown, unknown, parts, likelihood, wordOfPiece: pieces.targetWord }, ["parts", "likelihood"]);
}

/**
 * Makes the element of a pair.
 *
 * on  {point(row, column, held), choose(i), answer(j), spelled()}: the user points at texts, chooses target text i or source
 *     text j; whether pinyin is shown
 *
 * Returns {element, draw, light, mark, focus}:
 *   draw(slot, shown, model)   shows a slot
 *   light(shown, row, column)  highlights a row, a column, a cell or nothing
 *   mark(differs)              marks target texts that differ from another model's; differs: a boolean for each
 *   focus(row, column)         moves the focus to target text `row`; row null: to source text `column`
 */
function makePair(on) {
  const source = make("div", { class: "line", role: "list", "aria-label": text.source });
  const target = make("div", { class: "line translated", role: "group", "aria-label": text.target });
  const element = make("div", { class: "pair" }, source, target);

  function draw(slot, shown, model) {
    element.classList.toggle("running", !slot.result);
    element.classList.toggle("given", isGiven(slot));
    source.lang = model.source;
    target.lang = model.target;
    drawLine(source, shown.source, { onPoint: (i, held) => on.point(null, i, held) });
    for (const piece of piecesOf(source).filter((_, i) => shown.unknown[i])) {
      piece.classList.add("unknown");
      piece.title = slot.unknown.length < slot.pieces.length - 1 ? text.unknown.piece : text.unknown.all;
    }
    drawLine(target, shown.target, { role: "button", onPoint: (i, held) => on.point(i, null, held) });
    if (on.spelled()) drawPinyin(source, shown.source);
    if (on.spelled() && slot.result) drawPinyin(target, shown.target);
    const taken = holding(slot).flatMap(placesOf);
    piecesOf(target).forEach((piece, i) => {
      piece.classList.toggle("taken", shown.parts[i].some((part) => taken.includes(part)));
      piece.style.setProperty("--likely", shown.likelihood[i] ?? 0);
      if (slot.result && !isGiven(slot)) piece.ariaHasPopup = "dialog";
    });
    if (!slot.result) target.append(make("span", { class: "pending", "aria-hidden": "true" }, "…"));
  }

  function choose(event) {
    const at = piecesOf(target).indexOf(event.target.closest(".piece"));
    if (at < 0) return;
    event.preventDefault();
    on.choose(at);
  }

  function answer(event) {
    const at = piecesOf(source).indexOf(event.target.closest(".piece"));
    if (at >= 0) on.answer(at);
  }

  for (const [line, act] of [[source, answer], [target, choose]]) {
    line.addEventListener("click", act);
    line.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") act(event);
    });
  }
  for (const line of [source, target]) line.addEventListener("keydown", stepPiece);
  return {
    element,
    draw,
    light: (shown, row, column) => lightLines(source, target, shown, row, column),
    mark(differs) {
      piecesOf(target).forEach((piece, i) => {
        piece.classList.toggle("differs", Boolean(differs?.[i]));
        piece.title = differs?.[i] ? text.differs : "";
      });
    },
    piece: (i) => piecesOf(target)[i],
    focus(row, column) {
      const [pieces, i] = row === null ? [piecesOf(source), column] : [piecesOf(target), row];
      const piece = pieces[Math.min(i, pieces.length - 1)];
      pieces.forEach((other) => other.setAttribute("tabindex", other === piece ? 0 : -1));
      piece?.focus();
    },
  };
}
