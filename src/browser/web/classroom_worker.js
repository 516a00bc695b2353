// The worker of the classroom: one training. It runs after unpack.js and the program that emscripten makes, which defines
// makeTide.
//
// Messages to it:   { engine, files, options, aligns }  once, first: the WebAssembly module, packed; texts by their paths
//                                            ("pairs.tsv", "dev.tsv", "links"); lines of a preset; whether it has an attention
//                   { run: true }            trains, update by update, until { run: false } or to the end
//                   { step: true }           makes one update, and translates the sentence
//                   { pace }                 milliseconds to wait after each update
//                   { text }                 the sentence to translate, now and while it trains
//                   { id, path, body }       a request about the weights as they are: the path of an endpoint, and the body
// Messages from it: what classroom.h describes
//                   { began: true }
//                   { look: update, text, answer }  the stream of events of a translation of the sentence
//                   { id, status, answer }   the whole answer to a request
//                   { ended: hash }          the training has ended
//                   { problem: reason }      it cannot begin or go on; "": for want of memory
const NOW = "/now/model.safetensors";
let tide = null, aligns = true;
let answers = null; // receives {status, answer}, the parts of the answer that is being computed
let sentence = "", running = false, ended = false, pace = 0, update = 0;

const call = (name, kind = "number", types = [], given = []) => tide.ccall(name, kind, types, given);
const strings = (n) => Array(n).fill("string");

/** The updates after which the sentence is translated: often in the beginning, when much changes. */
const isLook = (n) => n % (n < 100 ? 5 : n < 300 ? 10 : 25) === 0;
const MEASURED = 105; // updates between two measures of the development set: three epochs

/** Opens the weights as they are as a model. */
function openNow() {
  if (call("classroom_save", "number", strings(1), [NOW])) throw new Error(call("classroom_reason", "string"));
  const problem = call("browser_open", "string", strings(1), [NOW]);
  if (problem) throw new Error(problem);
}

/** Answers a request about the weights as they are: {status, answer}. */
function answer(path, body) {
  const parts = [];
  answers = (part) => parts.push(part);
  openNow();
  for (let left = call("browser_begin", "number", strings(2), [path, body]); left; ) left = call("browser_continue");
  call("browser_cancel", null);
  answers = null;
  return { status: Math.max(...parts.map(({ status }) => status)), answer: parts.map((part) => part.answer).join("") };
}

function look() {
  if (!sentence) return;
  const fields = { q: sentence, source: "zh", target: "en", candidates: 1, ...(aligns && { alignment: "piece" }) };
  const { status, answer: events } = answer("/v1/stream", JSON.stringify(fields));
  if (status === 200) postMessage({ look: update, text: sentence, answer: events });
}

/** Makes one update and what is due after it. Returns whether the training goes on. */
function advance() {
  const made = call("classroom_step");
  if (made < 0) throw new Error(call("classroom_reason", "string"));
  if (made > 0) {
    update = made;
    if (isLook(made)) look();
    if (made % MEASURED === 0) call("classroom_measure");
    return true;
  }
  ended = true;
  look();
  postMessage({ ended: call("classroom_hash", "string") });
  return false;
}

/** Lets messages in. */
const channel = new MessageChannel();
const turn = () =>
  new Promise((resolve) => {
    if (pace) return setTimeout(resolve, pace);
    channel.port1.onmessage = resolve;
    channel.port2.postMessage(null);
  });

async function train() {
  if (running) return;
  running = true;
  while (running && advance()) await turn();
  running = false;
}

async function begin({ engine, files, options, aligns: given }) {
  aligns = given;
  const wasmBinary = await unpack(fromBase64(engine), () => {});
  tide = await makeTide({
    wasmBinary,
    deliver: (status, part) => answers?.({ status, answer: part }),
    learned: (line) => postMessage(JSON.parse(line)),
  });
  tide.FS.mkdir("/now");
  for (const [name, content] of Object.entries(files)) tide.FS.writeFile(`/${name}`, content);
  const paths = ["pairs.tsv", "dev.tsv", "links"].map((name) => (name in files ? `/${name}` : ""));
  const problem = call("classroom_begin", "string", strings(4), [...paths, options]);
  if (problem) throw new Error(problem);
  postMessage({ began: true });
  look();
}

/** Does what a message says, one after the other; a failure ends the worker's work. */
let done = Promise.resolve();
function act(data) {
  if (data.engine !== undefined) return begin(data);
  if (data.pace !== undefined) pace = data.pace;
  if (data.run === true && !ended) train().catch(fail);
  if (data.step && !ended && advance()) look();
  if (data.text !== undefined) {
    sentence = data.text;
    look();
  }
  if (data.id !== undefined) postMessage({ id: data.id, ...answer(data.path, data.body) });
}

function fail(problem) {
  running = false;
  ended = true;
  const isAbort = problem instanceof WebAssembly.RuntimeError || problem.name === "ExitStatus"; // memory was refused
  postMessage({ problem: isAbort ? "" : problem.message ?? String(problem) });
}

self.onmessage = ({ data }) => {
  if (data.run === false) running = false;
  done = done.then(() => act(data)).catch(fail);
};
