// The worker of the edition without a server. It runs after unpack.js and after the program that emscripten makes, which
// defines makeTide.
//
// Messages to it:   { engine, model, name }  once, first: the WebAssembly module and the model, both packed by gzip and written
//                                            in base64, and the name of the model
//                   { id, path, body }       a request: the path of an endpoint that takes POST, and the body
//                   { cancel: id }
// Messages from it: { unpacked }             from 0 to 1
//                   { models }               the model is loaded: what GET /v1/models answers
//                   { broken: reason }       it cannot be loaded
//                   { id, status, answer }   a part of an answer
//                   { stopped: true }        the program failed and cannot be used any more
let tide = null;
let current = 0; // the request that is being answered; 0: none
let models = null; // receives the answer about models
const requests = []; // that wait

/** Loads the program and the model. Resolves to the models. */
async function open({ engine, model, name }) {
  let shown = -1;
  const report = (share) => {
    if (share - shown < 0.01 && share < 1) return;
    shown = share;
    postMessage({ unpacked: share });
  };
  const program = unpack(fromBase64(engine), () => {}).then((wasmBinary) => makeTide({ wasmBinary, deliver }));
  let bytes;
  [tide, bytes] = await Promise.all([program, unpack(fromBase64(model), report)]);
  const path = `/${name}`;
  tide.FS.writeFile(path, bytes);
  const problem = tide.ccall("browser_open", "string", ["string"], [path]);
  tide.FS.unlink(path);
  if (problem) throw new Error(problem);
  let list;
  models = (answer) => (list = JSON.parse(answer));
  tide.ccall("browser_models", null, [], []);
  models = null;
  return list;
}

/** The program calls this with each part of an answer. */
function deliver(status, answer) {
  if (models) models(answer);
  else postMessage({ id: current, status, answer });
}

/** Lets messages in that came while the worker was busy. */
const turn = () => new Promise((resolve) => setTimeout(resolve, 0));

async function answerAll() {
  while (requests.length) {
    const { id, path, body } = requests.shift();
    current = id;
    let left = tide.ccall("browser_begin", "number", ["string", "string"], [path, body]);
    for (; left && current === id; await turn())
      left = tide.ccall("browser_continue", "number", [], []);
    tide.ccall("browser_cancel", null, [], []);
    current = 0;
  }
}

let begun = Promise.resolve(); // the answers so far

self.onmessage = ({ data }) => {
  if (data.engine !== undefined)
    return open(data).then(
      (list) => postMessage({ models: list }),
      (problem) => postMessage({ broken: problem.message }),
    );
  if (data.cancel !== undefined) {
    const place = requests.findIndex(({ id }) => id === data.cancel);
    if (place >= 0) requests.splice(place, 1);
    if (current === data.cancel) current = -1;
    return;
  }
  requests.push(data);
  begun = begun.then(answerAll).catch(() => postMessage({ stopped: true }));
};
