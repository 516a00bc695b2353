// The tree of a beam search: what each step considered, what it kept and what it pruned.

const TREE_ROW = 2.8, TREE_GAP = 2; // in em: from one candidate of a step to the next one, and between two steps

/** A Node of the tree is a candidate of a SearchTree with `step`, its `parent` as a Node (null in the first step), and, if a
 * hypothesis ends there, its `score` and whether it is the `best`. Returns the Nodes of each step. */
function nodesOf({ steps, hypotheses }) {
  const nodes = [];
  steps.forEach((candidates, step) =>
    nodes.push(candidates.map((one) => ({ ...one, step, parent: step ? nodes[step - 1][one.parent] : null }))),
  );
  hypotheses.forEach(({ step, place, score }, k) => Object.assign(nodes[step][place], { score, best: k === 0 }));
  return nodes;
}

/** The Nodes from the first step to a Node. */
const pathTo = (node) => (node ? [...pathTo(node.parent), node] : []);
const piecesTo = (node) => pathTo(node).map(({ piece }) => piece);

/** Sets `text`, `x`, `y` and `width` of all Nodes, in em. Returns the size of the tree. */
function placeNodes(nodes, marked) {
  let x = widthOf("<s>") + TREE_GAP, rows = 1;
  for (const step of nodes) {
    for (const node of step) node.text = spellCandidate(node.piece, marked);
    const width = Math.max(...step.map(({ text: own, score }) => Math.max(widthOf(own) + 1, score === undefined ? 3.5 : 5.5)));
    step.forEach((node, k) => Object.assign(node, { x, width, y: (k + (node.kept ? 0.5 : 0.75)) * TREE_ROW }));
    x += width + TREE_GAP;
    rows = Math.max(rows, step.length);
  }
  return { width: x - TREE_GAP, height: (rows + 0.5) * TREE_ROW };
}

/** The line from the parent of a Node to the Node. */
function makeBranch({ x, y, parent }) {
  const [fromX, fromY] = parent ? [parent.x + parent.width, parent.y] : [x - TREE_GAP, TREE_ROW / 2];
  const middle = (fromX + x) / 2;
  return make("path", { d: `M${fromX} ${fromY}C${middle} ${fromY} ${middle} ${y} ${x} ${y}` });
}

/** The numbers of a Node in words. */
function describeNode({ text: own, logProbability, total, kept, score, best }) {
  const end = score === undefined ? (kept ? text.tree.stays : text.tree.goes) : text.tree.ends(numberText(score), best);
  return text.tree.node(own, numberText(logProbability), likely(Math.exp(logProbability)), numberText(total)) + end;
}

/**
 * Makes the section of a panel that shows the tree of the search.
 *
 * on  {persist(act, signal, then, fail), changed(), take(pieces)}: asks the translator until it has time; is told that the user
 *     has opened or closed the tree, and that the user wants a translation that begins with these pieces
 *
 * Returns {element, draw, stop, toggle, place, choose}, as makeStep does; the place is "open", or "" if the section is closed.
 */
function makeTree(on) {
  const button = make("button", { type: "button", "aria-expanded": "false", "aria-keyshortcuts": "t", title: text.tree.help });
  button.append(text.tree.open);
  const canvas = make("div", { class: "branches", role: "group", "aria-label": text.tree.open });
  const told = make("p", { class: "told", role: "status" }), box = make("div", { class: "wide" }, canvas);
  const key = make("p", { class: "key" }, explain(make("span", { class: "kept" }, text.tree.kept), "beam"),
    explain(make("span", { class: "pruned" }, text.tree.pruned), "pruned"), make("span", { class: "shown" }, text.tree.shown));
  const content = make("div", { hidden: "" }, make("p", {}, text.tree.sentence), key, box, told);
  const element = make("section", { class: "tree", hidden: "" }, make("div", { class: "controls" }, button), content);
  let slot = null, model = null, isOpen = false;
  let asked = ""; // the request of the tree that is shown or awaited
  let asking = null; // its AbortController
  let arrives = false; // whether the page will scroll to the tree when it is drawn
  let nodes = []; // of each step
  let current = null; // the Node that Tab reaches
  let pointed = null; // the Node whose numbers are shown
  let touched = null; // the Node that a finger touches for the first time

  /** Shows the numbers of a Node, and the way to it; null: those of none. */
  function point(node) {
    pathTo(pointed).forEach(({ marks }) => marks.forEach((mark) => mark.classList.remove("pointed")));
    pointed = node;
    pathTo(pointed).forEach(({ marks }) => marks.forEach((mark) => mark.classList.add("pointed")));
    told.textContent = node ? describeNode(node) : text.tree.hint;
  }

  /** Makes a Node the one that Tab reaches. */
  function reach(node) {
    if (current) current.button.tabIndex = -1;
    current = node;
    if (current) current.button.tabIndex = 0;
  }

  function makeNode(node) {
    const number = node.score === undefined ? numberText(node.total) : text.score(numberText(node.score));
    node.button = make("button", { type: "button", tabindex: -1 }, make("span", { lang: model.target }, node.text));
    node.button.append(" ", make("small", {}, number));
    const place = { left: node.x, top: node.y, width: node.width };
    for (const [name, value] of Object.entries(place)) node.button.style[name] = `${value}em`;
    node.branch = makeBranch(node);
    node.marks = [node.button, node.branch];
    const kind = !node.kept ? "pruned" : node.score === undefined ? "kept" : "ended";
    node.marks.forEach((mark) => mark.classList.add(kind));
    node.button.addEventListener("pointerover", ({ pointerType }) => pointerType === "touch" || point(node));
    node.button.addEventListener("pointerdown", ({ pointerType }) => {
      touched = pointerType === "touch" && pointed !== node ? node : null;
    });
    node.button.addEventListener("focus", () => {
      reach(node);
      point(node);
    });
    node.button.addEventListener("click", () => {
      if (touched !== node) return on.take(piecesTo(node));
      touched = null; // the first tap shows the numbers, the second one takes it
      node.button.focus();
    });
  }

  /** Marks the path of the translation that is shown: that of a hypothesis, or the best one. */
  function markShown() {
    const ends = nodes.flat().filter(({ score }) => score !== undefined), pieces = slot.result.pieces.join("\n");
    const end = ends.find((node) => piecesTo(node).join("\n") === pieces) ?? ends.find(({ best }) => best) ?? null;
    for (const node of nodes.flat()) for (const mark of node.marks) mark.removeAttribute("aria-current");
    for (const { marks, branch } of pathTo(end)) {
      marks.forEach((mark) => mark.setAttribute("aria-current", "true"));
      branch.parentNode.append(branch); // above the others
    }
    if (!canvas.contains(document.activeElement)) reach(pathTo(end)[0] ?? nodes[0]?.[0] ?? null);
  }

  function render(tree) {
    nodes = nodesOf(tree);
    box.inert = false;
    const { width, height } = placeNodes(nodes, isMarked(slot.result.pieces));
    nodes.flat().forEach(makeNode);
    const branches = make("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    branches.append(...nodes.flat().map(({ branch }) => branch));
    canvas.replaceChildren(branches, make("span", {}, "<s>"), ...nodes.flat().map((node) => node.button));
    canvas.style.setProperty("--width", width);
    canvas.style.setProperty("--height", height);
    point(null);
    settle();
  }

  function settle() {
    markShown();
    if (arrives) scrollToSection(element);
    arrives = false;
  }

  /** Forgets the tree, which does not react any more; an answer that is awaited is not drawn. */
  function forget() {
    asking?.abort();
    asked = "";
    nodes = [];
    current = pointed = null;
    box.inert = true;
  }

  function load() {
    const request = { text: slot.text, model, alternatives: alternativesOf(model), prefix: slot.choices.at(-1)?.prefix };
    const wanted = JSON.stringify([request.text, model.name, request.prefix]);
    if (asked === wanted) {
      if (nodes.length) settle();
      return;
    }
    forget();
    asked = wanted;
    asking = new AbortController();
    const { signal } = asking;
    on.persist(() => translator.search(request, signal), signal, render, forget);
  }

  function show() {
    button.setAttribute("aria-expanded", isOpen);
    content.hidden = !isOpen;
    if (isOpen && slot?.result) load();
  }

  function toggle() {
    if (element.hidden) return;
    isOpen = arrives = !isOpen;
    if (content.contains(document.activeElement)) button.focus();
    show();
    on.changed();
  }

  /** Arrows go from step to step along the branches, and from candidate to candidate of a step. */
  function move(event) {
    const step = nodes[current.step], at = step.indexOf(current), following = nodes[current.step + 1] ?? [];
    const children = following.filter(({ parent }) => parent === current);
    const next = {
      ArrowLeft: () => current.parent,
      ArrowRight: () => children.find(({ button: own }) => own.ariaCurrent) ?? children[0],
      ArrowUp: () => step[at - 1],
      ArrowDown: () => step[at + 1],
      Home: () => nodes[0][0],
      End: () => nodes.flat().find(({ best }) => best),
    }[event.key];
    if (!next) return;
    event.preventDefault();
    next()?.button.focus();
  }

  button.addEventListener("click", toggle);
  canvas.addEventListener("keydown", move);
  canvas.addEventListener("pointerleave", () => point(canvas.contains(document.activeElement) ? current : null));

  return {
    element,
    draw(nextSlot, nextModel) {
      [slot, model] = [nextSlot, nextModel];
      element.hidden = !slot?.result;
      if (element.hidden) forget();
      show();
    },
    stop: () => nodes.length || forget(),
    toggle,
    place: () => (isOpen ? "open" : ""),
    choose(place) {
      isOpen = arrives = place === "open";
    },
  };
}
