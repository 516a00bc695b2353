// The first script of every page: its data, and functions that find and make elements.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);

/** Makes an element with attributes and children (elements or text), in the SVG namespace if it is an SVG tag. */
function make(tag, attributes = {}, ...children) {
  const drawn = ["svg", "g", "rect", "path", "text", "line", "circle", "title", "polyline"].includes(tag);
  const element = drawn ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}
