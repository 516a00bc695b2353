// Spells pieces as the server sends them: "▁" stands for a space, "\_" for a literal ▁, "\\" for a backslash.

const isMarked = (pieces) => pieces.some((piece) => piece.startsWith("▁"));

const unmark = (piece) => piece.replace(/▁|\\_|\\\\/g, (mark) => ({ "▁": " ", "\\_": "▁", "\\\\": "\\" })[mark]);

/** The pieces of a text that no model has divided: its words, and </s>. */
const piecesFor = (words) => [...wordsOf(/^\p{sc=Han}/u.test(words) ? words : ` ${words}`).map(markPiece), "</s>"];

const markPiece = (word) => word.replace(/[\\▁ ]/g, (one) => ({ "\\": "\\\\", "▁": "\\_", " ": "▁" })[one]);

/**
 * Returns {texts, word}: the text of each piece with the space that precedes it, and the index of its word. A piece with a
 * leading "▁" starts a word; without any such piece, each piece is a word.
 */
function spell(pieces) {
  const marked = isMarked(pieces);
  let words = -1;
  const word = pieces.map((piece) => (!marked || words < 0 || piece.startsWith("▁") || piece === "</s>" ? ++words : words));
  const texts = pieces.map((piece, i) => {
    const guessed = !marked && i > 0 && piece !== "</s>" && !isSquare(pieces[i - 1]) && !isSquare(piece);
    return i ? (guessed ? " " : "") + unmark(piece) : unmark(piece).trimStart();
  });
  return { texts, word };
}

/** The text of a candidate: a piece that continues a word has a hyphen before it, if words have spaces here. */
function spellCandidate(piece, marked) {
  if (piece === "</s>") return text.end;
  const continues = marked && !piece.startsWith("▁") && /^[\p{L}\p{N}]/u.test(piece) && !isSquare(piece);
  return (continues ? "‐" : "") + label(unmark(piece));
}

/** An alignment of the server in the form of readAlignment; punctuation is apart. */
function spellAlignment({ source, target, matrix }) {
  const [from, to] = [source, target].map(spell);
  return dividePunctuation({ source: from.texts, sourceWord: from.word, target: to.texts, targetWord: to.word, matrix });
}
