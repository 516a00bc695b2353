// Shows a sentence as a line of pieces; used by the page of alignments and by the live page.

const piecesOf = (line) => [...line.querySelectorAll(".piece")];

/**
 * Draws the pieces of a sentence into an element; replaces what it holds.
 *
 * texts    the texts of the pieces, each with the space that precedes it
 * options  role: the role of a piece ("listitem")
 *          onPoint(i, held): called when the user points at piece i, or at no piece any more (i null). held: true for the
 *          keyboard focus, false for the mouse pointer
 */
function drawLine(line, texts, { role = "listitem", onPoint }) {
  line.replaceChildren();
  line.classList.toggle("long", texts.length > 40);
  texts.forEach((text, i) => {
    const quiet = text === "</s>" || !text.trim();
    const piece = make("span", { role, class: quiet ? "piece quiet" : "piece", tabindex: i ? -1 : 0 });
    piece.append(label(text), make("small", { "aria-hidden": "true" }));
    piece.addEventListener("mouseenter", () => onPoint(i, false));
    piece.addEventListener("mouseleave", () => onPoint(null, false));
    piece.addEventListener("focus", () => onPoint(i, true));
    piece.addEventListener("blur", () => onPoint(null, true));
    if (text === "</s>") explain(piece, "end");
    if ((i && text.startsWith(" ")) || text === "</s>") line.append(" ");
    line.append(piece);
  });
}

/** Highlights piece `at` of a line (null: none), or colours each piece by its weight (weights null: none). */
function lightLine(line, at, weights) {
  piecesOf(line).forEach((piece, i) => {
    const weight = weights?.[i] ?? 0;
    piece.classList.toggle("pointed", i === at);
    piece.classList.toggle("lit", weights !== null);
    piece.classList.toggle("strong", isStrong(weight));
    piece.style.setProperty("--weight", weight);
    piece.lastChild.textContent = weight >= drawing.number ? Math.round(100 * weight) : "";
  });
  thin(piecesOf(line).map((piece) => piece.lastChild));
}

/** Highlights a row, a column, a cell or nothing in the lines of an alignment's two sentences. */
function lightLines(source, target, alignment, row, column) {
  const cell = row !== null && column !== null;
  const weights = (row !== null || column !== null) && !cell ? weightsAt(alignment, row, column) : null;
  lightLine(target, row, row === null ? weights : null);
  lightLine(source, column, column === null ? weights : null);
  if (cell) piecesOf(source)[column].lastChild.textContent = percent(alignment.matrix[row][column]);
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

/** Listens to keydown of a line: moves the focus along its pieces with the arrow keys. */
function stepPiece(event) {
  const pieces = piecesOf(event.currentTarget), at = pieces.indexOf(event.target);
  const next = pieces[at + { ArrowLeft: -1, ArrowRight: 1 }[event.key]];
  if (!next || event.ctrlKey || event.altKey || event.metaKey) return;
  event.preventDefault();
  event.target.setAttribute("tabindex", -1);
  next.setAttribute("tabindex", 0);
  next.focus();
}
