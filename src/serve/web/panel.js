// The translation of the text by one model, with its alignment, its hypotheses and the user's choices.

const ALTERNATIVES = 4, CANDIDATES = 8;

/** The hypotheses that a search answers besides the best one. */
const alternativesOf = (model) => Math.min(ALTERNATIVES, model.alternatives ?? ALTERNATIVES);

/**
 * Makes a panel.
 *
 * page  {byWord(), byRow(), likelihood(), curved(), spelled(), switchOf(key), asks(), beside(), announce(text), leave(),
 *       changed(), remember(), corrects(), remembers(), isTyping(), corrected(sentence)}: the level and the scale that are
 *       shown, and whether probabilities, curves and pinyin are; a function that turns the switch of this key; whether there
 *       is a question, whose answer shows the alignment; the model that this one is compared with, or undefined; says a text
 *       to screen readers; moves the focus to the input; is told that the shown translations have changed, and that the user
 *       has made a choice; whether corrections are kept, whether translations are remembered, and whether the user is
 *       writing; is told that a correction of a sentence was kept
 *
 * Returns {element, show, run, again, renew, choices, redraw, hide, translation, words, mark, stop}:
 *   show(model)   chooses the model
 *   run(text, choices, teaches)  translates a text, with choices that `choices` returned; stops the work on the text before.
 *                 teaches: whether it is an example, at which the page explains what is seen
 *   again()       translates the text again, with the user's choices
 *   renew(sentence)  translates a sentence of the text again, after what is remembered of it has changed
 *   choices()     the user's choices as text: {layer, head, forced, view, step, tree, piece}, each "" if there is none
 *   redraw()      draws again, after a change of level
 *   hide()        hides the alignment until a question is answered
 *   translation(text)  the translation of the text, as one text; null: it is not complete
 *   words(i)      the words of the translation of sentence i; null while it is searched
 *   mark(other)   marks the words that differ from those of another panel; null: no other
 *   stop()        stops its work
 */
function makePanel(page) {
  const parts = panelMarkup();
  let model = null, written = ""; // the text that is translated
  let answered = ""; // the text of the sentences that are shown
  let whole = ""; // its translation, without choices
  let slots = [], pairs = [], notes = []; // for each sentence a Slot, its pair and what stands below it
  let chosen = 0; // index of the sentence whose hypotheses are shown
  let viewed = 0; // index of the sentence whose matrix is shown: the one the mouse points at, or the chosen one
  let lit = 0; // index of the sentence with highlights
  let pinned = [null, null]; // row and column that have the focus
  let hasPinned = false; // whether the user has chosen a row of this translation: a step is that of the last one
  let answers = false; // whether the user has answered the question
  let picked = ""; // the source text of the answer to a question about a word
  let teaches = false; // whether the text is an example, and the user has not chosen anything
  let aim = 0; // the piece, from 1, of the first translation that the address points at, until the user chooses something
  let matrix = null, shown = null; // of the viewed sentence
  let resting = -1; // the row of `shown` that is lit while the user points at nothing; -1: none
  let searches = [], taking = null, finding = null; // AbortControllers: all; that of a choice; that of the small multiples
  let frame = null;
  const matrixOptions = { onPoint: pointMatrix };
  const views = { viewHead, viewHypothesis: viewAlone, point: pointMatrix };
  const gallery = makeGallery({ find, align, endFinding: () => finding?.abort(), ...views });
  const curves = makeCurves(pointMatrix);
  const step = makeStep({ persist, moved, changed: page.remember });
  const tree = makeTree({ persist, changed: page.remember, take: (pieces) => take(chosen, pieces) });
  const similar = makeSimilar(page.isTyping);
  parts.element.append(step.element, tree.element);
  parts.bar.prepend(gallery.menu);
  parts.frame.prepend(gallery.element, curves.element);

  // ---- drawing ----

  function draw() {
    const at = (act, i) => (...place) => act(i, ...place);
    pairs = slots.map((_, i) => makePair({ point: at(pointLine, i), choose: at(offer, i), answer: at(answer, i), spelled: page.spelled }));
    const { corrects } = page;
    notes = slots.map((_, i) => makeNote({ corrects, open: at(choose, i), save: at(save, i), anew: at(translateAnew, i) }));
    parts.pairs.replaceChildren(...pairs.map(({ element }) => element));
    pairs.forEach(({ element }, i) => element.append(notes[i].element));
    parts.pairs.classList.toggle("many", slots.length > 1);
    parts.pairs.classList.toggle("likely", page.likelihood());
    pinned = [null, null];
    hasPinned = false;
    viewed = chosen;
    slots.forEach((_, i) => drawPair(i));
    page.changed();
    drawChosen();
  }

  function drawPair(i) {
    pairs[i].draw(slots[i], shownOf(slots[i], page.byWord()), model);
    notes[i].draw(slots[i], model);
  }

  /** Draws what belongs to the chosen sentence, and the matrix of the viewed one. */
  function drawChosen() {
    const slot = slots[chosen];
    pairs.forEach(({ element }, i) => element.classList.toggle("chosen", i === chosen));
    drawGallery();
    drawViewed();
    drawHypotheses(slot);
    drawChoices(slot);
    for (const section of [step, tree]) section.draw(isHidden() || isGiven(slot) ? null : slot, model);
    parts.copying.hidden = !slots.length;
    // a picture needs a matrix; an alignment as text would be the answer to a question
    const lacks = { svg: parts.frame.hidden, png: parts.frame.hidden, pharaoh: isHidden(), json: isHidden() };
    const isRunning = !slots.length || slots.some(({ result }) => !result);
    for (const button of parts.copies) button.disabled = isRunning || Boolean(lacks[button.dataset.format]);
    drawSimilar(slot, isRunning);
    if (viewed === chosen) point(...pinned);
  }

  /** Shows what is similar to the chosen sentence below its pair, when all sentences are finished. */
  function drawSimilar(slot, isRunning) {
    if (!page.remembers()) return;
    const pair = pairs[chosen]?.element;
    if (pair && similar.element.parentNode !== pair) pair.append(similar.element);
    similar.draw(isRunning ? null : slot, model);
  }

  function drawViewed() {
    const slot = slots[viewed];
    shown = slot ? shownOf(slot, page.byWord()) : null;
    if (!shown?.matrix) shown = null;
    parts.frame.hidden = !shown || isHidden();
    resting = restingRow();
    if (!shown) return;
    const rows = matrixOptions.leastRows ?? 0;
    matrixOptions.caption = text.matrix(slot.text);
    matrixOptions.byRow = page.byRow();
    matrixOptions.leastRows = slot.result ? 0 : Math.max(rows, slot.pieces.length);
    fit();
    if (matrix) matrix.update(shown);
    else matrix = drawMatrix(parts.matrix, shown, matrixOptions);
    curves.draw(page.curved() ? shown : null, text.curved(matrixOptions.caption), page.byRow());
  }

  /** Draws the small multiples of the chosen sentence in the place of its matrix, if they are chosen. */
  function drawGallery() {
    if (!model) return;
    gallery.draw(slots[chosen], model, page.beside(), { byWord: page.byWord(), byRow: page.byRow(), curved: page.curved() });
    parts.matrix.hidden = !gallery.element.hidden;
    const isSigned = !gallery.element.hidden && gallery.menu.value === "difference";
    parts.legend.classList.toggle("signed", isSigned);
    parts.legend.firstChild.data = percent(isSigned ? -1 : 0);
    const isLess = projected && !isSigned; // rows of a difference do not add up to 100%
    parts.legend.lastChild.data = (page.byRow() ? text.ofRow : percent(1)) + (isLess ? text.withoutEnd : "");
  }

  /** Lists the hypotheses of a sentence. Each can be viewed; the list stays. */
  function drawHypotheses(slot) {
    if (slot && !slot.result) return; // the former list stays, so that the page is calm
    const hypotheses = slot?.hypotheses ?? [], focused = parts.list.contains(document.activeElement);
    parts.best.hidden = hypotheses.length < 2;
    if (parts.best.hidden) return;
    const wordsIn = (hypothesis) => wordsOf(hypothesis.text || "</s>"), best = wordsIn(hypotheses[0]);
    const rows = hypotheses.map((hypothesis, k) => {
      const words = wordsIn(hypothesis), differs = differences(words, best);
      const content = words.map((word, i) => (k && differs[i] ? make("b", {}, word) : word));
      const score = scoreOf(hypothesis);
      const line = make("button", { type: "button", title: text.nbestHelp, lang: model.target }, ...content);
      if (k === slot.viewed) line.setAttribute("aria-current", "true");
      line.addEventListener("click", () => viewHypothesis(chosen, k));
      return make("li", {}, line, make("small", { title: text.score(score), "aria-label": text.score(score) }, score));
    });
    parts.list.replaceChildren(...rows);
    if (focused) rows[slot.viewed].firstChild.focus();
  }

  function drawChoices(slot) {
    const taken = slot?.choices ?? [];
    const names = taken.map((choice) => text.quoted(nameOf(choice)));
    parts.taken.hidden = !taken.length;
    parts.names.textContent = taken.length ? text.forced(names.join(", ")) : "";
  }

  /** Sets the height that is left for the matrix. Before it is drawn, so that its cells are laid out once. */
  function fit() {
    const top = parts.matrix.getBoundingClientRect().top + scrollY;
    parts.matrix.style.setProperty("--above", `${Math.round(Math.min(top, innerHeight / 2)) + 40}px`);
  }

  /** Draws the sentences whose state has changed, once for all events between two frames. */
  const dirty = new Set();
  function drawSoon(i) {
    dirty.add(i);
    if (frame !== null) return;
    frame = requestAnimationFrame(() => {
      frame = null;
      dirty.forEach((k) => k < slots.length && drawPair(k));
      page.changed();
      if (dirty.has(chosen) || dirty.has(viewed)) drawChosen();
      dirty.clear();
    });
  }

  // ---- pointing ----

  /** Removes the highlights of all pairs but i. */
  function lightOnly(i) {
    if (lit !== i) pairs[lit]?.light({ matrix: null }, null, null);
    lit = i;
  }

  /** Finds `resting`: the row at which the address points, that of the open step, or the clearest one of an example. */
  function restingRow() {
    if (!slots[viewed]?.result || !shown || parts.frame.hidden) return -1;
    const rowOf = (piece) => shown.parts.findIndex((part) => part.includes(piece - 1));
    if (aim) return viewed === 0 ? rowOf(aim) : -1;
    if (step.place()) return viewed === chosen ? rowOf(Number(step.place())) : -1;
    return teaches ? clearestRow(shown) : -1;
  }

  /** The user has opened, closed or moved the step: its row is lit. */
  function moved() {
    aim = 0;
    pinned = [null, null];
    if (viewed === chosen) point(null, null);
  }

  /** Points at a row, a column, a cell, or nothing. */
  function point(row, column) {
    lightOnly(viewed);
    const nothing = row === null && column === null;
    if (nothing) resting = restingRow();
    parts.lesson.hidden = !teaches || resting < 0;
    if (shown && isHidden()) {
      pairs[viewed].light(shown, null, null);
      parts.said.textContent = text.guess;
    } else if (nothing && resting >= 0) {
      point(resting, null);
      if (!step.place() && !hasPinned) step.at(shown.parts[resting][0]);
      if (teaches && !step.place()) parts.said.textContent = describeClearest(shown, resting);
    } else if (shown && (row ?? 0) < shown.target.length && (column ?? 0) < shown.source.length) {
      matrix.point(row, column);
      curves.point(row, column);
      gallery.point(...(viewed === chosen ? [row, column] : [null, null])); // it shows the chosen sentence
      pairs[viewed].light(shown, row, column);
      const said = describeLikelihood(row, column) + describe(shown, row, column) || text.hint;
      const isAnswer = answers && picked && row === resting && column === null; // also when a finger has left
      parts.said.textContent = (isAnswer ? text.answered(picked) : "") + said;
    } else parts.said.textContent = slots.length && nothing && model?.alignment === false ? text.noAlignment : "";
  }

  /** The probability of a translated word in words, if the page shows probabilities. */
  function describeLikelihood(row, column) {
    if (!page.likelihood() || row === null || column !== null || !slots[viewed].result?.candidates) return "";
    const found = shown.likelihood[row];
    return found === null ? text.unlikely : text.likely(likely(found));
  }

  const isHidden = () => page.asks() && !answers;

  /** The user answers a question with source text j of sentence i, right or wrong: the alignment appears. */
  function answer(i, j) {
    if (!isHidden()) return;
    answers = true;
    picked = aim ? label(shown.source[j]) : "";
    choose(i);
    if (!aim || resting < 0) return pointLine(i, null, j, true);
    point(resting, null); // of the word that the question is about
  }

  function pointMatrix(row, column, held) {
    if (held) pin(row, column);
    if (row === null && column === null) point(...pinned);
    else point(row, column);
  }

  /** Keeps the place that has the focus; the step that wrote its row is the one that opens. */
  function pin(row, column) {
    pinned = [row, column];
    hasPinned ||= row !== null;
    if (row !== null && viewed === chosen && slots[chosen]?.result) step.at(shown?.parts[row]?.[0] ?? 0);
  }

  /** The mouse shows the matrix of the sentence it points at; the focus chooses the sentence. */
  function pointLine(i, row, column, held) {
    const nothing = row === null && column === null;
    if (held && !nothing && i !== chosen) choose(i);
    if (viewed !== (nothing ? chosen : i)) {
      viewed = nothing ? chosen : i;
      drawViewed();
    }
    pointMatrix(row, column, held);
    if (!shown || nothing) return;
    matrix.reveal(row, column);
    curves.reveal(row, column);
  }

  function choose(i) {
    chosen = viewed = i;
    pinned = [null, null];
    drawChosen();
  }

  // ---- choices ----

  /** Offers the candidates for target text `at` of sentence i; one that was not searched has none, and is corrected. */
  function offer(i, at) {
    const { result, choices } = slots[i];
    if (isGiven(slots[i])) return notes[i].open();
    if (!result?.candidates) return;
    if (i !== chosen) choose(i);
    const { parts: pieces, target } = shownOf(slots[i], page.byWord());
    const groups = pieces[at].map((k) => ({
      piece: result.pieces[k],
      candidates: result.candidates[k] ?? [],
      take: (piece) => take(i, [...result.pieces.slice(0, k), piece]),
    }));
    const name = target[at] === "</s>" ? text.end : label(target[at]);
    openCandidates(pairs[i].piece(at), text.candidates(name), groups, isMarked(result.pieces), () => {
      if (slots[i]?.choices === choices) pairs[i]?.focus(at);
    });
    pin(at, null); // the list has the focus, but its word stays highlighted
    point(...pinned);
  }

  /** Searches sentence i again from pieces that its translation begins with. Then calls `then` with the result. */
  function searchFrom(i, prefix, then) {
    taking?.abort();
    taking = search({ text: slots[i].text, prefix }, { onSource() {}, onSettled() {}, onSentence: then });
  }

  /** Resolves to the translation of a sentence for the small multiples; ends the search before. */
  function find(request) {
    finding?.abort();
    return new Promise((done) => {
      finding = search(request, { onSource() {}, onSettled() {}, onSentence: done });
    });
  }

  /** Resolves to the alignment of a given translation for the small multiples; ends the search before. */
  function align(given) {
    finding?.abort();
    searches.push((finding = new AbortController()));
    const { signal } = finding;
    return new Promise((done) => persist(() => translator.align(given, signal), signal, done));
  }

  /** Searches sentence i again from a choice of the user. Resolves when the result is shown; never if it is not. */
  function take(i, prefix) {
    const slot = slots[i];
    return new Promise((done) =>
      searchFrom(i, prefix, (result) => {
        const { choices, ...before } = slot;
        slot.choices = [...choices, { prefix, before }];
        finish(slot, result);
        settle(i, prefix.length - 1);
        done();
      }),
    );
  }

  /** Shows hypothesis k of sentence i in the place of its translation. */
  function viewHypothesis(i, k) {
    const slot = slots[i], hypothesis = slot.hypotheses[k];
    function view(result) {
      hypothesis.result = result;
      Object.assign(slot, { result, viewed: k });
      drawPair(i);
      page.changed();
      choose(i);
      page.announce(text.announced(result.translatedText));
    }
    if (hypothesis.result) view(hypothesis.result);
    else searchFrom(i, hypothesis.pieces, view);
  }

  /** Shows one hypothesis of the small multiples alone. */
  function viewAlone(k) {
    gallery.choose("one");
    viewHypothesis(chosen, k);
  }

  /** Shows one head of the small multiples alone; 0: the last layer, the mean of the heads. */
  function viewHead(...numbers) {
    gallery.choose("one");
    numbers.forEach((number, k) => (parts.choosers[k].value = number));
    changeHead();
  }

  function changeHead() {
    translateText(written, true, forcedPieces());
    page.remember();
  }

  /** Takes choices one by one: [sentence, places, pieces], where pieces has the beginning of the translation. They are those of
   * an address, so that the piece it points at gets the focus. */
  async function takeAll(forced) {
    const wanted = aim;
    for (const [i, places, pieces] of forced)
      for (const place of places)
        if (slots[i]?.result && place < pieces.length) await take(i, pieces.slice(0, place + 1));
    aim = wanted;
    resting = restingRow();
    if (!aim) return;
    if (resting >= 0) pairs[0].focus(resting);
    page.remember();
  }

  /** Draws a sentence after a choice, and moves the focus to the piece that was chosen. */
  function settle(i, piece) {
    teaches = false;
    aim = 0;
    dirty.delete(i); // a drawing in the next frame would lose the focus
    drawPair(i);
    page.changed();
    choose(i);
    const { parts: pieces } = shownOf(slots[i], page.byWord());
    pairs[i].focus(Math.max(pieces.findIndex((own) => own.includes(piece)), 0));
    page.announce(text.announced(slots[i].result.translatedText));
    page.remember();
  }

  function undo() {
    const slot = slots[chosen];
    const choice = slot?.choices.at(-1);
    if (!choice) return;
    stop();
    slot.choices = slot.choices.slice(0, -1);
    Object.assign(slot, choice.before);
    settle(chosen, choice.prefix.length - 1);
  }

  // ---- corrections ----

  /** Keeps the correction of sentence i. What a memory wrote, or what was copied, is not a translation of the model. */
  async function save(i, correction) {
    const { text: sentence, result } = slots[i], translation = isGiven(slots[i]) ? undefined : result.translatedText;
    await translator.correct({ text: sentence, model, translation, correction });
    for (const slot of slots) if (slot.text === sentence) slot.draft = null; // the editor closes with the new translation
    page.corrected(sentence);
  }

  const translateAnew = (i) => renew(slots[i].text, { memory: false });

  /** Translates a sentence again wherever it stands. If it has the focus, its translation has it then. */
  function renew(sentence, fields = {}) {
    const places = [...slots.keys()].filter((i) => slots[i].text === sentence);
    const focused = places.find((i) => pairs[i].element.contains(document.activeElement));
    similar.forget();
    drawSoon(chosen);
    if (!places.length) return;
    function renewed(result) {
      for (const i of places) {
        finish(slots[i], result);
        Object.assign(slots[i], { choices: [], isStale: false });
        drawSoon(i);
      }
      if (focused !== undefined) settle(focused, 0);
    }
    for (const i of places) slots[i].isStale = true;
    taking?.abort();
    taking = search({ text: sentence, ...fields }, { onSource() {}, onSettled() {}, onSentence: renewed });
  }

  // ---- searches ----

  function stop() {
    searches.forEach((controller) => controller.abort());
    searches = [];
    gallery.forget();
    step.stop();
    tree.stop();
    similar.stop();
  }

  /** Calls act(), which asks the translator, then `then` with the answer. Shows a failure as one line; then it tries again, if
   * the failure says when, or calls `fail`. After an abort it calls nothing. */
  async function persist(act, signal, then, fail = () => {}) {
    if (signal.aborted) return;
    parts.problem.replaceChildren();
    try {
      const answer = await act();
      if (!signal.aborted) then(answer);
    } catch (problem) {
      if (signal.aborted) return;
      parts.problem.replaceChildren(...failureLine(problem));
      if (problem.seconds) setTimeout(persist, 1000 * problem.seconds, act, signal, then, fail);
      else fail();
    }
  }

  /** Translates, as persist. Returns the AbortController. */
  function search(request, listeners, then = () => {}, fail = () => {}) {
    const controller = new AbortController(), { signal } = controller;
    const [layer, head] = parts.choosers.map((chooser) => Number(chooser.value));
    const asked = { model, layer, head, alternatives: alternativesOf(model), candidates: CANDIDATES, ...request };
    searches.push(controller);
    persist(() => translator.translate(asked, { ...listeners, signal }), signal, then, fail);
    return controller;
  }

  /** Translates a text. again: sentences that are shown already, too; forced: choices to take, as in takeAll. */
  function translateText(given, again, forced = []) {
    stop();
    written = given;
    parts.element.classList.add("waiting");
    let next = null;
    /** Replaces the sentences of the text before when the first result arrives, so that the page stays calm. */
    function replace() {
      if (!next) return;
      const changed = next.findIndex((slot) => !slot.result);
      slots = next;
      next = null;
      answered = given;
      chosen = changed >= 0 ? changed : Math.min(chosen, Math.max(slots.length - 1, 0));
      parts.element.classList.remove("waiting");
      draw();
      if (!forced.length) page.remember();
    }
    if (!given.trim()) {
      next = [];
      parts.problem.replaceChildren();
      replace();
      return;
    }
    const known = again ? [] : slots.filter(({ result, isStale }) => result && !isStale);
    /** Keeps an event in its slot, unless the result of the slot is known. */
    function keep(name, event) {
      replace();
      const slot = slots[event.sentence];
      if (slot.result) return;
      if (name === "result") finish(slot, event);
      else slot[name] = event;
      drawSoon(event.sentence);
    }
    const listeners = {
      onSource(sentences, pieces, unknown) {
        next = sentences.map((sentence, i) => {
          const fresh = { text: sentence, pieces: pieces[i], unknown: unknown[i], settled: null, result: null, choices: [] };
          return { ...(known.find((slot) => slot.text === sentence) ?? fresh) };
        });
        if (!next.some((slot) => !slot.result)) replace();
      },
      onSettled: (settled) => keep("settled", settled),
      onSentence: (result) => keep("result", result),
    };
    /** What is shown is not the translation of this text, so it goes. */
    function fail() {
      next = [];
      replace();
    }
    search({ text: given }, listeners, (translation) => {
      replace();
      whole = translation;
      page.announce(text.announced(translation.trim()));
      if (forced.length) takeAll(forced);
    }, fail);
  }

  /** The pieces and places of the choices that still hold, as takeAll reads them. */
  function forcedPieces() {
    if (answered !== written) return [];
    return slots.flatMap((slot, i) => {
      const prefixes = holding(slot).map(({ prefix }) => prefix).sort((a, b) => a.length - b.length);
      return prefixes.length ? [[i, [...new Set(prefixes.map(({ length }) => length - 1))], prefixes.at(-1)]] : [];
    });
  }

  // ---- copying ----

  async function copy(format) {
    const alignments = slots.map((slot) => (slot.result.alignment ? shownOf(slot, page.byWord()) : null)).filter(Boolean);
    const multiples = gallery.parts();
    const svg = () => picture(multiples.length ? multiples : [{ caption: "", alignment: shown }], page.byRow());
    const copied = await {
      text: () => copyText(spoken(slots.map(({ result }) => result.translatedText + " "))),
      pharaoh: () => copyText(alignments.map((alignment) => pharaoh(alignment) + "\n").join("")),
      json: () => copyText(alignments.map((alignment) => json(alignment) + "\n").join("")),
      svg: () => copyText(svg()),
      png: () => copyPng(svg()),
    }[format]();
    sayBriefly(parts.done, copied ? text.copied : format === "png" ? text.saved : text.notCopied);
  }

  // ---- the panel ----

  function press(event) {
    const correct = page.corrects() && notes[chosen]?.open;
    const acts = { u: undo, e: step.toggle, t: tree.toggle, f: correct, Escape: page.leave };
    const act = acts[event.key] || page.switchOf(event.key);
    const typed = ["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName);
    if (!act || typed || event.ctrlKey || event.altKey || event.metaKey || event.defaultPrevented) return;
    event.preventDefault();
    act();
  }

  parts.element.addEventListener("keydown", press);
  parts.undo.addEventListener("click", undo);
  for (const button of parts.copies) button.addEventListener("click", () => copy(button.dataset.format));
  for (const chooser of parts.choosers)
    chooser.addEventListener("change", changeHead);
  gallery.menu.addEventListener("change", () => {
    drawChosen();
    page.remember();
  });
  addEventListener("resize", fit);

  return {
    element: parts.element,
    show(next) {
      if (model?.name === next.name) return drawGallery();
      stop();
      model = next;
      slots = [];
      matrixOptions.leastRows = 0;
      parts.name.textContent = model.name;
      parts.pairs.ariaLabel = `${text.sentences}: ${model.name}`;
      parts.best.ariaLabel = `${text.nbest}: ${model.name}`;
      fillChoosers(parts, model);
      draw();
    },
    run(given, { layer, head, forced, view, step: place, tree: opened, piece } = {}, isExample = false) {
      teaches = isExample;
      aim = readPlace(piece);
      if (given !== written) answers = false;
      const wishes = [layer, head].map((wish) => (wish === "" ? "0" : wish)), recalled = forced !== undefined;
      parts.choosers.forEach((chooser, k) => {
        if ([...chooser.options].some(({ value }) => value === wishes[k])) chooser.value = wishes[k];
      });
      if (recalled) gallery.choose(view);
      if (recalled) step.choose(place);
      if (recalled) tree.choose(opened);
      translateText(given, recalled, readForced(forced));
    },
    again: () => translateText(written, true, forcedPieces()),
    renew,
    choices() {
      const [layer, head] = parts.choosers.map(({ value }) => (value === "0" ? "" : value));
      const forced = forcedPieces();
      const view = gallery.menu.value === "one" ? "" : gallery.menu.value;
      const opened = { step: step.place(), tree: tree.place() };
      return { layer, head, forced: forced.length ? JSON.stringify(forced) : "", view, ...opened, piece: aim || "" };
    },
    redraw() {
      const [row, column] = pinned, wasInMatrix = parts.matrix.contains(document.activeElement);
      draw();
      if (document.activeElement !== document.body || (row === null && column === null)) return; // the focus is not lost
      if (wasInMatrix) matrix.focus(row ?? 0, column ?? 0);
      else pairs[chosen]?.focus(row, column);
    },
    hide() {
      answers = false;
      if (!parts.element.hidden) drawChosen();
    },
    translation(given) {
      if (answered !== given || slots.some(({ result }) => !result)) return null;
      if (slots.every(({ choices }) => !choices.length)) return whole.trim();
      return slots.map(({ result }) => result.translatedText).join(/^(zh|ja)/.test(model.target) ? "" : " ");
    },
    words(i) {
      return slots[i]?.result ? shownOf(slots[i], true).target : null;
    },
    mark(other) {
      if (!other) return; // the texts are new: they have no marks
      pairs.forEach((pair, i) => {
        const [own, others] = [this.words(i), other.words(i)];
        if (!own || !others) return pair.mark(null);
        const differs = differences(own, others), { parts: pieces, wordOfPiece } = shownOf(slots[i], page.byWord());
        pair.mark(pieces.map(([first]) => differs[wordOfPiece[first]]));
      });
    },
    stop,
  };
}

/** The row of a whole word whose largest weight, at a word of the source, is the farthest from the second one; -1 if there is
 * none. */
function clearestRow({ source, target, targetWord, matrix }) {
  const isWord = (one) => /^\s*\p{L}+$/u.test(one);
  const lead = matrix.map((row, i) => {
    const [first, second = 0] = [...row].sort((a, b) => b - a);
    const isWhole = targetWord.filter((word) => word === targetWord[i]).length === 1;
    return isWhole && isWord(target[i]) && isWord(source[row.indexOf(first)]) ? first - second : 0;
  });
  const most = Math.max(...lead);
  return most > 0 ? lead.indexOf(most) : -1;
}

/** Says which weight of a row is the largest. */
function describeClearest({ source, target, matrix }, row) {
  const weight = Math.max(...matrix[row]);
  return text.clearest(label(target[row]), label(source[matrix[row].indexOf(weight)]), percent(weight));
}

/** What a choice changed, as text. */
function nameOf(choice) {
  const { prefix } = choice, places = placesOf(choice);
  if (places.length === 1) return spellCandidate(prefix.at(-1), isMarked(prefix));
  return spell(prefix).texts.slice(places[0]).join("").trim();
}

/** Reads what `choices` of a panel wrote to an address; [] if it is something else. */
function readForced(forced) {
  const areTexts = (pieces) => Array.isArray(pieces) && pieces.every((piece) => typeof piece === "string");
  const areIndices = (places) => Array.isArray(places) && places.every((place) => Number.isInteger(place) && place >= 0);
  try {
    const list = JSON.parse(forced || "[]");
    return list.every(([i, places, pieces]) => areIndices([i]) && areIndices(places) && areTexts(pieces)) ? list : [];
  } catch {
    return [];
  }
}

/** Makes the elements of a panel. */
function panelMarkup() {
  const name = make("h2", {});
  const problem = make("p", { class: "problem", role: "alert" });
  const pairs = make("div", { class: "pairs", role: "region" });
  const lesson = make("p", { class: "lesson", hidden: "" }, text.lesson);
  const said = make("p", { class: "said", role: "status" });
  const undo = make("button", { type: "button", title: text.undoHelp, "aria-keyshortcuts": "u" }, text.undo);
  undo.append(" ", make("kbd", {}, "u"));
  const names = make("span", {});
  const taken = make("p", { class: "controls choices", role: "status", hidden: "" }, names, undo);
  const list = make("ol", {});
  const nbest = explain(make("span", {}, text.nbest), "hypothesis");
  const best = make("section", { class: "best", hidden: "" }, listHead(nbest, text.scores, "score"), list);
  const choosers = ["layer", "head"].map((id) => explain(make("select", { "aria-label": text[id], class: id }), id));
  const formats = { text: text.copyText, pharaoh: text.copyPharaoh, json: text.copyJson, svg: text.copySvg, png: text.copyPng };
  const copies = Object.entries(formats).map(([format, title]) =>
    make("button", { type: "button", "data-format": format, disabled: "" }, title),
  );
  const done = make("span", { role: "status" });
  const copying = make("div", { class: "controls copying", role: "group", "aria-label": text.copy });
  copying.append(make("span", {}, text.copy), ...copies, done);
  const matrix = make("div", {});
  const legend = make("span", { class: "legend" }, "0%", make("i"), "100%");
  const bar = make("div", { class: "controls" }, ...choosers, explain(make("span", { class: "alpha" }, "α"), "alpha"), legend);
  const frame = make("div", { class: "frame", hidden: "" }, matrix, bar);
  const left = make("div", { class: "words" }, name, problem, pairs, lesson, said, taken, best, copying);
  const element = make("section", { class: "panel" }, left, frame);
  const lines = { name, problem, said, names, done }; // their text changes
  return { ...lines, lesson, element, pairs, taken, undo, best, list, choosers, copying, copies, frame, bar, matrix, legend };
}

/** Offers the layers and heads of a model, if there are several. */
function fillChoosers({ choosers }, model) {
  const first = [text.lastLayer, text.allHeads];
  [model.layers ?? 1, model.heads ?? 1].forEach((count, k) => {
    const name = k ? text.head : text.layer;
    const numbered = Array.from({ length: count }, (_, i) => [i + 1, `${name} ${i + 1}`]);
    fillSelect(choosers[k], [[0, `${name}: ${first[k]}`], ...numbered]);
    choosers[k].value = 0;
    choosers[k].hidden = count < 2;
  });
}
