// The language of a page: Chinese or English, as the browser prefers. Each page has a file of texts, which defines `text`.

/** The language of the page: "en" or "zh". */
const language = navigator.languages.map((tag) => tag.slice(0, 2)).find((code) => ["en", "zh"].includes(code)) ?? "en";
document.documentElement.lang = language === "zh" ? "zh-Hans" : "en";

/** Fills the elements of the markup that name a text: its content, aria-label, title or placeholder. An element whose text
 * the page does not have in this language keeps its own, which is English. Then fills the list of keys. */
function fillTexts() {
  const places = { text: "textContent", label: "ariaLabel", help: "title", placeholder: "placeholder" };
  for (const [name, property] of Object.entries(places))
    for (const element of document.querySelectorAll(`[data-${name}]`))
      element[property] = text[element.dataset[name]] ?? element[property];
  for (const row of text.keys ?? []) addKey(...row);
}

/** Adds keys, separated by spaces, to the list of keys. */
function addKey(key, meaning) {
  const names = key.split(" ").flatMap((name) => [make("kbd", {}, name), " "]);
  document.querySelector("#keys table").append(make("tr", {}, make("td", {}, ...names), make("td", {}, meaning)));
}
