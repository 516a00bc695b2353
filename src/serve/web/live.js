// The live page: the text, the models and the address of the page. panel.js shows what a model makes of the text.
const DEBOUNCE = 200; // milliseconds from the last key to the request

let models = [];
let hasPinyin = false; // whether the translator knows how Chinese is read
let keeps = {}; // {corrections, memory} of the translator's settings
let question = ""; // of a teacher; the alignment appears after the answer
let composing = false; // an input method has text that is not final
let pending = null; // the timer of the next translation
let opening = ""; // the example that the page has opened on; "" if the text is the user's
let untouched = false; // whether the user has done nothing since then

const announce = (said) => ($("announced").textContent = said);
const leave = () => (projected ? flip("projector") : $("text").focus());

/** The switches, by the id of their button: their key in the matrix; whether each is on, and then its field in the address and
 * the value there; show() shows its state, besides the button and the panels. */
const switches = {
  level: { key: "w", isOn: false, field: "level", value: "word", show: showLevel },
  scale: { key: "r", isOn: false, field: "scale", value: "row" },
  likely: { key: "p", isOn: false, field: "probabilities", value: "shown" },
  curves: { key: "c", isOn: false, field: "curves", value: "shown" },
  pinyin: { key: "y", isOn: false, field: "pinyin", value: "shown" },
  projector: { isOn: false, field: "mode", value: "projector", show: showProjector },
};
const isOn = (id) => switches[id].isOn;

/** A function that turns the switch of a key; undefined: the page shows none. */
function switchOf(key) {
  const [found] = Object.entries(switches).find(([id, one]) => one.key === key && !$(id).hidden) ?? [];
  return found && (() => flip(found));
}

const shows = {
  byWord: () => isOn("level"),
  byRow: () => isOn("scale"),
  likelihood: () => isOn("likely"),
  curved: () => isOn("curves"),
  spelled: () => isOn("pinyin") && !$("pinyin").hidden,
  asks: () => Boolean(question),
  corrects: () => Boolean(keeps.corrections),
  remembers: () => Boolean(keeps.memory),
  isTyping: () => pending !== null || composing,
};
const common = { ...shows, switchOf, announce, leave, changed, remember, corrected };
const panels = [0, 1].map((k) => makePanel({ ...common, beside: () => besides(k) }));

// ---- models ----

const modelNamed = (name) => models.find((model) => model.name === name);
const ledger = makeLedger({ corrected, replaced, modelNamed });
const direction = ({ source, target }) => [source, target].map(languageName).join(" → ");
const languageName = (code) => new Intl.DisplayNames(language, { type: "language" }).of(code);

/** The models that can stand beside a model: those that read the same language. */
const companions = (model) => models.filter((other) => other !== model && other.source === model.source);

/** A model that translates what a model writes into what it reads; undefined: there is none. */
const opposite = ({ source, target }) => models.find((other) => other.source === target && other.target === source);

const shownPanels = () => panels.filter(({ element }) => !element.hidden);

/** The model beside that of panel k, if it is the first of two; else undefined. */
const besides = (k) => (k ? undefined : modelNamed($("beside").value));

/** The choices of a menu of models, for fillSelect. */
const choicesOf = (some) => some.map((model) => [model.name, `${model.name} · ${direction(model)}`]);

/** Shows the model, and beside it the model `beside` if it can stand there. */
function chooseModels(name, beside) {
  const model = modelNamed(name) ?? models[0], others = companions(model);
  const second = others.find((other) => other.name === beside);
  $("model").value = model.name;
  fillSelect($("beside"), [["", text.alone], ...choicesOf(others)]);
  $("beside").value = second?.name ?? "";
  $("beside").parentNode.hidden = !others.length;
  $("exchange").hidden = !opposite(model);
  $("text").lang = model.source;
  panels[0].show(model);
  if (second) panels[1].show(second);
  else panels[1].stop();
  panels[1].element.hidden = !second;
  $("panels").classList.toggle("two", Boolean(second));
  for (const { element } of panels) element.querySelector("h2").classList.toggle("unseen", !second);
  showLevel();
  $("training").hidden = !model.training;
  if (model.training) $("training").href = model.training;
  showAbout([model, second].filter(Boolean));
  drawExamples(model);
}

/** Shows what the chosen models say about themselves. The title of the first is the title of the page. */
function showAbout(chosen) {
  document.title = chosen[0].title ?? "tide";
  const lines = chosen.map(({ title, corpora, licence }) => [title, corpora, licence].filter(Boolean).join(" · "));
  $("about").replaceChildren(...lines.filter(Boolean).map((line) => make("p", {}, line)));
  $("about").hidden = !$("about").childElementCount;
}

function drawExamples(model) {
  const sentences = [model, ...models.filter(({ source }) => source !== model.source)].flatMap((one) =>
    (examples[one.source.slice(0, 2)] ?? []).slice(0, one === model ? undefined : 1).map((sentence) => ({ sentence, one })),
  );
  const known = new Map(sentences.map((entry) => [entry.sentence, entry])); // two models may read the same language
  const buttons = [...known.values()].map(({ sentence, one }) => {
    const button = make("button", { type: "button", lang: one.source }, sentence);
    button.addEventListener("click", () => {
      if (one.source !== modelNamed($("model").value).source) chooseModels(one.name, "");
      $("text").value = sentence;
      translate();
    });
    return button;
  });
  $("examples").replaceChildren(...buttons);
  $("examples").hidden = !buttons.length;
}

// ---- translation ----

/** Translates the text. choices: for each panel, those of an address. */
function translate(choices = []) {
  clearTimeout(pending);
  pending = null;
  grow($("text"));
  if ($("text").value !== opening) opening = "";
  panels.forEach((panel, k) => {
    if (!panel.element.hidden) panel.run($("text").value, choices[k], opening !== "" && !k && !question);
  });
  if (!$("text").value.trim()) announce("");
  if (!choices.length) remember();
}

function schedule() {
  clearTimeout(pending);
  pending = setTimeout(() => translate(), DEBOUNCE);
}

/** Translates the translation back, when it is complete. */
function exchange() {
  const given = $("text").value, written = given.trim() ? panels[0].translation(given) : "";
  if (written === null) return;
  chooseModels(opposite(modelNamed($("model").value)).name, "");
  $("text").value = written;
  if (!written) open();
  translate();
  $("text").focus();
}

const lacksKey = () => !$("key").parentNode.hidden && !$("key").value;

/** Opens the page on an example. Its text is selected, so that what is typed takes its place. */
function open() {
  opening = examples[modelNamed($("model").value).source.slice(0, 2)]?.[0] ?? "";
  $("text").value = opening;
  $("text").select();
}

/** Gives a field the height of its text. */
function grow(field) {
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

/** What is remembered of a sentence has changed. */
function corrected(sentence) {
  for (const panel of shownPanels()) panel.renew(sentence);
  ledger.changed();
}

/** Another generation of a model is served. */
function replaced() {
  for (const panel of shownPanels()) panel.again();
}

/** Marks the differences of the two models. */
function changed() {
  const two = !panels[1].element.hidden;
  panels[0].mark(two ? panels[1] : null);
  if (two) panels[1].mark(panels[0]);
}

// ---- switches ----

function turn(id, on) {
  switches[id].isOn = on;
  $(id).setAttribute("aria-pressed", on);
  switches[id].show?.();
}

function flip(id) {
  turn(id, !isOn(id));
  remember();
  for (const panel of shownPanels()) panel.redraw();
}

/** Says that Chinese words are characters, and offers pinyin, if the page shows Chinese. */
function showLevel() {
  const { source = "", target = "" } = modelNamed($("model").value) ?? {};
  const isChinese = [source, target].some((code) => code.startsWith("zh"));
  $("characters").hidden = !isOn("level") || !isChinese;
  $("pinyin").hidden = !hasPinyin || !isChinese;
}

/** Shows the page to an audience, or no longer. */
function showProjector() {
  projected = isOn("projector");
  document.body.classList.toggle("projected", projected);
}

/** Shows a question above the translation: at most 200 characters. */
function ask(asked) {
  question = [...asked].slice(0, 200).join("").trim();
  $("asked").textContent = question;
  $("asked").hidden = !question;
  for (const panel of panels) panel.hide();
}

// ---- the address ----

/** Writes the state of the page to its address, so that a link to the page contains the text and the user's choices: layer,
 * head, forced words, view, open step, open tree and lit piece of each panel; those of the second one end in 2. An example that
 * the user has not touched is not a choice. */
function remember() {
  if (untouched) return;
  const state = new URLSearchParams();
  const fields = { text: $("text").value, model: models.length > 1 ? $("model").value : "", beside: $("beside").value };
  for (const [name, value] of Object.entries(fields)) if (value) state.set(name, value);
  for (const [id, { field, value }] of Object.entries(switches)) if (isOn(id)) state.set(field, value);
  if (question) state.set("ask", question);
  panels.forEach((panel, k) => {
    if (panel.element.hidden) return;
    for (const [name, value] of Object.entries(panel.choices())) if (value) state.set(`${name}${k ? 2 : ""}`, value);
  });
  history.replaceState(null, "", `#${state}`);
}

/** Reads the state of the page from its address. typed: the text of the user, which takes the place of that of the address. */
function recall(typed = "") {
  const state = new URLSearchParams(location.hash.slice(1));
  if (!typed) $("text").value = state.get("text") ?? "";
  for (const [id, { field, value }] of Object.entries(switches)) turn(id, state.get(field) === value);
  $("question").value = state.get("ask") ?? "";
  $("teachers").open = Boolean($("question").value);
  ask($("question").value);
  chooseModels(state.get("model"), state.get("beside"));
  untouched = !$("text").value && !composing;
  if (untouched && !lacksKey()) open();
  const names = ["layer", "head", "forced", "view", "step", "tree", "piece"];
  const chosen = (suffix) => names.map((name) => [name, state.get(name + suffix) ?? ""]);
  translate(typed ? [] : ["", "2"].map((suffix) => Object.fromEntries(chosen(suffix))));
}

async function copyLink() {
  remember();
  sayBriefly($("linked"), (await copyText(location.href)) ? text.copied : text.notCopied);
}

// ---- the page ----

/** Listens to input methods, also before the models are known. */
function listenToComposition() {
  $("text").addEventListener("compositionstart", () => {
    composing = true;
    clearTimeout(pending);
  });
  $("text").addEventListener("compositionend", () => {
    composing = false;
    if (models.length) schedule();
  });
}

function listen() {
  for (const kind of ["input", "change", "click", "keydown"])
    document.addEventListener(kind, ({ target }) => {
      if (untouched && kind === "click" && target === $("text")) setTimeout(() => target.select()); // after the browser's own
      untouched = false;
    }, true);
  $("text").addEventListener("input", () => {
    grow($("text"));
    if (!composing) schedule();
  });
  for (const id of ["model", "beside"])
    $(id).addEventListener("change", () => {
      chooseModels($("model").value, $("beside").value);
      if (opening) open();
      translate();
    });
  $("exchange").addEventListener("click", exchange);
  for (const id of Object.keys(switches)) $(id).addEventListener("click", () => flip(id));
  $("question").addEventListener("input", () => {
    ask($("question").value);
    remember();
  });
  $("link").addEventListener("click", copyLink);
  $("help").addEventListener("click", () => $("keys").showModal());
  $("key").addEventListener("change", () => {
    translator.setKey($("key").value);
    if (!$("text").value && !lacksKey()) open();
    translate();
    ledger.changed();
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && projected && !event.defaultPrevented) flip("projector");
  });
  addEventListener("hashchange", () => recall());
}

/** Shows what the page has for a translator that keeps corrections. */
function offerCorrections() {
  $("panels").after(ledger.element);
  addKey(...text.correct.key);
}

async function begin() {
  const answers = Promise.allSettled([translator.models(), translator.settings()]); // before the page is laid out
  fillTexts();
  $("panels").append(...panels.map(({ element }) => element));
  $("text").focus();
  listenToComposition();
  try {
    const [given, settings] = await answers;
    if (given.reason ?? settings.reason) throw given.reason ?? settings.reason;
    models = given.value;
    if (!models.length) throw new TranslatorError("noModels");
    const { keyRequired = false, pinyin = false, corrections = false, memory = false } = settings.value;
    $("key").parentNode.hidden = !keyRequired;
    hasPinyin = pinyin;
    keeps = { corrections, memory };
    if (corrections) offerCorrections();
  } catch (problem) {
    $("problem").replaceChildren(...failureLine(problem));
    return;
  }
  fillSelect($("model"), choicesOf(models));
  listen();
  for (const id of ["projector", "link", "help", "settings", "panels"]) $(id).hidden = false; // useless before the models are known
  recall($("text").value);
}

begin();
