// The list of candidates for a place of a translation: it opens below a word.

/** Formats a probability as a percentage, small ones with a decimal. */
const likely = (p) => (p < 0.0005 ? "<0.1%" : p < 0.0995 ? `${(100 * p).toFixed(1)}%` : percent(p));

/** The head of a list: its title, and the name of the numbers at the right, which is a term. */
function listHead(title, numbers, term) {
  return make("div", { class: "list-head" }, make("h3", {}, title), explain(make("span", {}, numbers), term));
}

/**
 * Opens the list below an element.
 *
 * groups   for each piece of the word {piece, candidates: [{piece, probability}], take(candidate)}
 * marked   whether pieces mark spaces (isMarked)
 * onClose  called when the list closes, before the page does anything else
 */
function openCandidates(anchor, title, groups, marked, onClose) {
  const list = make("div", { popover: "auto", class: "candidates", role: "dialog", "aria-label": title });
  list.append(listHead(title, text.probability, "probability"));

  function row({ piece, probability }, chosen, take) {
    const name = spellCandidate(piece, marked), share = likely(probability);
    const bar = make("i", { "aria-hidden": "true" });
    bar.style.setProperty("--share", probability);
    const button = make("button", { type: "button", "aria-label": text.candidate(name, share) }, bar);
    button.append(make("span", {}, name), make("small", {}, share));
    if (chosen) button.setAttribute("aria-current", "true");
    button.addEventListener("click", () => {
      list.hidePopover();
      if (!chosen) take(piece);
    });
    return make("li", {}, button);
  }

  const columns = groups.map(({ piece, candidates, take }) =>
    make("ol", {}, ...candidates.map((candidate) => row(candidate, candidate.piece === piece, take))),
  );
  list.append(make("div", {}, ...columns));

  function move(event) {
    if (!document.activeElement.closest("ol")) return;
    const buttons = [...document.activeElement.closest("ol").querySelectorAll("button")];
    const column = columns.indexOf(document.activeElement.closest("ol")), at = buttons.indexOf(document.activeElement);
    const beside = (by) => [...(columns[column + by]?.querySelectorAll("button") ?? [])];
    const next = {
      ArrowUp: () => buttons[at - 1],
      ArrowDown: () => buttons[at + 1],
      ArrowLeft: () => beside(-1)[at] ?? beside(-1).pop(),
      ArrowRight: () => beside(1)[at] ?? beside(1).pop(),
      Home: () => buttons[0],
      End: () => buttons.at(-1),
    }[event.key];
    event.stopPropagation();
    if (!next) return;
    event.preventDefault();
    next()?.focus();
  }

  list.addEventListener("keydown", move);
  list.addEventListener("beforetoggle", ({ newState }) => newState === "closed" && onClose());
  list.addEventListener("toggle", ({ newState }) => newState === "closed" && list.remove());
  document.body.append(list);
  list.showPopover();
  if (matchMedia("(max-width: 40rem)").matches) {
    // live.css puts the list at the foot of the window: a tapped word comes above it, with its sentence
    const isCovered = matchMedia("(pointer: coarse)").matches && anchor.getBoundingClientRect().bottom > innerHeight / 4;
    if (isCovered) (anchor.closest(".pair") ?? anchor).scrollIntoView({ block: "start" });
  } else {
    const box = anchor.getBoundingClientRect(), own = list.getBoundingClientRect();
    const below = box.bottom + own.height + 8 <= innerHeight || box.top < own.height + 8;
    list.style.left = `${Math.max(8, Math.min(box.left, document.documentElement.clientWidth - own.width - 8))}px`;
    list.style.top = `${below ? box.bottom + 4 : box.top - own.height - 4}px`;
  }
  (list.querySelector("[aria-current]") ?? list.querySelector("button"))?.focus({ preventScroll: true });
}
