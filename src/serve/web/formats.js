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

/** Returns a picture of an alignment as an SVG document, in the style of tide's heatmaps. */
function picture({ source, target, matrix }) {
  const cell = 44, font = 22, gap = 10;
  const sizeOf = (one, stacked) => (stacked && isSquare(one) ? [...one].length : widthOf(one)) * font;
  const wide = (side, stacked) => Math.max(...side.map((one) => sizeOf(one, stacked)));
  const [across, down] = [source, target].map((side) => side.map(label));
  const left = wide(down, false) + 2 * gap, top = wide(across, true) + 2 * gap;
  const width = Math.ceil(left + cell * across.length + gap), height = Math.ceil(top + cell * down.length + gap);
  const ink = (shown) => (shown === "</s>" ? { fill: "#a0a0a0" } : {});
  const fonts = getComputedStyle(document.documentElement).fontFamily.replaceAll('"', "'");
  const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "font-family": fonts });
  svg.append(make("title", {}, `${spoken(source)} → ${spoken(target)}`));
  svg.append(make("rect", { width, height, fill: "#ffffff" }));
  const grid = make("g", { transform: `translate(${left} ${top})`, "font-size": font, fill: "#1a1a1a" });
  across.forEach((shown, j) => {
    const middle = (j + 0.5) * cell;
    if (isSquare(shown) || widthOf(shown) <= 1.2) {
      const letters = isSquare(shown) ? [...shown] : [shown];
      letters.forEach((letter, k) => {
        const y = -gap - 1.05 * font * (letters.length - 1 - k);
        grid.append(make("text", { x: middle, y, "text-anchor": "middle" }, letter));
      });
    } else {
      const turned = `translate(${middle + 0.35 * font} ${-gap}) rotate(-90)`;
      grid.append(make("text", { transform: turned, ...ink(shown) }, shown));
    }
  });
  down.forEach((shown, i) => {
    grid.append(make("text", { x: -gap, y: (i + 0.5) * cell + 0.35 * font, "text-anchor": "end", ...ink(shown) }, shown));
    matrix[i].forEach((weight, j) => {
      const place = { x: j * cell, y: i * cell, width: cell, height: cell };
      const colour = { fill: "#1f4e9c", "fill-opacity": Math.min(Math.max(weight, 0), 1).toFixed(3), stroke: "#d4d4d4" };
      grid.append(make("rect", { ...place, ...colour }, make("title", {}, `${across[j]} → ${shown}: ${weight.toFixed(2)}`)));
    });
  });
  svg.append(grid);
  return new XMLSerializer().serializeToString(svg);
}

/** The sentence that texts spell, without </s>. */
const spoken = (side) => side.filter((one) => one !== "</s>").join("").trim();
