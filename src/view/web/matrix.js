// One alignment as a table of cells, which the page of alignments and the training report share.

/** What web_alignment wrote, with weights of 0 to 1. */
function readAlignment(packed) {
  return { ...packed, matrix: packed.matrix?.map((row) => row.map((weight) => weight / 10000)) ?? null };
}

/** An alignment by word: a word's row is the mean of its pieces' rows, its column their sum. */
function mergeWords({ source, sourceWord, target, targetWord, matrix }) {
  const join = (texts, word) => {
    const joined = [];
    texts.forEach((text, i) => (joined[word[i]] = (joined[word[i]] ?? "") + text));
    return joined;
  };
  const words = { source: join(source, sourceWord), target: join(target, targetWord) };
  const merged = matrix && words.target.map(() => words.source.map(() => 0));
  const pieces = words.target.map((_, word) => targetWord.filter((other) => other === word).length);
  matrix?.forEach((row, i) =>
    row.forEach((weight, j) => (merged[targetWord[i]][sourceWord[j]] += weight / pieces[targetWord[i]])),
  );
  return { ...words, sourceWord: [...words.source.keys()], targetWord: [...words.target.keys()], matrix: merged };
}

/** A weight as people read it. */
const percent = (weight) => `${Math.round(100 * weight)}%`;

/** Whether its colour is so deep that letters on it must be light. */
const isStrong = (weight) => weight >= 0.7;

/** What stands for a piece in a label: a space has a sign of its own. */
const label = (text) => text.trim() || "␣";

const isSquare = (text) => /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}\u3000-\u303f\uff01-\uff60]/u.test(text);

/** The width of a text in em, in the page's font. */
const widthOf = (() => {
  const ruler = document.createElement("canvas").getContext("2d");
  return (text) => {
    ruler.font = `100px ${getComputedStyle(document.documentElement).fontFamily}`;
    return ruler.measureText(text).width / 100;
  };
})();

/** The weights of a row (of target piece `row`) or, where that is null, of a column. */
function weightsAt(alignment, row, column) {
  return row === null ? alignment.matrix.map((weights) => weights[column]) : alignment.matrix[row];
}

/** A sentence on what is pointed at: a cell, a row (column null) or a column (row null); "" where both are null. */
function describe(alignment, row, column) {
  if (row === null && column === null) return "";
  const { source, target } = alignment, most = 12;
  if (row !== null && column !== null)
    return `"${label(target[row])}" is read from ${label(source[column])}: ${percent(alignment.matrix[row][column])}`;
  const others = row === null ? target : source;
  const found = weightsAt(alignment, row, column)
    .map((weight, i) => ({ weight, text: `${label(others[i])} ${percent(weight)}` }))
    .filter(({ weight }) => weight >= 0.005)
    .sort((a, b) => b.weight - a.weight);
  const list = found.slice(0, most).map(({ text }) => text).join(" · ") || "nothing";
  const rest = found.length > most ? ` · and ${found.length - most} with less` : "";
  return (row === null ? `"${label(source[column])}" is read for ` : `"${label(target[row])}" is read from `) + list + rest;
}

/**
 * Draws an alignment in place of what the container, a block, holds.
 *
 * alignment  {source, target, matrix}: the texts of both sides, and for each of the target a row of weights, 0 to 1
 * options    caption: what a screen reader calls the table
 *            onPoint(row, column, held): is told what is pointed at: a cell, a row (column null), a column (row null),
 *            or nothing (both null); held: by the focus, which stays, not by the mouse
 *
 * Returns {update, point, reveal, focus}. update(alignment) shows another alignment, at little cost where the texts are
 * the same. point(row, column) lights a row, a column, a cell or nothing, without a call of onPoint; reveal(row, column)
 * scrolls the container to them. focus(row, column) moves the keyboard's focus to a cell, or to the last one where there
 * are not so many.
 *
 * The cells take the room there is: the container's width, and the window's height less --above (CSS, 24rem).
 */
function drawMatrix(container, alignment, options = {}) {
  let shown, table, heads, sides, cells, lit, home;

  function header(text, scope) {
    const turned = scope === "col" && widthOf(label(text)) > 1.2 && !isSquare(text);
    const stacked = scope === "col" && [...text.trim()].length > 1 && isSquare(text);
    const quiet = text === "</s>" || !text.trim();
    const kind = [turned && "turned", stacked && "stacked", quiet && "quiet"].filter(Boolean).join(" ");
    return make("th", { scope, class: kind, title: label(text), tabindex: -1 }, make("span", {}, label(text)));
  }

  /** The room that the labels of a side need beside or above the cells, in em. */
  function room(texts, above) {
    const widest = Math.max(1, ...texts.map((text) => (above && isSquare(text) ? [...text].length : widthOf(label(text)))));
    return Math.min(widest, 12) + 0.7;
  }

  function draw() {
    const { source, target } = shown;
    heads = source.map((text) => header(text, "col"));
    sides = target.map((text) => header(text, "row"));
    cells = target.map(() => source.map(() => make("td", { tabindex: -1 })));
    lit = [];
    home = cells[0]?.[0];
    home?.setAttribute("tabindex", 0);
    table = make(
      "table",
      { role: "grid", "aria-label": options.caption ?? "alignment" },
      make("thead", {}, make("tr", {}, make("td", { class: "corner" }), ...heads)),
      make("tbody", {}, ...cells.map((row, i) => make("tr", {}, sides[i], ...row))),
    );
    const sizes = { columns: source.length, rows: target.length, left: room(source.length ? target : [], false) };
    sizes.top = room(source, true);
    for (const [name, value] of Object.entries(sizes)) table.style.setProperty(`--${name}`, value);
    table.addEventListener("mouseover", (event) => tell(event.target, false));
    table.addEventListener("mouseleave", () => tell(null, false));
    table.addEventListener("focusin", (event) => tell(event.target, true));
    table.addEventListener("focusout", () => tell(null, true));
    table.addEventListener("keydown", move);
    container.classList.add("matrix");
    container.replaceChildren(table);
  }

  function fill() {
    shown.matrix.forEach((row, i) =>
      row.forEach((weight, j) => {
        const cell = cells[i][j];
        cell.style.setProperty("--weight", weight);
        cell.textContent = Math.round(100 * weight) || "";
        cell.className = isStrong(weight) ? "strong" : weight < 0.05 ? "faint" : "";
      }),
    );
  }

  function placeOf(element) {
    const cell = element?.closest("td:not(.corner), th");
    if (!cell) return [null, null];
    return [cell.scope === "col" ? null : cell.parentNode.rowIndex - 1, cell.scope === "row" ? null : cell.cellIndex - 1];
  }

  function tell(element, held) {
    const [row, column] = placeOf(element);
    point(row, column);
    if (row !== null && column !== null) cells[row][column].title = describe(shown, row, column);
    options.onPoint?.(row, column, held);
  }

  function light(element, weight, kind) {
    element.classList.add(kind);
    if (weight !== undefined) element.style.setProperty("--weight", weight);
    lit.push([element, kind]);
    if (kind === "lit" && isStrong(weight)) light(element, undefined, "strong");
  }

  function point(row, column) {
    for (const [element, kind] of lit) element.classList.remove(kind);
    lit = [];
    if (row !== null && column !== null) {
      light(sides[row], undefined, "pointed");
      light(heads[column], undefined, "pointed");
      light(cells[row][column], undefined, "pointed");
    } else if (row !== null) {
      light(sides[row], undefined, "pointed");
      heads.forEach((head, j) => light(head, shown.matrix[row][j], "lit"));
      cells[row].forEach((cell) => light(cell, undefined, "across"));
    } else if (column !== null) {
      light(heads[column], undefined, "pointed");
      sides.forEach((side, i) => light(side, shown.matrix[i][column], "lit"));
      cells.forEach((cellsOfRow) => light(cellsOfRow[column], undefined, "down"));
    }
  }

  function reveal(row, column) {
    const within = (value, least, most) => Math.min(Math.max(value, least), most);
    const { offsetWidth: left, offsetHeight: top } = table.querySelector(".corner"); // the labels lie above
    const { clientWidth, clientHeight, scrollLeft, scrollTop } = container;
    const line = sides[row]?.parentNode, head = heads[column];
    if (line)
      container.scrollTop = within(scrollTop, line.offsetTop + line.offsetHeight - clientHeight, line.offsetTop - top);
    if (head)
      container.scrollLeft = within(scrollLeft, head.offsetLeft + head.offsetWidth - clientWidth, head.offsetLeft - left);
  }

  function focus(row, column) {
    const cell = cells[Math.min(row, cells.length - 1)]?.[Math.min(column, shown.source.length - 1)];
    if (!cell) return;
    home.setAttribute("tabindex", -1);
    home = cell;
    home.setAttribute("tabindex", 0);
    home.focus();
  }

  function move(event) {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const [row, column] = placeOf(event.target);
    if (!step || (row === null && column === null) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    const after = (place, by) => Math.max((place ?? -1) + by, 0); // a label stands before the first of its cells
    focus(after(row, step[0]), after(column, step[1]));
  }

  function update(next) {
    const same = (a, b) => a.length === b.length && a.every((text, i) => text === b[i]);
    const kept = shown && same(shown.source, next.source) && same(shown.target, next.target);
    shown = next;
    if (!kept) draw();
    fill();
  }

  update(alignment);
  return { update, point, reveal, focus };
}
