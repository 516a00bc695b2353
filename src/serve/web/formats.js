// Alignments as text, for copying.

/** The links of an alignment as Pharaoh writes them: each target text with its source text of largest weight, without
 * </s>. As `tide align` writes them. */
function pharaoh({ source, target, matrix }) {
  const links = target.flatMap((piece, i) => {
    const column = matrix[i].indexOf(Math.max(...matrix[i]));
    return piece === "</s>" || source[column] === "</s>" ? [] : [`${column}-${i}`];
  });
  return links.join(" ");
}

const json = ({ source, target, matrix }) => JSON.stringify({ source, target, matrix });

/** A colour of page.css, without dark mode. */
function lightColour(name) {
  const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]);
  return rules.find((rule) => rule.selectorText === ":root").style.getPropertyValue(name);
}

/** The colour of a weight on white paper, "#rrggbb". */
const colourOf = (() => {
  const pixel = document.createElement("canvas").getContext("2d", { willReadFrequently: true }), cell = lightColour("--cell");
  return (weight) => {
    pixel.fillStyle = `color-mix(in oklab, ${cell} ${100 * weight}%, white)`;
    pixel.fillRect(0, 0, 1, 1);
    const bytes = [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3);
    return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  };
})();

/** Returns a picture of an alignment as an SVG document: as heatmap.c draws it, with the sentences as title, and a legend. */
function picture({ source, target, matrix }) {
  const cell = 44, font = 22, gap = 10, margin = 28, edge = "#808080";
  const [ink, pale] = ["--ink", "--pale"].map(lightColour);
  const sizeOf = (one, stacked) => (stacked && isSquare(one) ? [...one].length : widthOf(one)) * font;
  const wide = (side, stacked) => Math.max(...side.map((one) => sizeOf(one, stacked)));
  const [across, down] = [source, target].map((side) => side.map(label));
  const title = [[spoken(source), 24, ink], [spoken(target), 20, pale]];
  const left = margin + wide(down, false) + gap, above = margin + 80, top = above + wide(across, true) + gap;
  const room = Math.max(left + cell * across.length, ...title.map(([line, size]) => margin + widthOf(line) * size));
  const width = Math.ceil(Math.max(room, 448) + margin), height = Math.ceil(top + cell * down.length + 2 * margin + 36);
  const quiet = (shown) => (shown === "</s>" ? { fill: pale } : {});
  const fonts = getComputedStyle(document.documentElement).fontFamily.replaceAll('"', "'");
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "font-family": fonts, fill: ink });
  svg.append(make("title", {}, wording.alignment), make("rect", { width, height, fill: "#ffffff" }));
  let y = margin;
  for (const [line, size, fill] of title) {
    svg.append(make("text", { x: margin, y: y + size, "font-size": size, fill }, line));
    y += (size * 4) / 3;
  }
  const grid = make("g", { transform: `translate(${left} ${top})`, "font-size": font });
  across.forEach((shown, j) => {
    const middle = (j + 0.5) * cell;
    if (isSquare(shown) || widthOf(shown) <= 1.2) {
      const letters = isSquare(shown) ? [...shown] : [shown];
      letters.forEach((letter, k) => {
        const base = -gap - 1.05 * font * (letters.length - 1 - k);
        grid.append(make("text", { x: middle, y: base, "text-anchor": "middle" }, letter));
      });
    } else {
      const turned = `translate(${middle + 0.35 * font} ${-gap}) rotate(-90)`;
      grid.append(make("text", { transform: turned, ...quiet(shown) }, shown));
    }
  });
  const numbers = make("g", { "font-size": 0.36 * cell, "text-anchor": "middle" });
  down.forEach((shown, i) => {
    grid.append(make("text", { x: -gap, y: (i + 0.5) * cell + 0.35 * font, "text-anchor": "end", ...quiet(shown) }, shown));
    matrix[i].forEach((weight, j) => {
      const place = { x: j * cell, y: i * cell, width: cell, height: cell, fill: colourOf(weight), stroke: "#d4d4d4" };
      grid.append(make("rect", place, make("title", {}, `${across[j]} → ${shown}: ${percent(weight)}`)));
      if (weight < drawing.number) return;
      const at = { x: (j + 0.5) * cell, y: (i + 0.63) * cell, fill: isStrong(weight) ? "#ffffff" : "#000000" };
      numbers.append(make("text", at, Math.round(100 * weight)));
    });
  });
  grid.append(numbers);
  const legend = make("g", { transform: `translate(${margin} ${height - margin - 36})`, "font-size": 14, fill: pale });
  for (let step = 0; step < 50; step++)
    legend.append(make("rect", { x: 4 * step, width: 4, height: 14, fill: colourOf((step + 0.5) / 50) }));
  legend.append(make("rect", { width: 200, height: 14, fill: "none", stroke: edge }));
  for (const share of [0, 0.5, 1])
    legend.append(make("text", { x: 200 * share, y: 30, "text-anchor": "middle" }, percent(share)));
  legend.append(make("text", { x: 214, y: 12 }, text.legend));
  svg.append(grid, legend);
  return new XMLSerializer().serializeToString(svg);
}

/** The sentence that texts spell, without </s>. */
const spoken = (side) => side.filter((one) => one !== "</s>").join("").trim();
