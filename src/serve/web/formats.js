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
