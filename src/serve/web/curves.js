// An alignment as curves between the words of its two sentences: the source above, the translation below.

const EM = 20; // units of the drawing in one em
const BETWEEN = 7; // em between the two lines

/** The words of a sentence with their places from left to right, in em: [{name, left, width}]. */
function placeWords(texts) {
  let end = 0;
  return texts.map((one, i) => {
    const name = cutLabel(label(one)), width = widthOf(name), isApart = one.startsWith(" ") || one === "</s>";
    const left = end + (i === 0 ? 0 : isApart ? 0.5 : 0.15);
    end = left + width;
    return { name, left, width };
  });
}

const lengthOf = (words) => (words.length ? words.at(-1).left + words.at(-1).width : 0);

/** Spreads words over `room` em; a word alone stands in the middle. */
function spreadWords(words, room) {
  const rest = room - lengthOf(words), share = (i) => (words.length > 1 ? i / (words.length - 1) : 0.5);
  return words.map((word, i) => ({ ...word, left: word.left + rest * share(i) }));
}

/** Draws a word whose line begins at `top`, in em. place: {row} or {column}. */
function wordPicture({ name, left, width }, top, place) {
  const back = make("rect", { x: EM * (left - 0.1), y: EM * top, width: EM * (width + 0.2), height: 1.4 * EM, rx: 3 });
  const word = make("g", {}, back, make("text", { x: EM * left, y: EM * (top + 1.05) }, name));
  Object.assign(word.dataset, place);
  return word;
}

/** Draws the curve of a weight from the middle of a source word to that of a target word. tint: the weight that it shows. */
function curvePicture(from, to, weight, tint) {
  const [x, end] = [from, to].map(({ left, width }) => EM * (left + width / 2));
  const [y, half, bottom] = [1.5, 1.5 + BETWEEN / 2, 1.5 + BETWEEN].map((one) => EM * one);
  const d = `M${x} ${y}C${x} ${half} ${end} ${half} ${end} ${bottom}`;
  const curve = make("path", { d, class: weight < 0 ? "less" : "" });
  curve.style.setProperty("--weight", Math.abs(tint));
  return curve;
}

/**
 * Makes the drawing of an alignment. Screen readers have its name only; the matrix has the numbers.
 *
 * onPoint  as of drawMatrix
 *
 * Returns {element, draw, point, reveal}:
 *   draw(alignment, name, byRow)  draws an alignment: a curve for each weight whose number the matrix shows; null: hides the
 *                                 drawing. byRow: as of drawMatrix
 *   point(row, column)            keeps the curves of a row, a column or a cell, and fades the others; both null: keeps all
 *   reveal(row, column)           scrolls to a target or a source word
 */
function makeCurves(onPoint) {
  const element = make("div", { class: "curves", role: "img", tabindex: 0, hidden: "" });
  let words = [], curves = [];

  function draw(alignment, name, byRow) {
    element.hidden = !alignment;
    element.classList.remove("pointing");
    [words, curves] = [[], []];
    if (!alignment) return;
    const { source, target, matrix } = alignment, sides = [source, target].map(placeWords);
    const room = Math.max(...sides.map(lengthOf)), tints = tintsOf(matrix, byRow);
    const [above, below] = sides.map((side) => spreadWords(side, room));
    words = above.map((word, column) => wordPicture(word, 0, { column }));
    words.push(...below.map((word, row) => wordPicture(word, BETWEEN + 1.6, { row })));
    curves = matrix.flatMap((weights, row) =>
      weights.flatMap((weight, column) => {
        if (isFaint(weight)) return [];
        const curve = curvePicture(above[column], below[row], weight, tints[row][column]);
        Object.assign(curve.dataset, { row, column });
        return [curve];
      }),
    );
    const box = [-0.2, 0, room + 0.4, BETWEEN + 3].map((one) => EM * one).join(" ");
    const svg = make("svg", { viewBox: box, "font-size": EM, "aria-hidden": "true" }, ...curves, ...words);
    svg.style.setProperty("--room", room + 0.4);
    element.ariaLabel = name;
    element.replaceChildren(svg);
    markSides(element);
  }

  const isAt = ({ dataset }, row, column) => dataset.row === String(row) || dataset.column === String(column);

  function point(row, column) {
    element.classList.toggle("pointing", row !== null || column !== null);
    for (const word of words) word.classList.toggle("pointed", isAt(word, row, column));
    for (const curve of curves) {
      const isKept = [[row, "row"], [column, "column"]].every(([i, side]) => i === null || curve.dataset[side] === String(i));
      curve.classList.toggle("kept", isKept);
    }
  }

  function reveal(row, column) {
    const word = words.find((one) => isAt(one, row, column))?.getBoundingClientRect();
    const { left, right } = element.getBoundingClientRect();
    if (word) element.scrollLeft += Math.min(word.left - left, 0) + Math.max(word.right - right, 0);
  }

  function tell({ target }) {
    const { row = null, column = null } = target.closest("[data-row], [data-column]")?.dataset ?? {};
    onPoint(...[row, column].map((i) => i && Number(i)), false);
  }

  element.addEventListener("mouseover", tell);
  element.addEventListener("mouseleave", () => onPoint(null, null, false));
  element.addEventListener("scroll", () => markSides(element), { passive: true });
  new ResizeObserver(() => markSides(element)).observe(element);
  return { element, draw, point, reveal };
}
