// usage: node tests/e2e/classroom.mjs ENGINE DIR
// Trains with the program of the classroom's worker, ENGINE.js, on DIR/pairs.tsv, DIR/dev.tsv, DIR/links with DIR/options.
// Prints the number of updates, the hash at the end, what it said about the data, and the answers to wrong pairs.
import { createRequire } from "node:module";
import fs from "node:fs";

const [engine, dir] = process.argv.slice(2);
const said = [];
const makeTide = createRequire(import.meta.url)(fs.realpathSync(`${engine}.js`));
const tide = await makeTide({
  wasmBinary: fs.readFileSync(`${engine}.wasm`),
  deliver: () => {},
  learned: (line) => said.push(JSON.parse(line)),
});
for (const name of ["pairs.tsv", "dev.tsv", "links"]) tide.FS.writeFile(`/${name}`, fs.readFileSync(`${dir}/${name}`));
const options = fs.readFileSync(`${dir}/options`, "utf8");
const texts = (n) => Array(n).fill("string");
const begin = (...given) => tide.ccall("classroom_begin", "string", texts(4), given);
const call = (name, kind = "number") => tide.ccall(`classroom_${name}`, kind, [], []);
const print = (...what) => console.log(...what);

tide.FS.writeFile("/wrong.tsv", "I am tired.\t我累了。\nno tab in this line\n");
print("wrong pairs:", begin("/wrong.tsv", "", "", options));
print("no pairs:", begin("/nothing.tsv", "", "", options));
print("wrong option:", begin("/pairs.tsv", "", "", "dim-emb = many\n"));
print("no training:", call("step"), JSON.stringify(call("hash", "string")));

for (const round of ["first", "second"]) { // the second begins anew
  said.length = 0;
  const problem = begin("/pairs.tsv", "/dev.tsv", "/links", options);
  if (problem) throw new Error(problem);
  let updates = 0;
  for (let step; (step = call("step")) !== 0; updates = step) {
    if (step < 0 || (round === "second" && step === 20 && call("measure"))) throw new Error(call("reason", "string"));
  }
  const losses = said.filter(({ update }) => update).map(({ loss }) => loss);
  if (call("measure")) throw new Error(call("reason", "string"));
  const { measured, bleu_by_length: lengths } = said.at(-1), { changes } = said.findLast(({ update }) => update);
  print(`${round}: ${updates} updates, ${losses.length} losses, falling: ${losses.at(-1) < losses[0]}`);
  print(`${round}: measured at ${measured}, ${lengths.reduce((n, { sentences }) => n + sentences, 0)} sentences`);
  const shares = Object.values(changes);
  print(`${round}: ${"attention.va" in changes}, ${shares.every((share) => share >= 0 && share < 1)}, ${shares.some(Boolean)}`);
  print(`${round}: hash ${call("hash", "string")}`);
}
if (tide.ccall("classroom_save", "number", ["string"], ["/now.safetensors"])) throw new Error(call("reason", "string"));
fs.writeFileSync(`${dir}/saved.safetensors`, tide.FS.readFile("/now.safetensors"));
const opened = tide.ccall("browser_open", "string", ["string"], ["/now.safetensors"]);
print("opened:", JSON.stringify(opened));
