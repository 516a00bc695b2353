// Compares two texts word by word.

/** Returns for each word of `a` whether it is missing in the longest common subsequence of `a` and `b`. */
function differences(a, b) {
  const longest = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1)); // of a[i..] and b[j..]
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i][j] = a[i] === b[j] ? longest[i + 1][j + 1] + 1 : Math.max(longest[i + 1][j], longest[i][j + 1]);
  const differs = a.map(() => true);
  for (let i = 0, j = 0; i < a.length && j < b.length; )
    if (a[i] === b[j]) {
      differs[i++] = false;
      j++;
    } else if (longest[i + 1][j] >= longest[i][j + 1]) i++;
    else j++;
  return differs;
}

/** The words of a text; a Chinese character is a word. */
const wordsOf = (sentence) => sentence.match(/[\p{sc=Han}]|[^\s\p{sc=Han}]+|\s+/gu) ?? [];
