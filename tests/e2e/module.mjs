// usage: node module.mjs MODEL EXPECTED ALIGNMENT, in a folder where the module `tide` is installed: tests it. EXPECTED and
// ALIGNMENT: see edition.py.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { load } from "tide";

const SENTENCE = "潮水退了，才知道谁没穿裤子。";
const [model, expected, alignment] = process.argv.slice(2);
const [translation] = readFileSync(expected, "utf8").split(" ||| ");
const wanted = JSON.parse(readFileSync(alignment, "utf8"));

const tide = await load(model);
assert.deepEqual([tide.model.source, tide.model.target, tide.model.attention, tide.model.alignment], ["zh", "en", "additive", true]);
const settled = [];
const one = await tide.translate(SENTENCE, { alternatives: 2, candidates: 3, onSettled: (event) => settled.push(event.text) });
assert.equal(one.text, translation);
assert.deepEqual(one.sentences[0].alignment, wanted);
assert.equal(one.sentences[0].alternatives.length, 2);
assert.equal(one.sentences[0].candidates[0].length, 3);
assert.ok(settled.length > 0 && settled.every((text) => translation.startsWith(text)));

// a step: its row of the alignment, and its piece
const { alignment: shown, pieces } = one.sentences[0];
const opened = await tide.explain(SENTENCE, pieces, 2, { top: 3 });
assert.deepEqual([opened.target, opened.next.piece, opened.best.length], [["<s>", ...pieces.slice(0, 2)], pieces[2], 3]);
opened.numbers.attention.alpha[0].forEach((weight, j) => assert.ok(Math.abs(weight - shown.matrix[2][j]) < 1e-4));
await assert.rejects(tide.explain(SENTENCE, pieces, pieces.length), /step is/);

// the tree of the search: its best path is the translation
const tree = await tide.search(SENTENCE, { alternatives: 2, pruned: 1 });
const path = [];
for (let { step, place } = tree.hypotheses[0]; step >= 0; place = tree.steps[step--][place].parent)
  path.unshift(tree.steps[step][place].piece);
assert.deepEqual(path, pieces);
assert.ok(tree.steps.every((step) => step.filter(({ kept }) => !kept).length <= 1));
await assert.rejects(tide.search(""), /one sentence/);

// calls at the same time; a model given as bytes; lines stay
const other = await load(readFileSync(join(model, "model.safetensors")));
const both = await Promise.all([tide.translate(`${SENTENCE}\n\n${SENTENCE}`), tide.translate(SENTENCE), other.translate(SENTENCE)]);
assert.deepEqual(both.map(({ text }) => text), [`${translation}\n\n${translation}`, translation, translation]);
assert.equal((await tide.translate("")).text, "");

// failures: one line, and the next call works
await assert.rejects(tide.translate("潮水退了。".repeat(300)), /exceeds text limit/);
await assert.rejects(tide.translate(SENTENCE, { candidates: 1000 }), /candidates/);
const stop = new AbortController();
const stopped = tide.translate(SENTENCE.repeat(200), { signal: stop.signal, onSettled: () => stop.abort() });
await assert.rejects(stopped, { name: "AbortError" });
assert.equal((await tide.translate(SENTENCE)).text, translation);
await assert.rejects(load(new Uint8Array(100)), (problem) => !problem.message.includes("\n") && problem.message.length > 10);
await assert.rejects(load("/no/such/model"), /no such file/);
console.log("module: ok");
