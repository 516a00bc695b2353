#!/bin/sh
# Tests the training report in a browser: curves, their common cursor, slider, keys, narrow windows, printing, dark mode.
. "$(dirname "$0")/../lib/common.inc"
. "$(dirname "$0")/../lib/page.inc"

# ---- a log of 40 reports and 4 validations, the third is the best; the first validation lacks the second probe ----
mkdir -p "$scratch/run/align"
awk 'BEGIN {
    for (u = 50; u <= 2000; u += 50) {
        printf "{\"update\": %d, \"epoch\": %.4f, \"loss\": %.4f, \"ppl\": %.4f, \"tokens_per_s\": %d, \"seconds\": 1.5, \"gnorm\": %.3f, ",
            u, u / 100, 6 - u / 500, exp(6 - u / 500), 9000 + u % 300, 1 + 50 / u
        printf "\"learn_rate\": %.9g}\n", 1e-3 * (u < 1000 ? 1 : 1000 / u)
        if (u % 500) continue
        n = u / 500
        printf "{\"update\": %d, \"epoch\": %.4f, \"valid_loss\": %.4f, \"valid_ppl\": %.4f, \"bleu\": %.4f, \"best\": %s, ",
            u, u / 100, 5 - n / 2, exp(5 - n / 2), n < 4 ? 8 * n : 20.5, n < 4 ? "true" : "false"
        printf "\"attention_entropy\": %.2f, \"attention_diversity\": %.2f, \"bleu_by_length\": [", 2.5 - n / 2, n / 5
        printf "{\"to\": 5, \"sentences\": 120, \"bleu\": %.2f}, {\"to\": 10, \"sentences\": 1300, \"bleu\": %.2f}, ", 9 * n, 8 * n
        printf "{\"to\": null, \"sentences\": 7, \"bleu\": 0}]}\n"
    } }' >"$scratch/run/train.jsonl"
for n in 1 2 3 4; do
    second=', {"source": ["</script><b>", "\"&我", "</s>"], "target": ["▁<i>", "</s>"], "matrix": [[0.1, 0.2, 0.7], [0, 0, 1]]}'
    [ $n != 1 ] || second=
    printf '{"update": %d, "alignments": [{"source": ["潮", "水", "</s>"], "target": ["▁t%d", "ide", "</s>"], "matrix": [[0.%d, 0.1, 0], [0.2, 0.3, 0.5], [0, 0, 1]]}%s]}\n' \
        $((500 * n)) $n $((2 * n)) "$second" >"$scratch/run/align/$(printf %08d $((500 * n))).json"
done

cat >"$scratch/shared.js" <<'JS'
const titles = () => all("figcaption b").map((title) => title.textContent);
const chart = (title) => all("figure")[titles().indexOf(title)];
const readout = (title) => chart(title).querySelector(".readout").textContent;
const cursors = () => all(".cursor line").map((line) => Math.round(line.getAttribute("x1")));
const box = (element) => element.getBoundingClientRect();
/** Where a text's letters are: a font leaves room above and below them. */
function ink(text) {
  const { left, right, top, bottom, height } = box(text);
  return { left, right, top: top + height / 4, bottom: bottom - height / 4 };
}
const apart = (a, b) => a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;

/** All that can be seen of a layout: nothing is cut off, and no two texts of a chart touch. */
function checkLayout(width = innerWidth) {
  const parts = all("main, main > *, figure, .readout, .controls > *, .stage > *").filter((part) => box(part).right > width);
  equal("nothing is wider than the window", parts.map((part) => part.id || part.tagName), []);
  for (const svg of all("figure svg")) {
    const name = svg.closest("figure").querySelector("b").textContent;
    const texts = [...svg.querySelectorAll("text")].map(ink), frame = box(svg);
    check(`${name}: texts do not touch`, texts.every((a, i) => texts.every((b, k) => k <= i || apart(a, b))));
    check(`${name}: nothing is cut off`, texts.every((a) => a.left >= frame.left && a.right <= frame.right + 1 && a.bottom <= frame.bottom + 1));
    check(`${name}: letters are large enough`, texts.every((a) => a.bottom - a.top >= 5));
    const ticks = [...svg.querySelectorAll("text[text-anchor=end]:not(.strong)")].map((text) => text.textContent);
    equal(`${name}: ticks differ`, new Set(ticks).size, ticks.length);
    const points = [...svg.querySelectorAll("polyline")].flatMap((line) => line.getAttribute("points").split(" "));
    check(`${name}: curves stay inside`, points.every((p) => { const [x, y] = p.split(","); return x >= LEFT && x <= WIDTH - RIGHT && y >= TOP - 1 && y <= FLOOR + 1; }));
  }
}
const wait = (ms) => new Promise((done) => setTimeout(done, ms));
JS

cat "$scratch/shared.js" - >"$scratch/run.js" <<'JS'
function move(title, part) {
  const svg = chart(title).querySelector("svg"), { left, top, width, height } = box(svg);
  svg.dispatchEvent(new PointerEvent("pointermove", { clientX: left + part * width, clientY: top + height / 2, bubbles: true }));
}
function slide(place) {
  one("#moment").value = place;
  one("#moment").dispatchEvent(new Event("input", { bubbles: true }));
}
const noteOf = (what) => (one(`#${what}-left-out`).hidden ? "" : one(`#${what}-left-out`).textContent);
const cellAt = (row, column) => one("#matrix").querySelectorAll("tbody tr")[row].querySelectorAll("td")[column];
const heads = (side) => all(`#matrix ${side} th`).map((head) => head.textContent);

async function test() {
  checkLayout();
  equal("a chart each", titles(), ["Loss", "Perplexity", "BLEU", "Gradient norm", "Learning rate", "Speed", "Attention entropy", "Attention diversity", "BLEU by length"]);
  equal("what it comes to", one("#summary").textContent, "2000 updates, 20.0 epochs, best BLEU 24.0 at update 1500, epoch 15.0");
  equal("terms", all("#summary .term, figcaption .term").map((term) => term.textContent),
    ["BLEU", "Loss", "Perplexity", "BLEU", "of the dev set", "Gradient norm", "Learning rate", "Attention entropy", "Attention diversity", "BLEU by length"]);
  const term = chart("Learning rate").querySelector(".term"), meaning = one(`#${term.getAttribute("aria-describedby")}`);
  check("a term is explained", meaning.role === "tooltip" && meaning.textContent.startsWith("The learning rate is"));
  term.focus();
  check("at its focus", meaning.matches(":popover-open"));
  press("Escape", term);
  check("until Escape", !meaning.matches(":popover-open") && document.activeElement === term);
  term.blur();
  equal("the last values", [readout("Loss"), readout("Learning rate"), readout("Attention diversity")], ["train 2.00dev 3.00", "train 5.00e-4", "dev 80.0"]);
  equal("small numbers at an axis", [...chart("Learning rate").querySelectorAll("text[text-anchor=end]")].map((t) => t.textContent), ["4e-4", "6e-4", "8e-4", "1e-3"]);
  check("the best is marked", chart("BLEU").textContent.includes("best: 24.0"));
  equal("nobody points", cursors(), []);

  move("Loss", across(1000) / WIDTH);
  equal("a cursor in every chart of curves", cursors(), Array(8).fill(Math.round(across(1000))));
  equal("its values", [readout("Loss"), readout("BLEU")], ["train 4.00dev 4.00update 1000, epoch 10.0", "dev 16.0update 1000, epoch 10.0"]);
  equal("bars of that moment", [...chart("BLEU by length").querySelectorAll("text.strong")].map((t) => t.textContent), ["18.0", "16.0", "0"]);
  move("Loss", across(1200) / WIDTH);
  equal("a value's own update", [readout("Loss"), readout("BLEU")], ["train 3.60dev 4.00update 1200, epoch 12.0", "dev 16.0update 1000, epoch 10.0"]);
  move("BLEU", across(1100) / WIDTH);
  equal("the chart's own nearest", cursors()[0], Math.round(across(1000)));
  chart("BLEU").querySelector("svg").dispatchEvent(new PointerEvent("pointerleave"));
  equal("the cursor goes", cursors(), []);
  equal("bars of the best", [...chart("BLEU by length").querySelectorAll("text:not([text-anchor=end])")].map((t) => t.textContent),
    ["27.0", "1–5", "120", "24.0", "6–10", "1300", "0", "> 10", "7"]);

  const svg = chart("Gradient norm").querySelector("svg");
  svg.focus();
  const said = [];
  for (const key of ["Home", "ArrowLeft", "ArrowRight", "End", "ArrowLeft", "PageDown"]) {
    press(key);
    said.push(Number(svg.getAttribute("aria-valuenow")));
  }
  equal("keys move it", said, [50, 50, 100, 2000, 1950, 1450]);
  equal("and say it", svg.getAttribute("aria-valuetext"), "update 1450, epoch 14.5: train 1.03");
  press("Escape");
  equal("or let it go", cursors(), []);
  check("all can be focused and are named", all("figure svg").every((e) => e.ariaLabel && (e.tabIndex === 0 || e.getAttribute("role") === "img")));
  svg.blur();

  equal("the probes", all("#probe option").map((o) => o.textContent), ["潮水", '<\/script><b>"&我']);
  equal("opens on the best moment", [one("#moment").value, one("#when").textContent, one("#translation").textContent], ["2", "update 1500, epoch 15.0, best BLEU 24.0", "t3ide"]);
  check("the slider says it, too", one("#moment").getAttribute("aria-valuetext").includes(", best "));
  hover(cellAt(0, 0));
  equal("a cell is said", one("#pointed").textContent, "\"t3\" is read from 潮: 60%");
  press(" ", document.body);
  press(" ", document.body);
  equal("what opens plays from the start", one("#moment").value, "0");
  slide(3);
  equal("the last moment", [one("#when").textContent, one("#translation").textContent], ["update 2000, epoch 20.0, BLEU 20.5", "t4ide"]);
  slide(0);
  equal("the first moment", [one("#when").textContent, one("#translation").textContent], ["update 500, epoch 5.0, BLEU 8.00", "t1ide"]);
  equal("its pieces", [heads("thead"), heads("tbody")], [["潮", "水", "</s>"], ["t1", "ide", "</s>"]]);
  equal("its weights", all("#matrix td:not(.corner)").map((cell) => Number(cell.textContent)), [20, 10, 0, 20, 30, 50, 0, 0, 100]);
  equal("what is pointed at stays so", one("#pointed").textContent, "\"t1\" is read from 潮: 20%");
  equal("the charts go along", cursors(), Array(8).fill(Math.round(across(500))));
  press("Escape", svg);
  equal("until they are let go", cursors(), []);
  press("ArrowRight", document.body);
  press("ArrowRight", document.body);
  equal("arrows step", one("#when").textContent, "update 1500, epoch 15.0, best BLEU 24.0");
  for (const key of ["ArrowRight", "ArrowRight"]) press(key, document.body);
  equal("no further than the end", one("#moment").value, "3");
  press("ArrowLeft", one("#page"));
  equal("a field keeps its keys", one("#moment").value, "3");

  press("ArrowLeft", one("#play"));
  equal("from the button, too", one("#moment").value, "2");
  press("ArrowRight", one("#play"));
  press(" ", document.body);
  equal("space plays from the start", [one("#moment").value, one("#play").textContent], ["0", "Pause"]);
  await wait(1500);
  equal("a second each", one("#moment").value, "1");
  one("#play").click();
  await wait(3000);
  equal("and is held", [one("#moment").value, one("#play").textContent], ["1", "Play"]);
  press(" ", one("#moment"));
  await wait(4000);
  equal("plays to the end", [one("#moment").value, one("#play").textContent], ["3", "Play"]);

  equal("the slider has all validations", noteOf("moments"), "");
  slide(0);
  one("#probe").selectedIndex = 1;
  one("#probe").dispatchEvent(new Event("change"));
  equal("another probe, where it is nearest", [one("#moment").max, one("#when").textContent], ["2", "update 1000, epoch 10.0, BLEU 16.0"]);
  equal("this one lacks a validation", noteOf("moments"), "Validations without alignments of this sentence are left out.");
  equal("is text and not markup", [one("#source").textContent, one("#translation").textContent, all("#probes b, #probes i").length], ['<\/script><b>"&我', "<i>", 0]);
  equal("darkness", getComputedStyle(document.body).backgroundColor, matchMedia("(prefers-color-scheme: dark)").matches ? "rgb(21, 24, 29)" : "rgb(255, 255, 255)");
}
test().catch((problem) => say(`FAIL ${problem.stack}`)).finally(finish);
JS
tide_ok report "$scratch/run"
stands_alone "$scratch/run/report.html"
drive report "$scratch/run/report.html" "$scratch/run.js" time=20000
drive dark "$scratch/run/report.html" "$scratch/run.js" time=20000 dark
{ cat "$scratch/shared.js"; echo 'checkLayout(); finish();'; } >"$scratch/layout.js"
drive 1280x720 "$scratch/run/report.html" "$scratch/layout.js" size=1280,720
cat "$scratch/shared.js" - >"$scratch/narrow.js" <<'JS'
Object.assign(document.body.style, { width: "352px", margin: 0 });
checkLayout(400);
for (const rule of [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]))
  if (rule.media?.mediaText === "print") rule.media.mediaText = "all";
check("the matrix is on paper, too", box(one("#matrix")).height > 50);
finish();
JS
drive narrow "$scratch/run/report.html" "$scratch/narrow.js" size=500,800

# ---- translations of the dev set: 45 sentences at 4 validations, the third is the best, chosen by chrF ----
mkdir "$scratch/outputs" "$scratch/outputs/valid"
sed 's/, "best": \([a-z]*\)/, "chrf": 40.5, "best": \1, "metric": "chrf"/' "$scratch/run/train.jsonl" >"$scratch/outputs/train.jsonl"
seq -f '潮水%g</script><b>' 45 >"$scratch/outputs/valid/source.txt"
seq -f 'Tide %g.' 45 >"$scratch/outputs/valid/reference.txt"
for n in 1 2 3 4; do seq -f "t%g $((n > 2 ? 2 : n))" 45 | sed "1s/.*/$n/" >"$scratch/outputs/valid/$(printf %08d $((500 * n))).out"; done
cat "$scratch/shared.js" - >"$scratch/outputs.js" <<'JS'
checkLayout();
/** The text of a translation, without its score and the words that only the reference has. */
function translation(cell) {
  const copy = cell.cloneNode(true);
  for (const part of copy.querySelectorAll("del, small")) part.remove();
  return copy.textContent.trim().replace(/\s+/g, " ");
}
const rows = () => all("#translations > tr").map((row) => [...row.children].map(translation));
const heads = () => all("#outputs thead select").map((select) => select.selectedOptions[0].textContent);
equal("the metric that chooses", one("#summary").textContent, "2000 updates, 20.0 epochs, best chrF 40.5 at update 1500, epoch 15.0");
check("is marked in its chart", chart("chrF").textContent.includes("best: 40.5") && !chart("BLEU").textContent.includes("best:"));
equal("first, middle and best", heads(), ["update 500, chrF 40.5", "update 1000, chrF 40.5", "update 1500, best chrF 40.5"]);
equal("side by side", rows()[1], ["2", "潮水2<\/script><b>", "Tide 2.", "t2 1", "t2 2", "t2 2"]);
equal("a page of them", [rows().length, one("#range").textContent, one("#before").disabled], [20, "sentences 1 to 20 of 45", true]);
one("#after").click();
one("#after").click();
equal("the last page", [rows().length, rows().at(-1)[0], one("#range").textContent, one("#after").disabled, one("#page").value], [5, "45", "sentences 41 to 45 of 45", true, "3"]);
one("#before").click();
equal("the page before", one("#range").textContent, "sentences 21 to 40 of 45");
for (const [wish, page] of [["99", "3"], ["", "1"], ["-1", "1"], ["2", "2"]]) {
  one("#page").value = wish;
  one("#page").dispatchEvent(new Event("change"));
  equal(`page ${wish}`, one("#page").value, page);
}
const select = all("#outputs thead select")[1];
select.value = 0;
select.dispatchEvent(new Event("change"));
equal("another validation", rows()[0].slice(3), ["t21 1", "t21 1", "t21 2"]);
const number = one("#translations button");
number.click();
equal("a sentence over time", all("#translations dl > *").map(translation), ["update 500, epoch 5.0, chrF 40.5", "t21 1", "update 1000, epoch 10.0, chrF 40.5", "t21 2"]);
equal("that of no change is left out", one("#translations dl + .hint").textContent, "Validations without a change are left out.");
equal("the menus have all validations", one("#columns-left-out").hidden, true);
equal("opened", number.getAttribute("aria-expanded"), "true");
number.click();
equal("and closed", [all("#translations dl").length, number.getAttribute("aria-expanded")], [0, "false"]);
one("#before").click();
one("#translations button").click();
equal("a change each time", [all("#translations dl dd").length, all("#translations .hint").length], [4, 0]);
equal("text, not markup", all("#outputs b").length, 0);
one("#find").value = "潮水４"; // seven of them
one("#find").dispatchEvent(new Event("input"));
equal("found", [rows().map((row) => row[0]), one("#range").textContent], [["4", "40", "41", "42", "43", "44", "45"], "found 7 of 45"]);
one("#find").value = "t";
one("#find").dispatchEvent(new Event("input"));
one("#after").click();
equal("a page of what is found", [one("#range").textContent, location.hash], ["found 45 of 45: 21 to 40", "#find=t&page=2&updates=500+500+1500"]);
const parts = all("#outputs, #outputs :is(table, td, th, select, input, .controls > *)").filter((part) => box(part).right > innerWidth);
equal("within the window", parts.length, 0);
finish();
JS
tide_ok report "$scratch/outputs"
stands_alone "$scratch/outputs/report.html"
drive outputs "$scratch/outputs/report.html" "$scratch/outputs.js"
drive outputs-narrow "$scratch/outputs/report.html" "$scratch/outputs.js" size=500,800

# ---- search, order and differences from the reference: 4 sentences at 2 validations, the second is the best ----
mkdir "$scratch/sorted" "$scratch/sorted/valid"
grep -E '"update": (500|1000),' "$scratch/run/train.jsonl" >"$scratch/sorted/train.jsonl"
printf '潮水退了。\n我很累。\n他高。\n你好吗？\n' >"$scratch/sorted/valid/source.txt"
printf 'The tide is out.\nI am tired.\nHe is tall.\nHow are you?\n' >"$scratch/sorted/valid/reference.txt"
printf 'x\nI am\nHe is tall.\nA you?\n' >"$scratch/sorted/valid/00000500.out"
printf 'The tide has gone out.\nI am tired.\nHe is very small!\nHow you\n' >"$scratch/sorted/valid/00001000.out"
tide_ok report "$scratch/sorted"
for i in 1 2 3 4; do
    sed -n ${i}p "$scratch/sorted/valid/reference.txt" >"$scratch/reference"
    sed -n ${i}p "$scratch/sorted/valid/00001000.out" | tide_ok chrf "$scratch/reference" | sed -n 's/^chrF2 = //p'
done >"$scratch/chrf"
{
    echo "const chrf = [$(paste -sd, "$scratch/chrf")];"
    cat "$scratch/shared.js" -
} >"$scratch/sorted.js" <<'JS'
const order = () => all("#translations > tr > td:first-child").map((cell) => Number(cell.textContent));
const cellOf = (row, column = -1) => all("#translations > tr")[row].querySelectorAll("td").item(column < 0 ? 4 : column);
const html = (row) => cellOf(row).innerHTML.replace(/ <small>.*/, "");
function choose(id, value, type = "change") {
  one(`#${id}`).value = value;
  one(`#${id}`).dispatchEvent(new Event(type));
}
const hash = () => decodeURIComponent(location.hash);
/** Opens another address of the same page, as a link does. */
async function visit(address) {
  location.hash = address;
  await wait(100);
}

async function test() {
  equal("an address without choices", hash(), "");
  const scores = order().map((_, i) => Number(cellOf(i).querySelector("small").textContent.replace("chrF ", "")));
  check("scores of the sentences", scores.length === 4 && scores.every((score, i) => Math.abs(score - chrf[i]) < 0.051));
  equal("the best and the first", [scores[1], scores.every((score, i) => i === 1 || score < 99)], [100, true]);

  equal("words of one of the two", html(0), "The tide <del>is</del> <ins>has gone</ins> out.");
  equal("none of equal texts", html(1), "I am tired.");
  equal("punctuation", html(2), "He is <del>tall.</del> <ins>very small!</ins>");
  equal("only missing words", html(3), "How <del>are</del> you<del>?</del>");
  equal("no word in common", cellOf(0, 3).textContent, "The tide is out. x chrF 0.0");
  equal("the first word", cellOf(3, 3).innerHTML.replace(/ <small>.*/, ""), "<del>How are</del> <ins>A</ins> you?");
  equal("Chinese characters", markedTexts("潮水退了。", "潮退去了。").map((node) => node.outerHTML ?? node).join(""), "潮<del>水</del>退<ins>去</ins>了。");
  const lines = ["ins", "del"].map((tag) => getComputedStyle(one(`#translations ${tag}`)).textDecorationLine);
  equal("marked by lines, and not by colour only", lines, ["underline", "line-through"]);
  equal("in other colours", new Set(["ins", "del", "td"].map((tag) => getComputedStyle(one(`#translations ${tag}`)).color)).size, 3);
  equal("what the marks say", one("#marked").textContent, "not in the reference only in the reference");
  equal("a long text is not compared", markedTexts("潮".repeat(2000), "水".repeat(2000)), ["水".repeat(2000)]);
  one("#translations button").click();
  equal("the differences over time", all("#translations dl ins").map((e) => e.textContent), ["x", "has gone"]);
  one("#marks").click();
  equal("without marks", [all("#translations :is(ins, del)").length, one("#marked").hidden, hash()], [0, true, "#marks=hidden"]);
  one("#marks").click();

  choose("sort", "score");
  const ascending = [0, 1, 2, 3].sort((a, b) => chrf[a] - chrf[b]).map((i) => i + 1);
  equal("by score", order(), ascending);
  choose("order", "descending");
  equal("by score, the best first", [order(), hash()], [[...ascending].reverse(), "#sort=score&order=descending"]);
  choose("sort", "gain");
  equal("by gain", [order()[3], hash()], [3, "#sort=gain&order=descending"]);
  choose("sort", "length");
  equal("by length", order(), [1, 2, 4, 3]);
  choose("order", "ascending");
  equal("the shortest first", order(), [3, 2, 4, 1]);
  choose("sort", "number");
  equal("by number again", [order(), hash()], [[1, 2, 3, 4], ""]);

  for (const [words, found] of [["潮水", [1]], ["HE IS", [3]], ["very", [3]], ["我", [2]], ["Ａｍ", [2]], ["。", [1, 2, 3]], [" ", [1, 2, 3, 4]], ["</td>", []]]) {
    choose("find", words, "input");
    equal(`find ${words}`, order(), found);
  }
  equal("nothing is found", [one("#range").textContent, one("#before").disabled, one("#after").disabled, all("#translations tr").length], ["found 0 of 4", true, true, 0]);
  choose("find", "你", "input");
  equal("in the address", [hash(), one("#range").textContent], ["#find=你", "found 1 of 4"]);
  await visit("#find=i+am&sort=score&order=descending&marks=hidden&updates=1000+500");
  equal("from the address", [order(), one("#find").value, one("#sort").value, one("#order").value, one("#marks").checked], [[2], "i am", "score", "descending", false]);
  equal("its columns", all("#outputs thead select").map((select) => select.value), ["1", "0"]);
  await visit("#sort=other&order=&updates=7&page=-3");
  equal("an address that says nothing", [order(), one("#sort").value, one("#page").value, all("#outputs thead select").map((select) => select.value)], [[1, 2, 3, 4], "number", "1", ["0", "1"]]);
}
test().catch((problem) => say(`FAIL ${problem.stack}`)).finally(finish);
JS
drive sorted "$scratch/sorted/report.html" "$scratch/sorted.js"

# ---- in Chinese ----
cp -r "$scratch/run/align" "$scratch/outputs"
tide_ok report "$scratch/outputs"
cat "$scratch/shared.js" - >"$scratch/chinese.js" <<'JS'
checkLayout();
one("#translations button").click();
one("figure svg").focus();
press("Home", one("figure svg"));
one("#find").value = "潮";
one("#find").dispatchEvent(new Event("input"));
equal("found", one("#range").textContent, "找到 45 句，共 45：第 1 至 20 句");
checkChinese("#title, #matrix, .sentence, #probe, #translations td:not(:has(dl)), #translations dd", ["BLEU", "chrF", "nat"]);
equal("charts", titles(), ["损失", "困惑度", "BLEU", "chrF", "梯度范数", "学习率", "速度", "注意力的熵", "注意力的多样性", "各长度的 BLEU"]);
equal("what it comes to", [one("h1").textContent, one("#summary").textContent], ["outputs 的训练", "2000 次更新，20.0 轮，最好 chrF 40.5（更新 1500，轮 15.0）"]);
equal("its values", readout("损失"), "训练 5.90开发集 4.50更新 50，轮 0.5");
equal("headings", all("h2").map((heading) => heading.textContent), ["训练中的对齐", "开发集的译文"]);
equal("a column on a phone", one("#translations td[data-column]").dataset.column, "原文");
equal("no way back from a file", all(".back").length, 0);
hover(one("#matrix tbody td"));
check("a cell is said", /^“.*”读自“.*”：[0-9]+%$/.test(one("#pointed").textContent));
finish();
JS
drive chinese "$scratch/outputs/report.html" "$scratch/chinese.js" language=zh-CN
drive chinese-narrow "$scratch/outputs/report.html" "$scratch/chinese.js" language=zh-CN size=500,844
echo 'checkChinese("#title", []); finish();' >"$scratch/not.js"
dies drive english "$scratch/outputs/report.html" "$scratch/not.js" >"$scratch/out" && grep -q 'FAIL English words' "$scratch/out" ||
    die "an English page passes: $(cat "$scratch/out")"
echo 'equal("English", [document.documentElement.lang, one("h2").textContent, one("#play").textContent],
    ["en", "The alignment during the training", "Play"]); finish();' >"$scratch/english.js"
drive other-language "$scratch/outputs/report.html" "$scratch/english.js" language=fr

# ---- almost equal values, diverging values, a probe that is wider than the window ----
mkdir "$scratch/flat" "$scratch/wild" "$scratch/wide"
sed 's/"bleu": \([0-9]\)[0-9.]*, "best"/"bleu": 31.0\1, "best"/; s/"tokens_per_s": [0-9]*\([0-9]\)/"tokens_per_s": 201\1/' \
    "$scratch/run/train.jsonl" >"$scratch/flat/train.jsonl"
laid_out() { # NAME SCRIPT WIDTH,HEIGHT
    tide_ok report "$scratch/$1"
    drive "$1" "$scratch/$1/report.html" "$2" size="$3"
}
laid_out flat "$scratch/layout.js" 1280,720
sed '3,5s/"ppl": [0-9.]*/"ppl": 1e15/; 3,5s/"loss": [0-9.]*/"loss": 40/' "$scratch/run/train.jsonl" >"$scratch/wild/train.jsonl"
laid_out wild "$scratch/layout.js" 1280,720
cp -r "$scratch/run/align" "$scratch/run/train.jsonl" "$scratch/wide"
long=$(awk 'BEGIN { for (i = 0; i < 60; i++) printf "潮" }')
sed -i "s/潮/$long/; s/▁t/▁$(printf '%060d' 0)/" "$scratch"/wide/align/*.json
laid_out wide "$scratch/narrow.js" 500,800

# ---- updates that are left out: there are more than the page holds, or some have no translations ----
left_out() { # NAME MOMENTS COLUMNS
    tide_ok report "$scratch/$1"
    echo "equal('left out', all('#moments-left-out, #columns-left-out').map((p) => p.textContent), ['$2', '$3']); finish();" >"$scratch/left_out.js"
    drive "$1" "$scratch/$1/report.html" "$scratch/left_out.js"
}
mkdir "$scratch/changed" "$scratch/many"
cp -r "$scratch/outputs/valid" "$scratch/outputs/train.jsonl" "$scratch/run/align" "$scratch/changed"
rm "$scratch/changed/valid/00000500.out"
left_out changed '' 'Validations without translations of this dev set are left out.'
mkdir "$scratch/many/align" "$scratch/many/valid"
cp "$scratch"/outputs/valid/*.txt "$scratch/many/valid"
for update in $(seq 1001 1120); do
    sed "s/500/$update/" "$scratch/run/align/00000500.json" >"$scratch/many/align/0000$update.json"
    cp "$scratch/outputs/valid/00000500.out" "$scratch/many/valid/0000$update.out"
    echo "{\"update\": $update, \"valid_loss\": 3, \"bleu\": 1, \"best\": $([ "$update" = 1006 ] && echo true || echo false)}"
done >"$scratch/many/train.jsonl"
left_out many 'This page holds 101 of the 120 validations with alignments: evenly spaced ones and the best.' \
    'This page holds 41 of the 120 validations with translations: evenly spaced ones and the best.'

# ---- headings, landmarks and names, as the browser computes them for a screen reader ----
cat "$scratch/shared.js" - >"$scratch/names.js" <<'JS'
const levels = all("h1, h2, h3, h4, h5, h6").map((heading) => Number(heading.tagName[1]));
equal("headings", levels.map((level, i) => level - (levels[i - 1] ?? 0) <= 1), levels.map(() => true));
equal("headings of every section", [levels[0], levels.length], [1, 3]);
const landmarks = all("*").filter((e) => ["main", "region", "navigation", "form", "banner", "complementary"].includes(e.computedRole));
const names = landmarks.map((e) => `${e.computedRole} ${e.computedName}`);
equal("landmarks", names, ["main ", "region Curves over the updates", "region The alignment during the training", "region Translations of the dev set"]);
equal("each of a name of its own", new Set(names).size, names.length);
const words = (element) => element.textContent.replace(/\s+/g, " ").trim();
for (const figure of all("figure"))
  check(`the name of ${words(figure.querySelector("figcaption"))}`, figure.querySelector("svg").computedName.includes(words(figure.querySelector("figcaption"))));
for (const button of all("main button")) check(`button ${words(button)}`, button.computedName.includes(words(button)));
for (const label of all("main label")) check(`label ${words(label)}`, label.control.computedName.startsWith(label.firstChild.textContent.trim()));
equal("all that is operated has a name", all("main :is(button, input, select, svg)").filter((e) => !e.computedName && e.getClientRects().length).length, 0);
finish();
JS
drive names "$scratch/outputs/report.html" "$scratch/names.js"

# ---- the moment on which it opens: without alignments of the best validation, without a best validation ----
opens_on() { # NAME MOMENT
    tide_ok report "$scratch/$1"
    echo "equal('opens on', one('#when').textContent, '$2'); finish();" >"$scratch/opens.js"
    drive "$1" "$scratch/$1/report.html" "$scratch/opens.js"
}
for name in before after unmarked; do
    mkdir "$scratch/$name"
    cp -r "$scratch/run/align" "$scratch/run/train.jsonl" "$scratch/$name"
done
rm "$scratch/before/align/00001500.json"
opens_on before 'update 1000, epoch 10.0, BLEU 16.0'
rm "$scratch"/after/align/0000[01]*
opens_on after 'update 2000, epoch 20.0, BLEU 20.5'
sed -i 's/"best": true/"best": false/' "$scratch/unmarked/train.jsonl"
opens_on unmarked 'update 2000, epoch 20.0, BLEU 20.5'

# ---- other logs: of an older tide, with one report, with no report; a model without attention ----
variant() { # NAME TITLES PROBES
    tide_ok report "$scratch/$1"
    {
        cat "$scratch/shared.js"
        echo "checkLayout(); equal('charts', titles().join(), '$2'); equal('probes', !one('#probes').hidden, $3); finish();"
    } >"$scratch/variant.js"
    drive "$1" "$scratch/$1/report.html" "$scratch/variant.js"
}
mkdir "$scratch/old" "$scratch/one" "$scratch/none"
sed 's/, "\(attention_\|learn_rate\).*/}/' "$scratch/run/train.jsonl" >"$scratch/old/train.jsonl"
cp -r "$scratch/run/align" "$scratch/old"
variant old 'Loss,Perplexity,BLEU,Gradient norm,Speed' true
head -n 1 "$scratch/run/train.jsonl" >"$scratch/one/train.jsonl"
variant one 'Loss,Perplexity,Gradient norm,Learning rate,Speed' false
: >"$scratch/none/train.jsonl"
variant none '' false
smallest_run "$scratch/encdec" --after-batches 12 --attention none
tide_ok report "$scratch/encdec"
echo 'equal("no probes, but translations", [one("#probes").hidden, one("#outputs").hidden], [true, false]); finish();' >"$scratch/hidden.js"
drive encdec "$scratch/encdec/report.html" "$scratch/hidden.js"

# ---- a real training ----
smallest_run "$scratch/small" --after-batches 72 --probe '潮水退了。'
drive training "$scratch/small/report.html" "$scratch/layout.js"

# ---- two trainings: the second has half of the updates, and other translations ----
mkdir "$scratch/second"
cp -r "$scratch/outputs/valid" "$scratch/second"
sed '/"update": 1050,/,$d' "$scratch/outputs/train.jsonl" >"$scratch/second/train.jsonl"
# at first, its dev set had no sentences of the first length
sed -i '/"update": 1000,/!s/"bleu_by_length": \[{[^}]*}, */"bleu_by_length": [/' "$scratch/second/train.jsonl"
[ "$(grep -c '"bleu_by_length": \[{[^]]*},[^]]*},' "$scratch/second/train.jsonl")" = 1 ] || die "the lengths of the second training"
seq -f 'Tide %g!' 45 | sed '2s/.*/x/' >"$scratch/second/valid/00001000.out"
cp "$scratch/outputs/report.html" "$scratch/kept.html"
tide_ok report "$scratch/outputs" "$scratch/second"
[ "$(cat "$scratch/stderr")" = "report: $scratch/outputs/comparison.html" ] || die "tide report of two trainings: $(cat "$scratch/stderr")"
cmp "$scratch/outputs/report.html" "$scratch/kept.html" || die "a comparison replaces the report"
stands_alone "$scratch/outputs/comparison.html"
cat "$scratch/shared.js" - >"$scratch/two.js" <<'JS'
checkLayout();
const cells = (selector) => all(selector).map((row) => [...row.children].map((cell) => cell.textContent));
const picks = () => all("#outputs thead select").map((select) => select.selectedOptions[0].textContent);
equal("title", [document.title, one("h1").textContent], Array(2).fill("The trainings of outputs and second"));
equal("side by side", cells("#comparison tr"), [["", "A: outputs", "B: second"], ["Updates", "2000", "1000"], ["Epochs", "20.0", "10.0"],
  ["Best", "chrF 40.5 (update 1500, epoch 15.0)", "chrF 40.5 (update 1000, epoch 10.0)"]]);
equal("in the place of the summary", [one("#summary").hidden, one("#probes").hidden], [true, true]);
equal("no models", one("#options").textContent, "The options are not compared, because at least one training has no model.safetensors.");
equal("the same dev set", one("#dev-sets").hidden, true);
equal("a legend", all("#legend > span").map((key) => key.textContent), ["A: outputs", "B: second"]);
const dashes = (lines) => lines.map((line) => getComputedStyle(line).strokeDasharray !== "none");
equal("of full and broken lines", dashes(all("#legend line")), [false, true]);
equal("as in the charts", dashes([...chart("Loss").querySelectorAll("polyline")]), [false, true, false, true]);
equal("rings at both", [chart("chrF").querySelectorAll(".ring").length, chart("chrF").textContent.includes("best:")], [2, false]);
equal("the last values of both", readout("Loss"), "A: train 2.00B: train 4.00A: dev 3.00B: dev 4.00");
const svg = chart("Loss").querySelector("svg");
svg.focus();
press("Home");
equal("both at one update", [readout("Loss"), readout("chrF")], ["A: train 5.90B: train 5.90A: dev 4.50B: dev 4.50update 50", "A: dev 40.5B: dev 40.5update 50"]);
equal("bars of the lengths that both have", chart("BLEU by length").querySelectorAll(".bar").length, 6);
press("End");
equal("the longer one alone", [readout("Loss"), svg.getAttribute("aria-valuetext")], ["A: train 2.00A: dev 3.00update 2000", "update 2000: A: train 2.00, A: dev 3.00"]);
press("Escape");
svg.blur();
const bars = chart("BLEU by length");
equal("bars of both", [bars.querySelectorAll(".bar").length, bars.querySelectorAll(".bar.other").length], [6, 3]);
check("said, too", bars.querySelector("svg").ariaLabel.includes("A: update 1500, epoch 15.0 / B: update 1000, epoch 10.0: 1–5: 27.0 / 18.0 of 120 sentences"));

equal("the best of both", picks(), ["A: update 1500, best chrF 40.5", "B: update 1000, best chrF 40.5"]);
equal("all validations can be chosen", all("#outputs thead select")[0].options.length, 6);
equal("their translations", all("#translations tr:first-child ins").map((word) => word.textContent), ["3", "!"]);
one("#sort").value = "gain";
one("#sort").dispatchEvent(new Event("change"));
equal("by gain, the largest loss first", one("#translations td").textContent, "2");
one("#translations button").click();
equal("both over time", all("#translations dt").map((when) => when.textContent.slice(0, 13)), ["A: update 500", "A: update 100", "B: update 500", "B: update 100"]);
const select = all("#outputs thead select")[0];
select.value = 5;
select.dispatchEvent(new Event("change"));
equal("in the address", location.hash, "#sort=gain&updates=B1000+B1000");
finish();
JS
drive two "$scratch/outputs/comparison.html" "$scratch/two.js"
sed 's/^checkLayout();/Object.assign(document.body.style, { width: "352px", margin: 0 }); checkLayout(400);/' "$scratch/two.js" >"$scratch/two-narrow.js"
drive two-narrow "$scratch/outputs/comparison.html" "$scratch/two-narrow.js" size=500,800
cat "$scratch/shared.js" - >"$scratch/two-chinese.js" <<'JS'
checkLayout();
checkChinese("#title, #comparison th, #legend, #translations td", ["BLEU", "chrF", "nat"]);
equal("the best", one("#comparison tbody tr:last-child td").textContent, "chrF 40.5（更新 1500，轮 15.0）");
finish();
JS
drive two-chinese "$scratch/outputs/comparison.html" "$scratch/two-chinese.js" language=zh-CN
compares() { # NAME OTHER EXPRESSION: what it must be
    tide_ok report "$scratch/$1" "$scratch/$2"
    echo "equal('$1 and $2', $3, $4); finish();" >"$scratch/compares.js"
    drive "$1-$2" "$scratch/$1/comparison.html" "$scratch/compares.js"
}
sed -i '45s/.*/x/' "$scratch/second/valid/reference.txt"
compares outputs second '[one("#dev-sets").textContent.slice(0, 37), one("#outputs").hidden, all("figure").length]' \
    '["The trainings have different dev sets", true, 10]'
compares outputs run '[one("#dev-sets").hidden, one("#outputs").hidden]' '[true, true]'
compares small small '[one("#options").textContent, all("#comparison tbody tr").length]' '["Both trainings have the same options.", 3]'
compares small encdec '[all("#comparison tbody + tbody tr").map((row) => row.textContent), one("#options").hidden, one("#outputs").hidden]' \
    '[["--attentionadditivenone"], true, false]'
refused 1 'nowhere/train.jsonl: No such file or directory' report "$scratch/second" "$scratch/nowhere"
[ ! -e "$scratch/second/comparison.html" ] || die "a comparison with nothing"
echo damaged >"$scratch/second/model.safetensors"
cp "$scratch/small/model.safetensors" "$scratch/outputs"
refused 1 'second/model.safetensors: ' report "$scratch/outputs" "$scratch/second"

# ---- printing ----
# a probe of 40 pieces; the window is as wide as a printed page, and not as high
mkdir "$scratch/paper" "$scratch/paper/align"
cp -r "$scratch/outputs/valid" "$scratch/outputs/train.jsonl" "$scratch/paper"
awk 'BEGIN {
    for (i = 1; i <= 40; i++) { comma = i < 40 ? ", " : ""; pieces = pieces "\"▁tide\"" comma; row = row "0.025" comma }
    for (i = 1; i <= 40; i++) matrix = matrix "[" row "]" (i < 40 ? ", " : "")
    printf "{\"update\": 1500, \"alignments\": [{\"source\": [%s], \"target\": [%s], \"matrix\": [%s]}]}\n", pieces, pieces, matrix
}' >"$scratch/paper/align/00001500.json"
tide_ok report "$scratch/paper"
cat "$scratch/shared.js" - >"$scratch/paper.js" <<'JS'
for (const rule of [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]))
  if (rule.media?.mediaText.startsWith("screen")) rule.media.mediaText = "not all";
  else if (rule.media?.mediaText === "print") rule.media.mediaText = "all";
checkLayout();
const style = (element, name) => getComputedStyle(element)[name];
const half = innerHeight / 2;
equal("no page break is forced", all("body *").filter((e) => ["breakBefore", "breakAfter"].some((name) => !["auto", "avoid"].includes(style(e, name)))).length, 0);
equal("a heading stays with what follows", all("h1, h2, #summary, .controls").filter((e) => style(e, "breakAfter") !== "avoid").length, 0);
const blocks = all("figure, #matrix, #translations tr");
equal("no page break splits them", blocks.filter((e) => style(e, "breakInside") !== "avoid").length, 0);
equal("none is higher than half a page", blocks.filter((e) => box(e).height > half).length, 0);
const lines = 2 * parseFloat(style(one("#source"), "lineHeight"));
check("the alignment with its heading, too", box(one("#matrix")).bottom + lines - box(one("#emerges")).top <= half);
const page = 1.3 * innerWidth; // the height of Letter paper inside of its margins; A4 is higher
check("the charts fit on a page", box(one("#curves")).bottom <= page);
check("and fill half of it", box(one("#curves")).bottom >= page / 2);
finish();
JS
drive paper "$scratch/paper/report.html" "$scratch/paper.js" size=740,980

printed "$scratch/run/report.html" 2
printed "$scratch/old/report.html" 1
printed "$scratch/paper/report.html" 3
# on A4 and Letter, upright and across; sentences of one line, then of one to four
keep() { # NAME
    tide_ok report "$scratch/paper"
    mv "$scratch/paper/report.html" "$scratch/paper/$1.html"
}
if has pdftoppm 'measured paper' poppler-utils; then
    keep chinese
    for count in 45 11; do
        cut -f2 corpus/dev.tsv | head -n $count >"$scratch/paper/valid/source.txt"
        cut -f1 corpus/dev.tsv | head -n $count >"$scratch/paper/valid/reference.txt"
        for update in 0500 1000 1500 2000; do cp "$scratch/paper/valid/reference.txt" "$scratch/paper/valid/0000$update.out"; done
        keep lines-$count
    done
    rm "$scratch"/paper/align/*
    keep curves
    paper=$scratch/paper
    python3 tests/e2e/paper.py zh-CN "$paper/chinese.html" 3 3 en "$paper/lines-45.html" 3 4 en "$paper/lines-11.html" 3 4 \
        en "$paper/curves.html" 2 2 || die 'paper'
fi
exit 0
