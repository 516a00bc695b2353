// Shows one alignment as a table of cells; used by all pages.

/** Converts the output of web_alignment: weights become 0 to 1. */
function readAlignment(packed) {
  return { ...packed, matrix: packed.matrix?.map((row) => row.map((weight) => weight / 10000)) ?? null };
}

/** Takes punctuation out of the words of an alignment, except between letters, as in "o'clock". */
function dividePunctuation(alignment) {
  const { source, sourceWord, target, targetWord } = alignment;
  function divide(texts, word) {
    const isMark = texts.map((text) => /^\p{P}+$/u.test(text.trim())), first = [], last = []; // of each word: its letters
    texts.forEach((_, i) => {
      if (isMark[i]) return;
      if (!(word[i] in first)) first[word[i]] = i;
      last[word[i]] = i;
    });
    const isAlone = (i) => isMark[i] && !(first[word[i]] < i && i < last[word[i]]);
    let words = -1;
    return texts.map((_, i) => (word[i] !== word[i - 1] || isAlone(i) || isAlone(i - 1) ? ++words : words));
  }
  return { ...alignment, sourceWord: divide(source, sourceWord), targetWord: divide(target, targetWord) };
}

/** Merges pieces into words: the row of a target word is the mean of the rows of its pieces; the column of a source word
 * is the sum of the columns of its pieces. */
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

/** A weight in percent, as in a cell; "" for 0. A difference has a sign. */
function numberOf(weight, isDifference) {
  const size = Math.round(100 * Math.abs(weight));
  return size ? (weight < 0 ? "−" : isDifference ? "+" : "") + size : "";
}

/** Formats a weight as a percentage. */
const percent = (weight, isDifference) => `${numberOf(weight, isDifference) || 0}%`;

/** The numbers of page.css that say how a matrix is drawn. */
const drawing = (() => {
  const style = getComputedStyle(document.documentElement), read = (name) => Number(style.getPropertyValue(name));
  return { strong: read("--strong"), number: read("--number") };
})();

/** Returns whether the colour of a weight is so strong that text on it needs another colour (--on-strong). */
const isStrong = (weight) => Math.abs(weight) >= drawing.strong;

/** Returns whether a weight is so small that its cell shows no number. */
const isFaint = (weight) => Math.abs(weight) < drawing.number;

/** The label of a piece; "␣" for a space. */
const label = (text) => text.trim() || "␣";

/** Characters that are as wide as high, for a regular expression. */
const SQUARE = "[\\p{sc=Han}\\p{sc=Hangul}\\p{sc=Hira}\\p{sc=Kana}\\u3000-\\u303f\\uff01-\\uff60]";
const square = new RegExp(SQUARE, "u");
const isSquare = (text) => square.test(text);

/** The weights that colours show: those of a matrix, or by row, as shares of the largest weight of each row. */
function tintsOf(matrix, byRow) {
  if (!byRow) return matrix;
  return matrix.map((row) => {
    const largest = Math.max(...row.map(Math.abs), 1e-9);
    return row.map((weight) => weight / largest);
  });
}

/** The width of a text in em, in the page's font. */
const widthOf = (() => {
  const ruler = document.createElement("canvas").getContext("2d");
  return (text) => {
    ruler.font = `100px ${getComputedStyle(document.documentElement).fontFamily}`;
    return ruler.measureText(text).width / 100;
  };
})();

/** The weights of a row (target piece `row`), or of a column if row is null. */
function weightsAt(alignment, row, column) {
  return row === null ? alignment.matrix.map((weights) => weights[column]) : alignment.matrix[row];
}

/** The sentences of describe, and the name of a matrix. That of a difference is among the texts of the live page. */
const wording = {
  en: {
    readFrom: (target, list) => `"${target}" is read from ${list}`,
    readFor: (source, list) => `"${source}" is read for ${list}`,
    weight: (target, source, weight) => `"${target}" is read from ${source}: ${weight}`,
    nothing: "nothing",
    rest: (n) => `and ${n} with less`,
    alignment: "alignment",
  },
  zh: {
    readFrom: (target, list) => `“${target}”读自：${list}`,
    readFor: (source, list) => `“${source}”用于：${list}`,
    weight: (target, source, weight) => `“${target}”读自“${source}”：${weight}`,
    nothing: "无",
    rest: (n) => `另有 ${n} 个权重较小`,
    alignment: "对齐",
  },
}[language];

/** Marks the sides at which a container has more to see. */
function markSides(container) {
  const { scrollLeft, scrollTop, clientWidth, clientHeight, scrollWidth, scrollHeight } = container;
  container.classList.toggle("more-right", scrollLeft + clientWidth < scrollWidth - 1);
  container.classList.toggle("more-below", scrollTop + clientHeight < scrollHeight - 1);
}

/** Describes a cell, a row (column null) or a column (row null) in words; "" if both are null. */
function describe(alignment, row, column) {
  if (row === null && column === null) return "";
  const { source, target } = alignment, most = 12;
  if (row !== null && column !== null)
    return (alignment.isDifference ? text.difference : wording.weight)(
      label(target[row]),
      label(source[column]),
      percent(alignment.matrix[row][column], alignment.isDifference),
    );
  const others = row === null ? target : source;
  const found = weightsAt(alignment, row, column)
    .map((weight, i) => ({ weight, text: `${label(others[i])} ${percent(weight)}` }))
    .filter(({ weight }) => weight >= 0.005)
    .sort((a, b) => b.weight - a.weight);
  const parts = found.slice(0, most).map(({ text }) => text);
  if (found.length > most) parts.push(wording.rest(found.length - most));
  const list = parts.join(" · ") || wording.nothing;
  return row === null ? wording.readFor(label(source[column]), list) : wording.readFrom(label(target[row]), list);
}

/**
 * Draws an alignment into the container, a block element; replaces what the container holds.
 *
 * alignment  {source, target, matrix, isDifference}: the texts of both sides, and for each target text a row of weights, 0 to 1;
 *            or if isDifference, -1 to 1
 * options    caption: the name of the table for screen readers
 *            byRow: whether colours show shares of the largest weight of a row; read again by update
 *            onPoint(row, column, held): called when the user points at a cell, a row (column null), a column (row
 *            null) or nothing (both null). held: true for the keyboard focus or a click, false for the mouse pointer
 *
 * Returns {update, point, reveal, focus}:
 *   update(alignment)    shows another alignment; fast if the texts are the same
 *   point(row, column)   highlights a row, a column, a cell or nothing; does not call onPoint
 *   reveal(row, column)  scrolls the container to the row and the column
 *   focus(row, column)   moves the keyboard focus to a cell; indices that are too large mean the last row or column
 *
 * The size of the cells follows from the width of the container and the height of the window minus --above (CSS, 24rem). If the
 * matrix does not fit, the container scrolls; it has the classes more-right and more-below while there is more to see.
 */
function drawMatrix(container, alignment, options = {}) {
  let shown, tints, table, heads, sides, cells, lit, home; // tints: the weights that colours show

  function header(text, scope) {
    const turned = scope === "col" && widthOf(label(text)) > 1.2 && !isSquare(text);
    const stacked = scope === "col" && [...text.trim()].length > 1 && isSquare(text);
    const quiet = text === "</s>" || !text.trim();
    const kind = [turned && "turned", stacked && "stacked", quiet && "quiet"].filter(Boolean).join(" ");
    const head = make("th", { scope, class: kind, tabindex: -1 }, make("span", {}, label(text)));
    if (text === "</s>") return explain(head, "end");
    head.title = label(text);
    return head;
  }

  /** The size, in em, that the labels of a side need beside or above the cells. */
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
      { role: "grid", "aria-label": options.caption ?? wording.alignment },
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
    const mark = () => markSides(container);
    if (!container.classList.contains("matrix")) {
      container.addEventListener("scroll", mark, { passive: true });
      new ResizeObserver(mark).observe(container);
    }
    container.classList.add("matrix");
    container.replaceChildren(table);
    requestAnimationFrame(mark);
  }

  function fill() {
    tints = tintsOf(shown.matrix, options.byRow);
    shown.matrix.forEach((row, i) =>
      row.forEach((weight, j) => {
        const cell = cells[i][j];
        cell.style.setProperty("--weight", Math.abs(tints[i][j]));
        cell.textContent = numberOf(weight, shown.isDifference);
        cell.className = isFaint(weight) ? "faint" : isStrong(tints[i][j]) ? "strong" : "";
        if (weight < 0) cell.classList.add("less");
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
    if (weight !== undefined) element.style.setProperty("--weight", Math.abs(weight));
    lit.push([element, kind]);
    if (kind === "lit" && isStrong(weight)) light(element, undefined, "strong");
    if (weight < 0) light(element, undefined, "less");
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
      heads.forEach((head, j) => light(head, tints[row][j], "lit"));
      cells[row].forEach((cell) => light(cell, undefined, "across"));
    } else if (column !== null) {
      light(heads[column], undefined, "pointed");
      sides.forEach((side, i) => light(side, tints[i][column], "lit"));
      cells.forEach((cellsOfRow) => light(cellsOfRow[column], undefined, "down"));
    }
  }

  function reveal(row, column) {
    const within = (value, least, most) => Math.min(Math.max(value, least), most);
    const { offsetWidth: left, offsetHeight: top } = table.querySelector(".corner"); // the labels cover cells that scroll
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
    const after = (place, by) => Math.max((place ?? -1) + by, 0); // a label is at index null, one step before 0
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
