// Marks the links of words in a matrix: those of people (gold), of an aligner, and of the attention itself.

/** The marks of the words `target` and `source`: {gold: "sure", "possible" or undefined, aligner, attention: booleans}. */
function marksAt(links, target, source) {
  const found = (name) => links[name]?.links.find(([from, to]) => from === source && to === target);
  const gold = found("gold");
  return { gold: gold && (gold[2] ? "possible" : "sure"), aligner: !!found("aligner"), attention: !!found("attention") };
}

/** Marks the cells of the table in `container`, which shows `alignment`. links: as alignments_page_links writes them. */
function drawMarks(container, alignment, links) {
  const rows = container.querySelectorAll("tbody tr");
  alignment.targetWord.forEach((target, i) => {
    const cells = rows[i].querySelectorAll("td");
    alignment.sourceWord.forEach((source, j) => {
      const { gold, aligner, attention } = marksAt(links, target, source);
      const agree = attention ? "both" : "aligner";
      if (gold) cells[j].dataset.gold = gold;
      if (aligner) cells[j].dataset.link = agree;
      else if (attention && links.aligner) cells[j].dataset.link = "attention";
    });
  });
}

/** The marks of two words in words; "" if there are none. */
function describeMarks(links, target, source) {
  const { gold, aligner, attention } = marksAt(links, target, source);
  const linked = aligner && attention ? "both" : aligner ? "aligner" : attention ? "attention" : "";
  return [text.goldLink[gold], text.linked[linked]].filter(Boolean).map((said) => ` · ${said}`).join("");
}

const rateOf = (set) => set.aer.toFixed(2).replace(/^0/, "");

/** The error rates of a hypothesis in words; "" if there is no gold standard. */
function describeRates(links) {
  const rated = ["aligner", "attention"].filter((name) => links?.[name]?.aer !== undefined);
  return rated.length ? text.rateList(rated.map((name) => text.rates[name](rateOf(links[name])))) : "";
}
