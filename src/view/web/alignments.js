// The page of alignments. It shows one hypothesis of one sentence at a time, by piece or by word.
let chosen = 0, rank = 0, byWord = data.byWord; // index of the sentence; index of its hypothesis, 0 is the best
let byRow = false; // whether colours show shares of the largest weight of a row
let alignment = null, matrix = null; // those that are shown; null if the hypothesis has no alignment
let marking = true; // whether the links are marked, if the hypothesis has any
let pinned = [null, null]; // row and column that have the focus; they are lit again when the mouse leaves

const sentence = () => data.sentences[chosen];
const hypothesis = () => sentence()?.hypotheses[rank];
const links = () => hypothesis()?.links;

function point(row, column) {
  if (!alignment) return;
  matrix.point(row, column);
  lightLines($("source"), $("target"), alignment, row, column);
  const cell = row !== null && column !== null;
  const marks = cell && links() ? describeMarks(links(), alignment.targetWord[row], alignment.sourceWord[column]) : "";
  $("said").textContent = describe(alignment, row, column) + marks || text.hint;
}

function pin(row, column) {
  pinned = [row, column];
  point(row, column);
}

// ---- the hypothesis ----

/** Shows the chosen hypothesis at the chosen level. The focus moves to the same or the nearest position. */
function show() {
  const focused = ["source", "target", "matrix"].find((id) => $(id).contains(document.activeElement)), place = pinned;
  draw();
  if (focused === "matrix") matrix?.focus(place[0] ?? 0, place[1] ?? 0);
  else if (focused) piecesOf($(focused)).slice(0, (place[0] ?? place[1] ?? 0) + 1).pop()?.focus();
}

function draw() {
  const found = hypothesis()?.alignment;
  const pieces = found && readAlignment(found);
  const given = data.byWord || links(); // the words of the file, which links count
  const words = found && mergeWords(given ? pieces : dividePunctuation(pieces));
  const mergeable = found && words.source.length + words.target.length < pieces.source.length + pieces.target.length;
  const shown = byWord ? words : pieces;
  alignment = shown?.matrix?.length && shown.source.length ? shown : null;
  pinned = [null, null];
  drawLine($("source"), shown?.source ?? [sentence()?.text ?? ""], { onPoint: (i, held) => onLine(null, i, held) });
  drawLine($("target"), shown?.target ?? [], { onPoint: (i, held) => onLine(i, null, held) });
  drawFacts(shown);
  $("level").disabled = !mergeable;
  $("level").setAttribute("aria-pressed", byWord);
  $("scale").setAttribute("aria-pressed", byRow);
  $("whole").textContent = byRow ? text.largest : text.whole;
  const shownWords = byWord && words ? [...words.source, ...words.target] : [];
  $("characters").hidden = !shownWords.some((word) => /^\s*\p{sc=Han}$/u.test(word));
  $("copy").disabled = !alignment;
  if (alignment) {
    matrix = drawMatrix($("matrix"), alignment, { caption: text.matrix(sentence().text), byRow, onPoint: onMatrix });
    if (links() && marking) drawMarks($("matrix"), alignment, links());
    fit();
    point(null, null);
  } else {
    matrix = null;
    $("matrix").replaceChildren();
    $("said").textContent = found ? text.noWeights : text.noTranslation;
  }
}

function onMatrix(row, column, held) {
  if (held) pin(row, column);
  else point(...(row === null && column === null ? pinned : [row, column]));
}

function onLine(row, column, held) {
  onMatrix(row, column, held);
  matrix?.reveal(row, column);
}

/** Shows rank and score of the hypothesis, and its text if the text differs from the joined pieces. */
function drawFacts(shown) {
  const { hypotheses = [] } = sentence() ?? {}, { score, text: written } = hypothesis() ?? {};
  const facts = [hypotheses.length > 1 && text.rank(rank + 1, hypotheses.length)];
  facts.push(score !== undefined && text.score(score.toFixed(3).replace("-", "−")));
  facts.push(describeRates(links()));
  $("rank").textContent = facts.filter(Boolean).join(" · ");
  $("ranks").classList.toggle("alone", hypotheses.length < 2);
  $("marks").setAttribute("aria-pressed", marking);
  for (const element of document.querySelectorAll("[data-shows]"))
    element.hidden = !links() || !element.dataset.shows.split(" ").every((name) => links()[name]);
  $("better").disabled = rank === 0;
  $("worse").disabled = rank + 1 >= hypotheses.length;
  const spelled = (shown?.target ?? []).filter((piece) => piece !== "</s>").join("").trim();
  $("written").textContent = written !== undefined && written !== spelled ? text.written(written) : "";
  $("written").hidden = !$("written").textContent;
  $("done").textContent = "";
}

/** Sets the height that is left for the matrix. */
function fit() {
  const top = $("matrix").getBoundingClientRect().top + scrollY;
  $("matrix").style.setProperty("--above", `${Math.round(top) + 24}px`);
}

// ---- choosing ----

function choose(i) {
  if (i < 0 || i >= data.sentences.length) return false;
  $("sentences").children[chosen]?.setAttribute("aria-selected", "false");
  chosen = i;
  rank = 0;
  const item = $("sentences").children[i];
  item.setAttribute("aria-selected", "true");
  item.scrollIntoView({ block: "nearest" });
  $("sentences").setAttribute("aria-activedescendant", item.id);
  show();
  return true;
}

function chooseRank(i) {
  if (i < 0 || i >= (sentence()?.hypotheses.length ?? 0)) return;
  rank = i;
  show();
}

function switchLevel() {
  if ($("level").disabled) return;
  byWord = !byWord;
  show();
}

function switchScale() {
  byRow = !byRow;
  show();
}

function switchMarks() {
  if (!links()) return;
  marking = !marking;
  show();
}

// ---- copying ----

function matrixText() {
  const lines = [["", ...alignment.source.map(label)]];
  alignment.matrix.forEach((row, i) => lines.push([label(alignment.target[i]), ...row.map((weight) => weight.toFixed(4))]));
  return lines.map((cells) => cells.join("\t") + "\n").join("");
}

async function copy() {
  if (!alignment) return;
  $("done").textContent = (await copyText(matrixText())) ? text.copied : text.notCopied;
}

// ---- keys ----

const keys = {
  ArrowUp: () => choose(chosen - 1),
  ArrowDown: () => choose(chosen + 1),
  w: switchLevel,
  r: switchScale,
  m: switchMarks,
  n: () => chooseRank(rank + 1),
  p: () => chooseRank(rank - 1),
  c: copy,
  "?": () => $("keys").showModal(),
};
const listKeys = {
  Home: () => choose(0),
  End: () => choose(data.sentences.length - 1),
  PageUp: () => choose(Math.max(chosen - 10, 0)),
  PageDown: () => choose(Math.min(chosen + 10, data.sentences.length - 1)),
};

document.addEventListener("keydown", (event) => {
  const act = keys[event.key] ?? (event.target === $("sentences") ? listKeys[event.key] : undefined);
  if (!act || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented || $("keys").open) return;
  if (act() !== false) event.preventDefault();
});

// ---- the page ----

/** On this page, the explanations stand below the list of keys. */
function explain(element) {
  return element;
}

fillTexts();
$("keys").lastElementChild.before(...Object.values(explanations).map((said) => make("p", {}, said)));
document.title = $("title").textContent = (text.made?.[data.made] ?? data.made) + data.name;
data.sentences.forEach(({ text: source, hypotheses }, i) => {
  const names = { role: "option", id: `sentence-${i}`, "aria-selected": "false", title: source };
  const item = make("li", names, source || text.empty);
  item.addEventListener("click", () => choose(i));
  const rates = describeRates(hypotheses[0]?.links);
  if (rates) item.prepend(make("small", { title: rates }, rateOf(hypotheses[0].links.attention)), " ");
  $("sentences").append(item);
});
document.querySelector(".alignments").classList.toggle("single", data.sentences.length < 2);
$("level").addEventListener("click", switchLevel);
$("scale").addEventListener("click", switchScale);
$("marks").addEventListener("click", switchMarks);
$("better").addEventListener("click", keys.p);
$("worse").addEventListener("click", keys.n);
$("copy").addEventListener("click", copy);
$("help").addEventListener("click", keys["?"]);
for (const id of ["source", "target"]) $(id).addEventListener("keydown", stepPiece);
addEventListener("resize", fit);
if (data.sentences.length) choose(0);
else show();
