// The page of alignments. It shows one hypothesis of one sentence at a time, by piece or by word.
let chosen = 0, rank = 0, byWord = data.byWord; // index of the sentence; index of its hypothesis, 0 is the best
let alignment = null, matrix = null; // those that are shown; null if the hypothesis has no alignment
let pinned = [null, null]; // row and column that have the focus; they are lit again when the mouse leaves

const sentence = () => data.sentences[chosen];
const hypothesis = () => sentence()?.hypotheses[rank];

// ---- the two sentences ----

/** Draws the pieces of one side. place(i): [row, column] of the matrix that piece i points at. */
function drawLine(line, texts, place) {
  line.replaceChildren();
  line.classList.toggle("long", texts.length > 40);
  texts.forEach((text, i) => {
    const quiet = text === "</s>" || !text.trim();
    const piece = make("span", { role: "listitem", class: quiet ? "piece quiet" : "piece", tabindex: i ? -1 : 0 });
    piece.append(label(text), make("small", { "aria-hidden": "true" }));
    piece.addEventListener("mouseenter", () => {
      point(...place(i));
      matrix?.reveal(...place(i));
    });
    piece.addEventListener("mouseleave", () => point(...pinned));
    piece.addEventListener("focus", () => {
      pin(...place(i));
      matrix?.reveal(...place(i));
    });
    piece.addEventListener("blur", () => pin(null, null));
    if ((i && text.startsWith(" ")) || text === "</s>") line.append(" ");
    line.append(piece);
  });
}

const piecesOf = (line) => [...line.querySelectorAll(".piece")];

/** Highlights piece `at` of a line (null: none), or colours each piece by its weight (weights null: none). */
function lightLine(line, at, weights) {
  piecesOf(line).forEach((piece, i) => {
    const weight = weights?.[i] ?? 0;
    piece.classList.toggle("pointed", i === at);
    piece.classList.toggle("lit", weights !== null);
    piece.classList.toggle("strong", isStrong(weight));
    piece.style.setProperty("--weight", weight);
    piece.lastChild.textContent = weight >= 0.05 ? Math.round(100 * weight) : "";
  });
  thin(piecesOf(line).map((piece) => piece.lastChild));
}

/** Removes the smaller of two numbers that would overlap; the colour of its piece still shows the weight. */
function thin(numbers) {
  let before = null;
  for (const number of numbers.filter((element) => element.textContent)) {
    const [a, b] = [before, number].map((element) => element?.getBoundingClientRect());
    const touch = a?.top === b.top && a.right > b.left;
    const less = touch && Number(before.textContent) < Number(number.textContent) ? before : number;
    if (touch) less.textContent = "";
    if (!touch || less === before) before = number;
  }
}

function point(row, column) {
  if (!alignment) return;
  matrix.point(row, column);
  const cell = row !== null && column !== null;
  const weights = (row !== null || column !== null) && !cell ? weightsAt(alignment, row, column) : null;
  lightLine($("target"), row, row === null ? weights : null);
  lightLine($("source"), column, column === null ? weights : null);
  if (cell) piecesOf($("source"))[column].lastChild.textContent = percent(alignment.matrix[row][column]);
  $("said").textContent = describe(alignment, row, column) || "Point at a word, or at a cell.";
}

function pin(row, column) {
  pinned = [row, column];
  point(row, column);
}

/** Moves the focus along a line of pieces with the arrow keys. */
function step(event) {
  const pieces = piecesOf(event.currentTarget), at = pieces.indexOf(event.target);
  const next = pieces[at + { ArrowLeft: -1, ArrowRight: 1 }[event.key]];
  if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  event.target.setAttribute("tabindex", -1);
  next.setAttribute("tabindex", 0);
  next.focus();
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
  const pieces = found && readAlignment(found), words = found && mergeWords(pieces);
  const mergeable = found && words.source.length + words.target.length < pieces.source.length + pieces.target.length;
  const shown = byWord ? words : pieces;
  alignment = shown?.matrix?.length && shown.source.length ? shown : null;
  pinned = [null, null];
  drawLine($("source"), shown?.source ?? [sentence()?.text ?? ""], (i) => [null, i]);
  drawLine($("target"), shown?.target ?? [], (i) => [i, null]);
  drawFacts(shown);
  $("level").disabled = !mergeable;
  $("level").setAttribute("aria-pressed", byWord);
  $("copy").disabled = !alignment;
  if (alignment) {
    const caption = `alignment of ${sentence().text}`;
    matrix = drawMatrix($("matrix"), alignment, { caption, onPoint: onMatrix });
    fit();
    point(null, null);
  } else {
    matrix = null;
    $("matrix").replaceChildren();
    $("said").textContent = found ? "There are no weights." : "There is no translation.";
  }
}

function onMatrix(row, column, held) {
  if (held) pin(row, column);
  else point(...(row === null && column === null ? pinned : [row, column]));
}

/** Shows rank and score of the hypothesis, and its text if the text differs from the joined pieces. */
function drawFacts(shown) {
  const { hypotheses = [] } = sentence() ?? {}, { score, text } = hypothesis() ?? {};
  const facts = [hypotheses.length > 1 && `${rank + 1} of ${hypotheses.length}`];
  facts.push(score !== undefined && `score ${score.toFixed(3).replace("-", "−")}`);
  $("rank").textContent = facts.filter(Boolean).join(" · ");
  $("ranks").classList.toggle("alone", hypotheses.length < 2);
  $("better").disabled = rank === 0;
  $("worse").disabled = rank + 1 >= hypotheses.length;
  const spelled = (shown?.target ?? []).filter((piece) => piece !== "</s>").join("").trim();
  $("written").textContent = text !== undefined && text !== spelled ? `written: ${text}` : "";
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

// ---- copying ----

function matrixText() {
  const lines = [["", ...alignment.source.map(label)]];
  alignment.matrix.forEach((row, i) => lines.push([label(alignment.target[i]), ...row.map((weight) => weight.toFixed(4))]));
  return lines.map((cells) => cells.join("\t") + "\n").join("");
}

/** Copies without the clipboard API: some browsers do not allow it for a page that was opened from a file. */
function copySelected(text) {
  const field = make("textarea", { class: "copied", readonly: "" }), focused = document.activeElement;
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return copied;
}

async function copy() {
  if (!alignment) return;
  const text = matrixText();
  const copied = await (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(() => true, () => copySelected(text));
  $("done").textContent = copied ? "copied" : "the browser does not let pages copy";
}

// ---- keys ----

const keys = {
  ArrowUp: () => choose(chosen - 1),
  ArrowDown: () => choose(chosen + 1),
  w: switchLevel,
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

$("title").textContent = data.title;
data.sentences.forEach(({ text }, i) => {
  const item = make("li", { role: "option", id: `sentence-${i}`, "aria-selected": "false", title: text }, text || "(empty)");
  item.addEventListener("click", () => choose(i));
  $("sentences").append(item);
});
document.querySelector(".alignments").classList.toggle("single", data.sentences.length < 2);
$("level").addEventListener("click", switchLevel);
$("better").addEventListener("click", keys.p);
$("worse").addEventListener("click", keys.n);
$("copy").addEventListener("click", copy);
$("help").addEventListener("click", keys["?"]);
for (const id of ["source", "target"]) $(id).addEventListener("keydown", step);
addEventListener("resize", fit);
if (data.sentences.length) choose(0);
else show();
