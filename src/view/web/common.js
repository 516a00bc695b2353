// The first script of every page: functions that find and make elements, and one that copies text.
const $ = (id) => document.getElementById(id);

/** Makes an element with attributes and children (elements or text), in the SVG namespace if it is an SVG tag. */
function make(tag, attributes = {}, ...children) {
  const drawn = ["svg", "g", "rect", "path", "text", "line", "circle", "title", "polyline"].includes(tag);
  const element = drawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

/** Copies without the clipboard API: some browsers do not allow it for a page that was opened from a file. */
function copySelected(text) {
  const field = make("textarea", { class: "copied", readonly: "" }), focused = document.activeElement;
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  focused?.focus();
  return copied;
}

/** Copies a text to the clipboard. Resolves to whether the browser let the page do it. */
const copyText = (text) =>
  (navigator.clipboard?.writeText(text) ?? Promise.reject()).then(() => true, () => copySelected(text));
