// Small multiples of a sentence: the matrices of all heads, of all hypotheses, or the difference of two models.

/** The ends of the words of a text, counted in its characters without spaces. */
function endsOf(texts) {
  let end = 0;
  return texts.map((one) => (end += [...one.replace(/\s/g, "")].length));
}

/**
 * The weights of one alignment minus those of another one of the same sentences; null if the sentences differ. Where these
 * are divided in different ways, texts are merged to those that both have: rows averaged, columns summed.
 */
function differenceOf(first, second) {
  const both = [{ ...first }, { ...second }];
  for (const side of ["source", "target"]) {
    const [own, others] = both.map((one) => one[side].join("").replace(/\s/g, ""));
    if (own !== others) return null;
    const ends = both.map((one) => endsOf(one[side])), shared = ends[0].filter((end) => ends[1].includes(end));
    both.forEach((one, k) => (one[`${side}Word`] = ends[k].map((end) => shared.findIndex((stop) => end <= stop))));
  }
  const [a, b] = both.map(mergeWords);
  return { ...a, matrix: a.matrix.map((row, i) => row.map((weight, j) => weight - b.matrix[i][j])), isDifference: true };
}

/**
 * Makes the small multiples of a panel, and the menu that chooses them.
 *
 * panel  {find(request), align(given), endFinding(), viewHead(layer, head), viewHypothesis(k), point(row, column, held)}:
 *        resolves to the Sentence of a Request; resolves to the alignment that translator.align gives; ends what these two
 *        search; shows one head or one hypothesis alone; is told where the user points at in matrices of the shown words
 *
 * Returns {menu, element, choose, draw, point, forget, parts}:
 *   choose(view)                      chooses a view, if there is such a one; else one matrix
 *   draw(slot, model, other, levels)  shows the matrices of a slot. other: the model that `model` is compared with, or
 *                                     undefined; levels: {byWord, byRow, curved}
 *   point(row, column)                highlights a place in all matrices of the shown words
 *   forget()                          ends the search for more alignments
 *   parts()                           what is shown: [{caption, alignment}]; [] if one matrix is chosen, not small multiples
 */
function makeGallery(panel) {
  const menu = make("select", { class: "view", "aria-label": text.view });
  const element = make("div", { class: "multiples", hidden: "" });
  let shown = null; // {view, of, items}; of: the objects that the items are made from
  let levels = {};

  /** For each view: its items, [{caption, view, find}]. view: a function that shows it alone; find() resolves to a function
   * from byWord to an alignment, or to null if there is none. */
  const itemsOf = {
    heads(slot, model) {
      const numbers = (count = 1) => (count > 1 ? Array.from({ length: count }, (_, i) => i + 1) : [0]);
      return numbers(model.layers).flatMap((layer) =>
        numbers(model.heads).map((head) => ({
          caption: [layer && `${text.layer} ${layer}`, head && `${text.head} ${head}`].filter(Boolean).join(" · "),
          view: () => panel.viewHead(layer, head),
          async find() {
            const only = { alternatives: 0, candidates: 0 }; // its weights are all that is shown
            const result = await panel.find({ text: slot.text, prefix: slot.result.pieces, layer, head, ...only });
            return (byWord) => shownOf({ ...slot, result }, byWord);
          },
        })),
      );
    },
    hypotheses: (slot) =>
      slot.hypotheses.map((hypothesis, k) => ({
        caption: `${k + 1} · ${text.score(scoreOf(hypothesis))}`,
        view: () => panel.viewHypothesis(k),
        async find() {
          const result = hypothesis.result ?? (await panel.find({ text: slot.text, prefix: hypothesis.pieces }));
          hypothesis.result = result;
          return (byWord) => shownOf({ ...slot, result }, byWord);
        },
      })),
    difference(slot, model, other) {
      const own = (byWord) => shownOf(slot, byWord);
      let pieces = null; // of the other model
      async function others() {
        const given = { text: slot.text, translation: slot.result.translatedText, model: other };
        pieces = pieces ?? spellAlignment(await panel.align(given));
        return (byWord) => forAudience(byWord ? mergeWords(pieces) : pieces);
      }
      return [
        { caption: model.name, find: async () => own },
        { caption: other.name, find: others },
        {
          caption: text.minus(model.name, other.name),
          async find() {
            const theirs = await others();
            return (byWord) => differenceOf(own(byWord), theirs(byWord));
          },
        },
      ];
    },
  };

  function makeItem(item) {
    const attributes = item.view ? { type: "button", title: text.viewOne } : {};
    const caption = make(item.view ? "button" : "span", attributes, item.caption), frame = make("div", {});
    caption.addEventListener("click", () => item.view?.());
    const options = { caption: item.caption, onPoint: shown.view === "heads" ? panel.point : undefined };
    const curves = makeCurves(options.onPoint ?? ((row, column) => curves.point(row, column)));
    const figure = make("figure", {}, make("figcaption", {}, caption), curves.element, frame);
    return { ...item, options, curves, frame, figure };
  }

  function drawItem(item) {
    const alignment = item.alignment?.(levels.byWord);
    item.options.byRow = levels.byRow;
    item.figure.classList.toggle("waiting", !item.alignment);
    if (!item.alignment) return;
    item.curves.draw(levels.curved ? alignment : null, text.curved(item.caption), levels.byRow);
    if (!alignment) item.frame.replaceChildren(text.notComparable);
    else if (item.matrix) item.matrix.update(alignment);
    else item.matrix = drawMatrix(item.frame, alignment, item.options);
  }

  /** Finds the alignments of the items, one after the other. */
  async function fill(view) {
    for (const item of view.items) {
      item.alignment = await item.find();
      if (shown !== view) return;
      drawItem(item);
    }
  }

  function fillMenu(model, other) {
    const views = ["one"];
    if ((model.layers || 1) * (model.heads || 1) > 1) views.push("heads");
    if (model.alternatives !== 0) views.push("hypotheses");
    if (other?.alignment && translator.align) views.push("difference");
    fillSelect(menu, views.map((view) => [view, `${text.view}: ${text.views[view]}`]));
  }

  function draw(slot, model, other, newLevels) {
    levels = newLevels;
    fillMenu(model, other);
    const view = menu.value;
    if (slot && !slot.result && view !== "one" && !element.hidden) return; // what is shown stays, so that the page is calm
    element.hidden = view === "one" || !slot?.result?.alignment;
    if (element.hidden) return forget();
    const of = view === "hypotheses" ? [slot.hypotheses] : [slot.result, other];
    if (shown?.view !== view || shown.of.some((one, i) => one !== of[i])) {
      shown = { view, of };
      shown.items = itemsOf[view](slot, model, other).map(makeItem);
      element.replaceChildren(...shown.items.map(({ figure }) => figure));
      element.style.setProperty("--widest", slot.pieces.length);
      fill(shown);
    }
    shown.items.forEach(drawItem);
  }

  function forget() {
    if (shown) panel.endFinding();
    shown = null;
  }

  function choose(view) {
    menu.value = [...menu.options].some(({ value }) => value === view) ? view : "one";
  }

  return {
    menu,
    element,
    choose,
    draw,
    point(row, column) {
      if (shown?.view !== "heads") return;
      for (const { matrix, curves } of shown.items) {
        matrix?.point(row, column);
        curves.point(row, column);
      }
    },
    forget,
    parts() {
      const found = element.hidden ? [] : (shown?.items ?? []);
      const parts = found.map(({ caption, alignment }) => ({ caption, alignment: alignment?.(levels.byWord) }));
      return parts.filter(({ alignment }) => alignment);
    },
  };
}
