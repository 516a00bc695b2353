// Alignments as a picture to copy, drawn as heatmap.c draws them: one matrix, or several with captions.

/** A colour of page.css, without dark mode. */
function lightColour(name) {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules.find((rule) => rule.selectorText === ":root").style.getPropertyValue(name);
}

/** The colour of a weight on white paper, "#rrggbb". */
const colourOf = (() => {
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const [cell, less] = ["--cell", "--less"].map(lightColour);
  return (weight) => {
    pixel.fillStyle = `color-mix(in oklab, ${weight < 0 ? less : cell} ${100 * Math.abs(weight)}%, white)`;
    pixel.fillRect(0, 0, 1, 1);
    const bytes = [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3);
    return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  };
})();

/** The sentence that texts spell, without </s>. */
const spoken = (side) => side.filter((one) => one !== "</s>").join("").trim();

/** Breaks a text into lines of at most `room` em, at spaces or next to wide characters; a longer word is broken inside. */
function brokenLines(text, room) {
  const closing = "[\\p{Pe}\\p{Pf}\\p{Po}]";
  const units = text.split(new RegExp(`(?<= )|(?:(?=${SQUARE})|(?<=${SQUARE}))(?!${closing})`, "u"));
  const lines = [""];
  for (const unit of units.flatMap((one) => (widthOf(one) > room ? [...one] : [one])))
    if (widthOf((lines.at(-1) + unit).trimEnd()) <= room) lines.push(lines.pop() + unit);
    else lines.push(unit);
  return lines.map((line) => line.trimEnd()).filter(Boolean);
}

/** A label, cut if it is longer than 20 em. */
function cutLabel(text) {
  const letters = [...text];
  if (widthOf(text) <= 20) return text;
  while (widthOf(letters.join("")) > 19) letters.pop();
  return `${letters.join("")}…`;
}

/** How a matrix is drawn: the size of its cells and labels, and the room for the labels at the left and above, in pixels. */
function planMatrix({ source, target }) {
  const gap = 10, within = (value, least, most) => Math.min(Math.max(Math.floor(value), least), most);
  const cell = within(960 / Math.max(source.length, target.length), 14, 44), font = within(0.7 * cell, 11, 22);
  const [across, down] = [source, target].map((side) => side.map((text) => cutLabel(label(text))));
  const widest = Math.max(...across.map(widthOf)), hasSquare = across.some(isSquare);
  const layouts = across.map((text) => {
    if ((hasSquare ? widthOf(text) : widest) * font <= cell) return "flat";
    return isSquare(text) ? "stacked" : "turned";
  });
  const heights = { flat: () => 1, stacked: (text) => [...text].length, turned: widthOf };
  const left = Math.max(...down.map(widthOf)) * font + gap;
  const top = Math.max(...across.map((text, j) => heights[layouts[j]](text))) * font + gap;
  return { cell, font, gap, across, down, layouts, left, top };
}

/** Draws a matrix with its labels; its grid begins at (0, 0). */
function matrixPicture(alignment, { cell, font, gap, across, down, layouts }, byRow) {
  const { source, sourceWord, target, targetWord, matrix, isDifference } = alignment;
  const grid = make("g", { "font-size": font });
  const quiet = (text) => (text === "</s>" || text === label(" ") ? { fill: lightColour("--pale") } : {});
  const addText = (attributes, text) => grid.append(make("text", { ...attributes, ...quiet(text) }, text));
  across.forEach((text, j) => {
    const x = (j + 0.5) * cell, letters = layouts[j] === "stacked" ? [...text] : [text], base = -gap - 0.12 * font;
    if (layouts[j] === "turned")
      addText({ transform: `translate(${x + 0.36 * font} ${-gap}) rotate(-90)` }, text);
    else
      letters.forEach((letter, k) =>
        addText({ x, y: base - font * (letters.length - 1 - k), "text-anchor": "middle" }, letter),
      );
  });
  down.forEach((text, i) => addText({ x: -gap, y: (i + 0.5) * cell + 0.36 * font, "text-anchor": "end" }, text));
  const joins = (word, draw) => word.map((one, i) => (one === word[i - 1] ? draw((i - 0.7) * cell, (i + 0.7) * cell) : ""));
  const lines = [...joins(sourceWord, (from, to) => `M${from} ${-gap / 2}H${to}`)];
  lines.push(...joins(targetWord, (from, to) => `M${-gap / 2} ${from}V${to}`));
  grid.append(make("path", { d: lines.join(""), stroke: "#808080", "stroke-width": 2, fill: "none" }));
  const numbers = make("g", { "font-size": 0.36 * cell, "text-anchor": "middle" }), tints = tintsOf(matrix, byRow);
  matrix.forEach((row, i) =>
    row.forEach((weight, j) => {
      const place = { x: j * cell, y: i * cell, width: cell, height: cell, fill: colourOf(tints[i][j]), stroke: "#d4d4d4" };
      const name = `${label(source[j])} → ${label(target[i])}: ${percent(weight, isDifference)}`;
      grid.append(make("rect", { ...place, "stroke-width": 0.6 }, make("title", {}, name)));
      if (isFaint(weight) || cell < 26) return;
      const at = { x: (j + 0.5) * cell, y: (i + 0.63) * cell, fill: isStrong(tints[i][j]) ? "#ffffff" : "#000000" };
      numbers.append(make("text", at, numberOf(weight, isDifference)));
    }),
  );
  const edge = { width: across.length * cell, height: down.length * cell, fill: "none", stroke: "#808080" };
  grid.append(make("rect", edge), numbers);
  return grid;
}

/** Draws the scale of the colours from `least`, 0 or -1, to 1. */
function legendPicture(name, least) {
  const legend = make("g", { "font-size": 14, fill: lightColour("--pale") });
  const weightAt = (share) => least + share * (1 - least);
  for (let step = 0; step < 50; step++)
    legend.append(make("rect", { x: 4 * step, width: 4, height: 14, fill: colourOf(weightAt((step + 0.5) / 50)) }));
  legend.append(make("rect", { width: 200, height: 14, fill: "none", stroke: "#808080" }));
  for (const share of [0, 0.5, 1])
    legend.append(make("text", { x: 200 * share, y: 30, "text-anchor": "middle" }, percent(weightAt(share))));
  legend.append(make("text", { x: 214, y: 12 }, name));
  return legend;
}

/**
 * Returns an SVG document: the sentences of the first alignment as title, the matrices, and a legend.
 *
 * parts  [{caption, alignment}]: the matrices, drawn in rows; caption: "" if there is only one
 * byRow  whether colours show shares of the largest weight of a row
 */
function picture(parts, byRow) {
  const margin = 28, between = 24, captioned = parts.some(({ caption }) => caption) ? 24 : 0;
  const plans = parts.map(({ alignment }) => {
    const plan = planMatrix(alignment), { left, top, cell, across, down } = plan;
    return { ...plan, width: left + cell * across.length, height: captioned + top + cell * down.length };
  });
  const most = Math.max(960, ...plans.map(({ width }) => width)); // of a row of matrices
  let x = 0, y = 0, tallest = 0;
  for (const plan of plans) {
    if (x && x + plan.width > most) [x, y, tallest] = [0, y + tallest + between, 0];
    Object.assign(plan, { x, y });
    x += plan.width + between;
    tallest = Math.max(tallest, plan.height);
  }
  const room = Math.max(420, ...plans.map((plan) => plan.x + plan.width));
  const { source, target } = parts[0].alignment, [ink, pale] = ["--ink", "--pale"].map(lightColour);
  const isOne = parts.every(({ alignment }) => spoken(alignment.target) === spoken(target));
  const sentences = isOne ? [[source, 24, ink], [target, 20, pale]] : [[source, 24, ink]];
  const title = sentences.flatMap(([side, size, fill]) =>
    brokenLines(spoken(side), room / size).map((line) => ({ line, size, fill })),
  );
  const above = margin + title.reduce((sum, { size }) => sum + (4 * size) / 3, 0) + 20;
  const width = Math.ceil(room + 2 * margin), height = Math.ceil(above + y + tallest + 2 * margin + 36);
  const fonts = getComputedStyle(document.documentElement).fontFamily.replaceAll('"', "'");
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "font-family": fonts, fill: ink });
  svg.append(make("title", {}, wording.alignment), make("rect", { width, height, fill: "#ffffff" }));
  let base = margin;
  for (const { line, size, fill } of title) {
    svg.append(make("text", { x: margin, y: base + size, "font-size": size, fill }, line));
    base += (4 * size) / 3;
  }
  plans.forEach((plan, i) => {
    const { caption, alignment } = parts[i], at = [margin + plan.x, above + plan.y];
    if (caption) svg.append(make("text", { x: at[0], y: at[1] + 14, "font-size": 14, fill: pale }, caption));
    const grid = matrixPicture(alignment, plan, byRow);
    grid.setAttribute("transform", `translate(${at[0] + plan.left} ${at[1] + captioned + plan.top})`);
    svg.append(grid);
  });
  const hasLess = parts.some(({ alignment }) => alignment.isDifference);
  const name = byRow ? text.legendByRow : hasLess ? text.legendDifference : text.legend;
  const legend = legendPicture(name, hasLess ? -1 : 0);
  legend.setAttribute("transform", `translate(${margin} ${height - margin - 36})`);
  svg.append(legend);
  return new XMLSerializer().serializeToString(svg);
}

/** Resolves to a picture as a PNG of twice its size. */
async function pngOf(svg) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = make("canvas", { width: 2 * image.width, height: 2 * image.height });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done) => canvas.toBlob(done, "image/png"));
}

/** Saves a blob as a file. */
function saveAs(blob, name) {
  const link = make("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

/** Copies a picture as PNG; where the browser does not let pages copy pictures, saves it as alignment.png. Resolves to
 * whether it was copied. */
async function copyPng(svg) {
  const blob = pngOf(svg);
  try {
    await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
    return true;
  } catch {
    saveAs(await blob, "alignment.png");
    return false;
  }
}
