#!/bin/sh
# Tests the page of alignments in a browser: highlighting, keys, words, copying, long sentences, many sentences, printing and
# dark mode.
# shellcheck disable=SC2086 # $pair is several flags
. "$(dirname "$0")/../lib/common.inc"
. "$(dirname "$0")/../lib/page.inc"
smallest_run "$scratch/run" --after-batches 200
smallest_run "$scratch/back" --after-batches 12 --langs en zh --tokenizer bpe char
cut -f1 "$scratch/dev.tsv" >"$scratch/en"
cut -f2 "$scratch/dev.tsv" >"$scratch/zh"

# ---- pointing, keys, n-best ----
printf '潮水退了。\n\n</script><b>"&我\n' >"$scratch/in"
tide_ok translate "$scratch/run" --n-best 3 --beam-size 3 --html "$scratch/nbest.html" <"$scratch/in" >"$scratch/out"
stands_alone "$scratch/nbest.html"
cat >"$scratch/nbest.js" <<'JS'
const pieces = (id) => all(`#${id} .piece`);
const lit = (id) => pieces(id).filter((piece) => Number(piece.style.getPropertyValue("--weight")) > 0).length;
const pointed = (id) => pieces(id).map((piece) => piece.classList.contains("pointed")).indexOf(true);
const selected = () => all("#sentences [aria-selected=true]").map((item) => item.textContent);
const cell = (row, column) => one("#matrix").querySelectorAll("tbody tr")[row].querySelectorAll("td")[column];
const title = (piece) => piece.firstChild.textContent;

async function test() {
  equal("the first sentence is chosen", selected(), ["潮水退了。"]);
  equal("the source stands there", pieces("source").map(title), ["潮", "水", "退", "了", "。", "</s>"]);
  equal("a cell for each two", all("#matrix tbody td").length, pieces("source").length * pieces("target").length);
  check("a table of the keyboard's", one("#matrix table").getAttribute("role") === "grid" && one("#matrix table").ariaLabel);
  equal("headers say what they head", all("#matrix th:not([scope])").length, 0);

  hover(pieces("target")[0]);
  equal("a target word is pointed at", pointed("target"), 0);
  equal("it lights the source", lit("source"), 6);
  equal("and no target", lit("target"), 0);
  const best = alignment.matrix[0].indexOf(Math.max(...alignment.matrix[0]));
  equal("in numbers too", pieces("source")[best].lastChild.textContent, `${Math.round(100 * alignment.matrix[0][best])}`);
  check("and in words", one("#said").textContent.startsWith(`"${title(pieces("target")[0])}" is read from ${alignment.source[best]} `));
  check("and in the matrix", one("#matrix tbody th").classList.contains("pointed"));
  leave(pieces("target")[0]);
  equal("it goes out", [pointed("target"), lit("source"), all("#matrix .pointed").length], [-1, 0, 0]);

  hover(pieces("source")[2]);
  equal("a source word lights the target", [pointed("source"), lit("target")], [2, pieces("target").length]);
  leave(pieces("source")[2]);
  hover(cell(1, 3));
  equal("a cell lights two words", [pointed("source"), pointed("target")], [3, 1]);
  check("a cell says its weight", one("#said").textContent.endsWith(`: ${percent(alignment.matrix[1][3])}`));
  hover(all("#matrix thead th")[4]);
  equal("a column's head lights as its word does", [pointed("source"), lit("target")], [4, pieces("target").length]);
  one("#matrix table").dispatchEvent(new MouseEvent("mouseleave"));
  equal("nothing is left", all(".pointed").length, 0);

  pieces("source")[0].focus();
  press("ArrowRight");
  equal("an arrow moves along the words", [document.activeElement, pointed("source")], [pieces("source")[1], 1]);
  hover(cell(0, 0));
  one("#matrix table").dispatchEvent(new MouseEvent("mouseleave"));
  equal("the focus still points when the mouse has left", pointed("source"), 1);
  press("n");
  equal("n shows the next hypothesis", one("#rank").textContent.startsWith("2 of 3"), true);
  check("the focus stays on its word", document.activeElement === pieces("source")[1]);
  press("p");
  press("p");
  equal("p shows the one before", one("#rank").textContent.startsWith("1 of 3"), true);
  one("#worse").click();
  equal("so do buttons", one("#rank").textContent.startsWith("2 of 3"), true);

  cell(0, 0).focus();
  for (const key of ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "ArrowUp", "ArrowLeft"]) press(key);
  check("arrows move among cells, no further than the edge", document.activeElement === cell(0, 1));
  equal("and point", [pointed("source"), pointed("target")], [1, 0]);
  equal("one cell is reached by tab", all("#matrix [tabindex='0']").length, 1);
  check("the focus is seen", getComputedStyle(document.activeElement).outlineStyle !== "none");
  press("ArrowDown", one("#matrix tbody th"));
  check("from a label, too", document.activeElement === cell(1, 0));
  document.activeElement.blur();

  check("pieces that are words", one("#level").disabled);

  let copied = "";
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: undefined });
  document.execCommand = (command) => { copied = command + document.activeElement.value; return true; };
  press("c", document.body);
  await new Promise((done) => setTimeout(done));
  const lines = copied.slice("copy".length).split("\n");
  equal("c copies without a clipboard", lines[0], ["", ...alignment.source.map(label)].join("\t"));
  equal("a line each row", lines.length, alignment.target.length + 2);
  equal("of numbers", lines[1].split("\t").slice(1).map(Number), alignment.matrix[0]);
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => void (copied = text) } });
  one("#copy").click();
  await new Promise((done) => setTimeout(done));
  equal("and with one", [copied, one("#done").textContent], [lines.join("\n"), "copied"]);

  const weightsOf = (row) => [...row.querySelectorAll("td")].map((td) => Number(td.style.getPropertyValue("--weight")));
  const rows = () => all("#matrix tbody tr").map(weightsOf), numbers = () => all("#matrix td").map((td) => td.textContent);
  const [before, written] = [rows(), numbers()];
  press("r", document.body);
  check("r scales the rows", rows().every((row, i) => row.every((w, j) => Math.abs(w - before[i][j] / Math.max(...before[i])) < 1e-6)));
  equal("but not their numbers", [numbers(), one(".legend").textContent], [written, "0%100% of the row's largest"]);
  press("r", document.body);
  equal("and back", [rows(), one(".legend").textContent], [before, "0%100% of a row"]);

  press("?", document.body);
  check("? shows the keys", one("#keys").open);
  equal("and explains terms", all("#keys p").map((said) => said.textContent.split(" ")[0]), ["</s>", "The", "AER,"]);
  press("ArrowDown", document.body);
  equal("and nothing else moves", selected(), ["潮水退了。"]);
  one("#keys").close();

  press("ArrowDown", document.body);
  equal("an empty line has no translation", [selected(), pieces("target").length, all("#matrix td").length], [["(empty)"], 0, 0]);
  equal("which is said", one("#said").textContent, "There is no translation.");
  for (const key of ["w", "n", "c"]) press(key, document.body);
  press("ArrowDown", document.body);
  press("ArrowDown", document.body);
  equal("the last sentence", selected(), ['<\/script><b>"&我']);
  equal("is text and not markup", pieces("source").map(title).join(""), '<\/script><b>"&我</s>');
  all("#sentences li")[0].click();
  equal("a click chooses", selected(), ["潮水退了。"]);
}
test().catch((problem) => say(`FAIL ${problem.stack}`)).finally(finish);
JS
drive pointing "$scratch/nbest.html" "$scratch/nbest.js"

# ---- the page's words are those of --level word ----
sed 's/\([^，。！？]\)\([^，。！？]\)/\1\2 /g' "$scratch/zh" >"$scratch/spaced"
pair="--src $scratch/spaced --tgt $scratch/en --level word"
tide_ok align "$scratch/run" $pair --format html >"$scratch/words.html"
{
    echo "const expected = ["
    tide_ok align "$scratch/run" $pair --format json | sed 's/$/,/'
    cat <<'JS'
];
equal("as many", data.sentences.length, expected.length);
expected.forEach((want, i) => {
  choose(i);
  equal(`words of source ${i}`, all("#matrix thead th").map((head) => head.textContent), want.source);
  equal(`words of target ${i}`, all("#matrix tbody th").map((head) => head.textContent), want.target);
  const apart = want.matrix.flatMap((row, k) => row.map((weight, j) => Math.abs(weight - alignment.matrix[k][j])));
  check(`weights ${i}: at most ${Math.max(...apart)} apart`, Math.max(...apart) < 0.001);
  const cells = all("#matrix tbody td").map((cell) => Number(cell.textContent));
  check(`numbers ${i}`, want.matrix.flat().every((weight, k) => Math.abs(100 * weight - cells[k]) < 0.65));
});
finish();
JS
} >"$scratch/words.js"
drive words "$scratch/words.html" "$scratch/words.js"

# ---- a phone: pointing does not move what is pointed at ----
cat >"$scratch/phone.js" <<'JS'
const height = () => one("#matrix").getBoundingClientRect().top;
const before = height();
for (const word of all("#source .piece, #target .piece")) {
  hover(word);
  equal(`the matrix stays: ${one("#said").textContent}`, height(), before);
  leave(word);
}
finish();
JS
drive phone "$scratch/nbest.html" "$scratch/phone.js" size=500,844

# ---- numbers below narrow pieces ----
echo '我。' >"$scratch/short.zh"
echo "It's I'm a I." >"$scratch/short.en"
tide_ok align "$scratch/run" --src "$scratch/short.zh" --tgt "$scratch/short.en" --format html >"$scratch/short.html"
cat >"$scratch/short.js" <<'JS'
for (const word of all("#source .piece")) {
  hover(word);
  const numbers = all("#target .piece small").filter((number) => number.textContent);
  const boxes = numbers.map((number) => number.getBoundingClientRect());
  const most = Math.max(...all("#target .piece").map((piece) => Number(piece.style.getPropertyValue("--weight"))));
  check("there are numbers", boxes.length > 1);
  check("the largest is one", numbers.some((number) => number.textContent === `${Math.round(100 * most)}`));
  check("they do not touch", boxes.every((box, i) => i === 0 || boxes[i - 1].right <= box.left));
  leave(word);
}
finish();
JS
drive short "$scratch/short.html" "$scratch/short.js"

# ---- all weight on one piece: text on the strongest highlight is readable ----
tide_ok translate "$scratch/run" --attention-mode hard --html "$scratch/hard.html" <"$scratch/in" >/dev/null
cat >"$scratch/hard.js" <<'JS'
hover(one("#target .piece"));
const column = alignment.matrix[0].indexOf(1), head = all("#matrix thead th:not(.corner)")[column];
const ink = (element) => getComputedStyle(element).color;
equal("a label, a word and a cell of the same ink", [ink(head), ink(all("#source .piece")[column])], Array(2).fill(ink(one("#matrix td.strong"))));
leave(one("#target .piece"));
check("and not for good", ink(head) !== ink(one("#matrix td.strong")));
finish();
JS
drive hard "$scratch/hard.html" "$scratch/hard.js"
drive hard-dark "$scratch/hard.html" "$scratch/hard.js" dark

# ---- links of people, of an aligner and of the attention ----
printf '潮水 退 了\n我 累\n' >"$scratch/linked.zh"
printf 'The tide goes out\nI am\n' >"$scratch/linked.en"
printf '0-1 1-2\n\n' >"$scratch/links"
printf '0-0-P 0-1 1-2\n0-0\n' >"$scratch/gold"
cat >"$scratch/links.js" <<'JS'
const cell = (row, column) => one("#matrix").querySelectorAll("tbody tr")[row].querySelectorAll("td")[column];
const own = alignment.matrix.slice(0, -1).map((row) => row.indexOf(Math.max(...row)));
const marked = (kind) => all(`#matrix td[data-link=${kind}]`).length;
equal("sure and possible", [cell(1, 0), cell(0, 0), cell(3, 1)].map((td) => td.dataset.gold ?? ""), ["sure", "possible", ""]);
equal("aligner and attention", cell(1, 0).dataset.link, own[1] === 0 ? "both" : "aligner");
equal("every link of the aligner", marked("both") + marked("aligner"), 2);
equal("every link of the attention", marked("both") + marked("attention"), own.filter((column) => column < 3).length);
equal("marks are seen", [cell(1, 0), cell(0, 0)].map((td) => getComputedStyle(td, "::before").borderTopStyle), ["solid", "dotted"]);
hover(cell(1, 0));
check("and said", one("#said").textContent.includes("a sure link · linked by aligner"));
one("#matrix table").dispatchEvent(new MouseEvent("mouseleave"));
check("error rates", one("#rank").textContent.startsWith("AER aligner .00, attention "));
equal("in the list, too", all("#sentences small").length, 2);
equal("a legend", [...one(".links").children].filter((item) => item.checkVisibility()).length, 5);
press("w", document.body);
const sure = alignment.targetWord.reduce((sum, word) => sum + [0, 2, 1, 0, 0][word], 0); // 潮水 has two pieces, 退 one
equal("pieces of a word have its marks", all("#matrix td[data-gold=sure]").length, sure);
press("m", document.body);
equal("m removes the marks", all("#matrix [data-gold], #matrix [data-link]").length, 0);
press("m", document.body);
equal("and restores them", all("#matrix td[data-gold=sure]").length, sure);
finish();
JS
tide_ok align "$scratch/run" --src "$scratch/linked.zh" --tgt "$scratch/linked.en" --level word --format html \
    --links "$scratch/links" --gold "$scratch/gold" >"$scratch/linked.html"
drive links "$scratch/linked.html" "$scratch/links.js"
echo 'check("no legend", !one(".links").checkVisibility() && !one("#marks").checkVisibility()); finish();' >"$scratch/unlinked.js"
drive unlinked "$scratch/nbest.html" "$scratch/unlinked.js"
tide_ok align "$scratch/run" --src "$scratch/linked.zh" --tgt "$scratch/linked.en" --level word --format html \
    --links "$scratch/links" >"$scratch/ungolden.html"
echo 'equal("the legend without people", [...one(".links").children].filter((item) => item.checkVisibility())
    .map((item) => item.textContent), ["aligner and attention", "aligner only", "attention only"]); finish();' >"$scratch/ungolden.js"
drive ungolden "$scratch/ungolden.html" "$scratch/ungolden.js"

# ---- in Chinese ----
cat >"$scratch/chinese.js" <<'JS'
async function test() {
  const given = "#title, #source, #target, #written, #matrix, #sentences", terms = ["AER", "Esc"];
  checkChinese(given, terms);
  hover(one("#matrix tbody td"));
  check("a cell is said", /^“.*”读自“.*”：[0-9]+%/.test(one("#said").textContent));
  equal("the table", one("#matrix table").ariaLabel, `“${data.sentences[0].text}”的对齐`);
  equal("the keys", one("#keys tr:last-child").textContent, "? 显示这张按键表；按 Esc 关闭");
  document.execCommand = () => true;
  Object.defineProperty(navigator, "clipboard", { configurable: true, value: undefined });
  press("c", document.body);
  await new Promise((done) => setTimeout(done));
  equal("copied", one("#done").textContent, "已复制");
  if (links()) {
    equal("the legend", all(".links > span").map((item) => item.textContent), ["确定", "可能", "对齐器和注意力", "仅对齐器", "仅注意力"]);
    check("marks are said", one("#said").textContent.includes(" · 可能的链接"));
    check("error rates", one("#rank").textContent.startsWith("AER：对齐器 .00，注意力 "));
    equal("the title", one("h1").textContent.slice(0, 3), "对齐：");
  } else {
    equal("the title", one("h1").textContent.slice(0, 3), "译文：");
    check("the rank", one("#rank").textContent.startsWith("第 1 个，共 3 个 · 得分 "));
    press("ArrowDown", document.body);
    equal("no translation", [one("#said").textContent, one("#sentences [aria-selected=true]").textContent], ["没有译文。", "（空）"]);
    checkChinese(given, terms);
  }
}
test().catch((problem) => say(`FAIL ${problem.stack}`)).finally(finish);
JS
for page in nbest linked; do drive chinese-$page "$scratch/$page.html" "$scratch/chinese.js" language=zh-CN; done
echo 'checkChinese("#title", []); finish();' >"$scratch/not.js"
dies drive english "$scratch/nbest.html" "$scratch/not.js" >"$scratch/out" && grep -q 'FAIL English words' "$scratch/out" ||
    die "an English page passes: $(cat "$scratch/out")"

# ---- long sentences, and labels ----
for _ in $(seq 12); do printf 'The sea is calm and '; done >"$scratch/long.en"
for _ in $(seq 12); do printf '大海非常平静,'; done >"$scratch/long.zh"
cat >"$scratch/long.js" <<'JS'
const frame = one("#matrix"), box = (element) => element.getBoundingClientRect();
const heads = all("#matrix thead th span"), sides = all("#matrix tbody th span");
check("60 words", alignment.target.length > 60);
check("the page is no wider than the window", document.documentElement.scrollWidth <= innerWidth);
check("the frame ends in the window", box(frame).bottom <= innerHeight);
check("letters are large enough", [...heads, ...sides].every((span) => parseFloat(getComputedStyle(span).fontSize) >= 16));
check("rows do not overlap", sides.every((span) => box(span).height <= box(span.closest("tr")).height + 0.5));
for (const span of heads) {
  const square = isSquare(span.textContent), turned = getComputedStyle(span).transform !== "none";
  if (square && turned) say("FAIL Chinese is turned");
  if (!square && span.textContent.length > 2 && !turned) say("FAIL letters stand level");
}
const more = () => ["more-right", "more-below"].map((side) => frame.classList.contains(side));
markSides(frame);
equal("what is cut fades", more(), [frame.scrollWidth > frame.clientWidth, true]);
check("which is seen", getComputedStyle(frame).maskImage.includes("48px"));
frame.scrollTo(1e4, 1e4);
markSides(frame);
equal("and not at the end", more(), [false, false]);
frame.scrollTo(150, 200);
check("the frame scrolls", frame.scrollTop === 200);
equal("and labels stay", [box(one("tbody th")).left, box(one("thead th")).top].map(Math.round), [box(frame).left, box(frame).top].map(Math.round));
all("#matrix tbody tr")[9].querySelectorAll("td")[9].focus();
check("no label hides the focus", box(document.activeElement).top >= box(one("thead th")).bottom - 1);
const last = all("#target .piece").pop();
mouse(last, "mouseenter");
check("the matrix shows what a word points at", box(all("tbody tr").pop()).bottom <= box(frame).bottom + 1);
mouse(last, "mouseleave");
equal("darkness", getComputedStyle(document.body).backgroundColor, matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(21, 24, 29)" : "rgb(255, 255, 255)");
finish();
JS
tide_ok align "$scratch/run" --src "$scratch/long.zh" --tgt "$scratch/long.en" --format html >"$scratch/long.html"
tide_ok align "$scratch/back" --src "$scratch/long.en" --tgt "$scratch/long.zh" --format html >"$scratch/back.html"
drive long "$scratch/long.html" "$scratch/long.js"
grep -q 'darkness' "$scratch/results" || die "no check of dark mode ran"
drive long-dark "$scratch/back.html" "$scratch/long.js" dark

# ---- a word of 300 letters ----
{ awk 'BEGIN { for (i = 0; i < 300; i++) printf "w" }'; echo ' I am'; } >"$scratch/word.en"
echo '我。' >"$scratch/word.zh"
cat >"$scratch/word.js" <<'JS'
check("the page is no wider than the window", document.documentElement.scrollWidth <= innerWidth);
const out = all("#source, #target, .piece, #said, #written, h1").filter((e) => e.getBoundingClientRect().right > innerWidth);
equal("no text outside", out.length, 0);
for (const span of all("#matrix th span")) check("a label is cut", span.getBoundingClientRect().height <= 14 * 28);
finish();
JS
cat >"$scratch/apart.js" <<'JS'
const pieces = alignment.target.length;
press("w", document.body);
check("w makes words", alignment.target.length < pieces);
equal("punctuation is apart", alignment.target.map(label), ["It's", "o'clock", ",", "fishermen", "!", "</s>"]);
check("Chinese is by character, which is said", one("#characters").checkVisibility());
equal("the button knows", one("#level").getAttribute("aria-pressed"), "true");
check("words' rows sum to 1", alignment.matrix.every((row) => Math.abs(row.reduce((a, b) => a + b) - 1) < 0.002));
press("w", document.body);
equal("and pieces again", [alignment.target.length, one("#characters").checkVisibility()], [pieces, false]);
finish();
JS
echo "It's o'clock, fishermen!" >"$scratch/apart.en"
tide_ok align "$scratch/run" --src "$scratch/short.zh" --tgt "$scratch/apart.en" --format html >"$scratch/apart.html"
drive apart "$scratch/apart.html" "$scratch/apart.js"
for level in piece word; do
    tide_ok align "$scratch/run" --src "$scratch/word.zh" --tgt "$scratch/word.en" --format html --level $level >"$scratch/word.html"
    drive "word-$level" "$scratch/word.html" "$scratch/word.js" size=1400,900
    drive "word-$level-narrow" "$scratch/word.html" "$scratch/word.js" size=500,844
done

# ---- many sentences ----
for _ in $(seq 84); do cat "$scratch/zh"; done >"$scratch/many"
tide_ok translate "$scratch/run" --beam-size 1 --html "$scratch/many.html" <"$scratch/many" >"$scratch/out"
cat >"$scratch/many.js" <<'JS'
one("#sentences").focus();
press("End");
equal("the last of all", one("#sentences").getAttribute("aria-activedescendant"), "sentence-1007");
check("is in sight", document.getElementById("sentence-1007").getBoundingClientRect().bottom <= innerHeight);
press("PageUp");
press("ArrowUp");
equal("keys of a list", one("#sentences [aria-selected=true]").id, "sentence-996");
press("Home");
equal("the first", one("#sentences [aria-selected=true]").id, "sentence-0");
equal("one matrix", all("#matrix table").length, 1);
finish();
JS
drive many "$scratch/many.html" "$scratch/many.js"

# ---- printing ----
printed "$scratch/nbest.html" 1
printed "$scratch/long.html" 1
if has pdftoppm 'measured paper' poppler-utils; then
    for page in nbest long linked; do
        set -- "$@" zh-CN "$scratch/$page.html" 1 1
    done
    python3 tests/e2e/paper.py "$@" || die 'paper'
fi

# ---- the test can fail: it detects a page that loads something ----
grep -v 'Content-Security-Policy' "$scratch/nbest.html" >"$scratch/leaky.html"
echo 'new Image().src = "http://example.org/picture.png"; setTimeout(() => { check("asked", true); finish(); }, 300);' >"$scratch/leaky.js"
dies drive leaky "$scratch/leaky.html" "$scratch/leaky.js" >"$scratch/out" || die "the request of a page was not detected"
grep -q 'asked for http://example.org' "$scratch/out" || die "$(cat "$scratch/out")"
dies drive barred "$scratch/nbest.html" "$scratch/leaky.js" >"$scratch/out" || die "a violation of the policy was not detected"
grep -q 'FAIL policy: img-src' "$scratch/out" || die "$(cat "$scratch/out")"
exit 0
