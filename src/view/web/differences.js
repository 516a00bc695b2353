// Compares two texts word by word; used by the training report and by the live page.

/** The words of a text, each with the space before it. A Chinese character is a word, and so is a punctuation mark. */
const wordsOf = (sentence) => sentence.match(/\s*(\p{sc=Han}|\p{P}|[^\s\p{sc=Han}\p{P}]+)/gu) ?? [];

/** The places [i, j] of the words in a longest common subsequence of `a` and `b`. The space before a word does not count. */
function commonWords(a, b) {
  [a, b] = [a, b].map((words) => words.map((word) => word.trim()));
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1)); // of a[i..] and b[j..]
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const places = [];
  for (let i = 0, j = 0; i < a.length && j < b.length; )
    if (a[i] === b[j]) places.push([i++, j++]);
    else if (longest[i + 1][j] >= longest[i][j + 1]) i++;
    else j++;
  return places;
}

/** Returns for each word of `a` whether it is missing in the longest common subsequence of `a` and `b`. */
function differences(a, b) {
  const common = new Set(commonWords(a, b).map(([i]) => i));
  return a.map((_, i) => !common.has(i));
}
