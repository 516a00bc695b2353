// Pinyin above Chinese characters, from a server with a dictionary.

/** Resolves to the readings of each character of a text; [] if the server does not answer. Asks once for each text. */
const pinyinOf = (() => {
  const known = new Map();
  return (whole) => {
    if (known.size > 1000) known.clear();
    const found = known.get(whole) ?? translator.pinyin(whole).catch((problem) => {
      known.delete(whole);
      if (problem instanceof TranslatorError) return [];
      throw problem;
    });
    known.set(whole, found);
    return found;
  };
})();

/** Writes pinyin above the characters of a line of these texts, if it is Chinese. */
async function drawPinyin(line, texts) {
  if (!line.lang.startsWith("zh")) return;
  const pieces = piecesOf(line), readings = await pinyinOf(texts.join(""));
  let at = 0;
  pieces.forEach((piece, i) => {
    const letters = [...texts[i]].map((letter) => ({ letter, reading: readings[at++] }));
    if (!letters.some(({ reading }) => reading)) return;
    const rubies = letters.filter(({ letter }) => letter.trim()).map(({ letter, reading }) =>
      make("ruby", {}, letter, make("rt", { lang: "zh-Latn" }, reading)),
    );
    piece.firstChild.replaceWith(...rubies);
  });
}
