// Corrections of translations: the editor below a sentence, what a reader must know of them, and similar sentences.

/** What turns `before` into `after`, for append: the words of both as text, the others in <del> and <ins>. */
function changesOf(before, after) {
  const [a, b] = [before, after].map(wordsOf);
  let i = 0, j = 0;
  function mark(tag, words) {
    const run = words.join("");
    return run ? [/^\s/.test(run) ? " " : "", make(tag, {}, run.trim())] : [];
  }
  return [...commonWords(a, b), [a.length, b.length]].flatMap(([nextI, nextJ]) => {
    const marked = [...mark("del", a.slice(i, nextI)), ...mark("ins", b.slice(j, nextJ))];
    [i, j] = [nextI + 1, nextJ + 1];
    return [...marked, b[nextJ] ?? ""];
  });
}

/** Whether the translation of a slot came from the memory, not from a search. */
const isRemembered = (slot) => slot?.result?.correction !== undefined;

/** Whether the translation of a slot is not from a search: it was remembered, or it is the sentence itself. */
const isGiven = (slot) => isRemembered(slot) || Boolean(slot?.result?.copied);

/** What a reader must know of a translation; "": nothing. */
function remarkOf({ result, pieces, unknown }) {
  if (!result) return "";
  if (result.correction !== undefined) return originOf(result.correction);
  if (result.copied) return text.unknown.copied;
  if (!unknown.length) return "";
  return unknown.length < pieces.length - 1 ? text.unknown.some : text.unknown.all;
}

/** Where a remembered translation is from. correction: its number, or 0. */
const originOf = (correction) => (correction ? text.correct.own : text.correct.others);

/**
 * Makes what stands below a sentence: a remark about its translation, and the editor of a correction. The slot keeps
 * what is written there as its `draft`, so that the text outlives the editor.
 *
 * on  {corrects(), open(), save(written), anew()}: whether corrections are kept; is told that the editor opens; keeps a
 *     correction: resolves when it is kept, rejects with a TranslatorError; translates the sentence without the memory
 *
 * Returns {element, draw, open}:
 *   draw(slot, model)  shows a slot
 *   open()             opens the editor and moves the focus there, if corrections are kept
 */
function makeNote(on) {
  const { open: title, help, field: label, save: saves, cancel: cancels, anew: again, anewHelp } = text.correct;
  const button = (name, attributes = {}) => make("button", { type: "button", ...attributes }, name);
  const mark = make("span", {}), sure = explain(make("span", { class: "sure" }), "confidence"), anew = button(again, { title: anewHelp });
  const correct = button(title, { title: help, "aria-keyshortcuts": "f" });
  const bar = make("div", { class: "controls" }, mark, sure, anew, correct);
  const field = make("textarea", { rows: 1, "aria-label": label });
  const save = button(saves, { "aria-keyshortcuts": "Control+Enter" });
  const cancel = button(cancels, { "aria-keyshortcuts": "Escape" });
  save.append(" ", make("kbd", {}, "Ctrl+Enter"));
  const problem = make("p", { class: "problem", role: "alert" });
  const editor = make("div", { hidden: "" }, field, problem, make("div", { class: "controls" }, save, cancel));
  const element = make("div", { class: "note" }, bar, editor);
  let slot = null, isComposing = false, isSaving = false;

  function show() {
    const remark = remarkOf(slot), isOpen = typeof slot.draft === "string";
    mark.textContent = remark;
    mark.hidden = !remark;
    const confidence = slot.result?.confidence;
    sure.textContent = confidence === undefined ? "" : text.confidence(Math.round(100 * confidence));
    sure.hidden = confidence === undefined;
    anew.hidden = !isRemembered(slot);
    correct.hidden = !on.corrects() || isOpen;
    bar.hidden = !slot.result || [mark, sure, correct].every((part) => part.hidden);
    editor.hidden = !isOpen;
    if (isOpen && field.value !== slot.draft) field.value = slot.draft;
  }

  function open() {
    if (!on.corrects() || !slot.result) return;
    if (editor.hidden) slot.draft = slot.result.translatedText;
    problem.replaceChildren();
    show();
    on.open();
    grow(field);
    field.focus();
  }

  function close() {
    slot.draft = null;
    show();
    correct.focus();
  }

  async function keep() {
    if (isComposing || isSaving || editor.hidden) return;
    isSaving = true;
    problem.replaceChildren();
    try {
      await on.save(slot.draft);
    } catch (failure) {
      problem.replaceChildren(...failureLine(failure));
      field.focus();
      if (failure.seconds) setTimeout(keep, 1000 * failure.seconds);
    } finally {
      isSaving = false;
    }
  }

  /** Ctrl+Enter saves, Esc cancels. An input method gets its keys: Enter takes what it offers, Esc leaves it. */
  function press(event) {
    const act = event.key === "Escape" ? close : event.key === "Enter" && (event.ctrlKey || event.metaKey) ? keep : null;
    if (!act || isComposing || event.isComposing) return;
    event.preventDefault();
    act();
  }

  for (const kind of ["compositionstart", "compositionend"])
    field.addEventListener(kind, () => (isComposing = kind === "compositionstart"));
  field.addEventListener("input", () => {
    slot.draft = field.value;
    grow(field);
  });
  editor.addEventListener("keydown", press);
  correct.addEventListener("click", open);
  anew.addEventListener("click", on.anew);
  save.addEventListener("click", keep);
  cancel.addEventListener("click", close);

  return {
    element,
    draw(next, model) {
      slot = next;
      field.lang = model.target;
      show();
    },
    open,
  };
}

/**
 * Makes the list of remembered sentences that are similar to the chosen one.
 *
 * isTyping  whether the user is writing: then it asks nothing
 *
 * Returns {element, draw, stop, forget}:
 *   draw(slot, model)  shows what is similar to a slot, when the translator has found it; null: nothing
 *   stop()             ends the request, if it is awaited
 *   forget()           hides the list, and asks again the next time
 */
function makeSimilar(isTyping) {
  const PAUSE = 300; // milliseconds between the translation and the request
  const list = make("ol", {});
  const heading = make("h3", { title: text.correct.similarHelp }, text.correct.similar);
  const element = make("section", { class: "similar", hidden: "", "aria-label": text.correct.similar }, heading, list);
  let asked = ""; // the request of the list that is shown or awaited
  let asking = null, timer = null; // its AbortController; what begins it

  function forget() {
    clearTimeout(timer);
    asking?.abort();
    asked = "";
    element.hidden = true;
  }

  function row({ source, target, similarity, correction }, slot, model) {
    const about = `${text.correct.similarity(percent(similarity))} · ${originOf(correction)}`;
    const compared = make("p", { lang: model.source }, ...changesOf(slot.text, source));
    return make("li", {}, compared, make("p", { lang: model.target }, target), make("small", {}, about));
  }

  async function ask(slot, model) {
    if (isTyping()) return forget(); // the next translation asks
    asking = new AbortController();
    const { signal } = asking;
    const found = await translator.similar({ text: slot.text, model }, signal).catch(() => []); // no list, no harm
    if (signal.aborted) return;
    const rows = found.filter(({ similarity }) => similarity < 1).map((one) => row(one, slot, model));
    list.replaceChildren(...rows);
    element.hidden = !rows.length;
  }

  return {
    element,
    draw(slot, model) {
      const wanted = slot ? JSON.stringify([slot.text, model.name]) : "";
      if (asked === wanted) return;
      forget();
      asked = wanted;
      if (slot) timer = setTimeout(ask, PAUSE, slot, model);
    },
    stop: () => element.hidden && forget(),
    forget,
  };
}
