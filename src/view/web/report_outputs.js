// The table of the training report: the translations of the dev set, which can be searched and sorted.

const SIZE = 20; // sentences on a page

/** The text of `translation` as nodes that mark where it differs from the reference: <ins> for words that only the
 * translation has, <del> for words that only the reference has. Long texts are not compared. */
function markedTexts(reference, translation) {
  const space = /\s/.test(reference + translation) ? " " : ""; // before the first words, too
  const [given, written] = [reference, translation].map((sentence) => wordsOf(space + sentence));
  if (given.length * written.length > 1e6) return [translation];
  const nodes = [];
  const mark = (tag, words) => {
    const marked = words.join("");
    if (marked) nodes.push(marked.match(/^\s*/)[0], make(tag, {}, marked.trimStart()));
  };
  let [i, j] = [0, 0];
  for (const [m, n] of [...commonWords(given, written), [given.length, written.length]]) {
    mark("del", given.slice(i, m));
    mark("ins", written.slice(j, n));
    if (n < written.length) nodes.push(written[n]);
    [i, j] = [m + 1, n + 1];
  }
  return nodes.length ? [nodes[0].trimStart(), ...nodes.slice(1)] : nodes;
}

/** The validations that the columns show at first: the first, one in the middle, and the best or the last; of two trainings
 * the best or the last of each. */
function firstColumns(validations) {
  const ends = runs.map((run) => {
    const ofRun = validations.filter((one) => one.run === run);
    return validations.indexOf(ofRun.find(({ update }) => update === run.best?.update) ?? ofRun.at(-1));
  });
  return runs.length > 1 ? ends : [...new Set([0, ends[0] >> 1, ends[0]])];
}

/** What the page says about the validations of a training that the table does not have. */
function leftOutOf(run) {
  const updates = run.outputs.validations.map(({ update }) => update);
  const said = leftOut(run, updates, updates.length, run.outputs.recorded, text.translations);
  return said && named(run, said);
}

/** A text as the search compares it: upper and lower case are equal, and so are characters of other widths. */
const folded = (content) => content.normalize("NFKC").toLowerCase();

/** The functions that give the value by which the table is sorted, for validation `k` in the last column and `before` in the
 * column before it. */
const sortValues = {
  number: (_, sentence) => sentence,
  score: ({ validations }, sentence, k) => validations[k].scores[sentence],
  gain: ({ validations }, sentence, k, before) => validations[k].scores[sentence] - validations[before].scores[sentence],
  length: ({ pairs }, sentence) => wordsOf(pairs[sentence][0]).length,
};

/** The sentences that the search finds in these columns, sorted. */
function chosenSentences(outputs, columns) {
  const { pairs, validations } = outputs, [k, before] = [...columns].reverse();
  const wanted = folded($("find").value.trim()), sign = $("order").value === "descending" ? -1 : 1;
  const textsOf = (sentence) => [...pairs[sentence], ...columns.map((column) => validations[column].texts[sentence])];
  const found = [...pairs.keys()].filter((sentence) => textsOf(sentence).some((one) => folded(one).includes(wanted)));
  const value = new Map(found.map((sentence) => [sentence, sortValues[$("sort").value](outputs, sentence, k, before)]));
  return found.sort((a, b) => sign * (value.get(a) - value.get(b)) || a - b);
}

/** The translation of a sentence at a validation, and its score. */
function contentOf({ pairs }, { texts, scores }, sentence) {
  const content = $("marks").checked ? markedTexts(pairs[sentence][1], texts[sentence]) : [texts[sentence]];
  return [...content, " ", make("small", {}, make("span", {}, "chrF "), scores[sentence].toFixed(1))];
}

/** The translations of a sentence at the validations at which they changed, in a cell of `span` columns. */
function historyOf(outputs, sentence, span) {
  const { validations } = outputs;
  const isChange = ({ run, texts }, before) => before?.run !== run || before.texts[sentence] !== texts[sentence];
  const changes = validations.filter((validation, k) => isChange(validation, validations[k - 1]));
  const list = make("dl");
  for (const validation of changes) {
    const { update, run } = validation;
    list.append(make("dt", {}, named(run, moment(update, run) + result(update, run))));
    list.append(make("dd", {}, ...contentOf(outputs, validation, sentence)));
  }
  const cell = make("td", { colspan: span }, list);
  if (changes.length < validations.length) cell.append(make("p", { class: "hint" }, text.unchanged));
  return cell;
}

/** "sentences 1 to 20 of 45", or "found 12 of 45" */
function rangeOf({ pairs, total }, from, to, found) {
  const all = pairs.length < total ? text.part(shown(pairs.length, 0), shown(total, 0)) : shown(total, 0);
  if (!$("find").value.trim()) return text.range(from + 1, to, all);
  return text.found(found, all) + (found > SIZE ? text.foundRange(from + 1, to) : "");
}

/** The sentences that all trainings have, and the validations of all. */
function mergedOutputs() {
  const pairs = own.outputs.pairs.slice(0, Math.min(...runs.map(({ outputs }) => outputs.pairs.length)));
  const validations = runs.flatMap((run) => run.outputs.validations.map((one) => ({ ...one, run })));
  return { total: own.outputs.total, pairs, validations };
}

function showOutputs() {
  const outputs = mergedOutputs(), { pairs, validations } = outputs;
  const names = validations.map(({ update, run }) => named(run, text.update(shown(update, 0)) + result(update, run)));
  const [, sourceName, referenceName] = [...document.querySelectorAll("#outputs thead th")].map((head) => head.textContent);
  let columns, page;

  function toggle(button, row, sentence) {
    const opens = button.getAttribute("aria-expanded") === "false";
    button.setAttribute("aria-expanded", opens);
    if (!opens) return row.nextSibling.remove();
    row.after(make("tr", {}, make("td"), historyOf(outputs, sentence, columns.length + 2)));
  }

  function rowOf(sentence) {
    const [source, reference] = pairs[sentence];
    const button = make("button", { type: "button", "aria-expanded": false }, `${sentence + 1}`);
    const cell = (column, ...content) => make("td", { "data-column": column }, ...content);
    const given = [cell(sourceName, source), cell(referenceName, reference)];
    const translations = columns.map((k) => cell(names[k], ...contentOf(outputs, validations[k], sentence)));
    const row = make("tr", {}, make("td", {}, button), ...given, ...translations);
    button.addEventListener("click", () => toggle(button, row, sentence));
    return row;
  }

  function draw() {
    const found = chosenSentences(outputs, columns), pages = Math.max(Math.ceil(found.length / SIZE), 1);
    page = Math.min(Math.max(Math.floor(page) || 0, 0), pages - 1);
    const from = page * SIZE, to = Math.min(from + SIZE, found.length);
    $("range").textContent = rangeOf(outputs, from, to, found.length);
    $("page").max = pages;
    $("page").value = page + 1;
    $("before").disabled = page === 0;
    $("after").disabled = page === pages - 1;
    $("marked").hidden = !$("marks").checked;
    $("translations").replaceChildren(...found.slice(from, to).map(rowOf));
  }

  // ---- the choices, which the address keeps ----

  const updateOf = (k) => `${validations[k].run.letter}${validations[k].update}`;

  /** The choices that are not those of a fresh page. */
  function choices() {
    const kept = { find: $("find").value.trim(), page: page ? page + 1 : "", marks: $("marks").checked ? "" : "hidden" };
    if ($("sort").selectedIndex) kept.sort = $("sort").value;
    if ($("order").selectedIndex) kept.order = $("order").value;
    const updates = columns.map(updateOf).join(" ");
    if (updates !== firstColumns(validations).map(updateOf).join(" ")) kept.updates = updates;
    return Object.entries(kept).filter(([, value]) => value);
  }

  function go(to) {
    page = to;
    draw();
    history.replaceState(null, "", `#${new URLSearchParams(choices())}`);
  }

  /** The head of a column: the choice of its validation, and on paper its name. */
  function headOf(column) {
    const options = names.map((name, k) => make("option", { value: k }, name));
    const select = make("select", { "aria-label": text.validation }, ...options);
    const name = make("span", {}, names[columns[column]]);
    select.value = columns[column];
    select.addEventListener("change", () => {
      columns[column] = Number(select.value);
      name.textContent = names[columns[column]];
      go(page);
    });
    return make("th", { scope: "col", class: "chosen" }, select, name);
  }

  /** Shows what the address says. */
  function restore() {
    const kept = new URLSearchParams(location.hash.slice(1)), first = firstColumns(validations);
    const wanted = kept.get("updates")?.split(" ").map((update) => validations.findIndex((_, k) => updateOf(k) === update));
    columns = wanted?.length === first.length && !wanted.includes(-1) ? wanted : first;
    $("find").value = kept.get("find") ?? "";
    $("marks").checked = kept.get("marks") !== "hidden";
    for (const name of ["sort", "order"]) {
      $(name).value = kept.get(name) ?? "";
      if ($(name).selectedIndex < 0) $(name).selectedIndex = 0;
    }
    page = Number(kept.get("page")) - 1;
    for (const head of document.querySelectorAll("#outputs .chosen")) head.remove();
    document.querySelector("#outputs thead tr").append(...columns.map((_, column) => headOf(column)));
    draw();
  }

  if (firstColumns(validations).length < 2) $("sort").querySelector("[value=gain]").remove();
  explain($("score"), "chrf");
  note("columns-left-out", runs.map(leftOutOf).filter(Boolean).join(" "));
  $("find").addEventListener("input", () => go(0));
  for (const name of ["sort", "order"]) $(name).addEventListener("change", () => go(0));
  $("marks").addEventListener("change", () => go(page));
  $("page").addEventListener("change", () => go($("page").valueAsNumber - 1));
  $("before").addEventListener("click", () => go(page - 1));
  $("after").addEventListener("click", () => go(page + 1));
  addEventListener("hashchange", restore);
  restore();
}
