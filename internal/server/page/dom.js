// Elements are made by calls, and text is always text: nothing that a file, a log or a person said is read as HTML.

const svgNames = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

export const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
export const s = (tag, attributes, ...children) => fill(document.createElementNS(svgNames, tag), attributes, children);

export const byId = (id) => document.getElementById(id);

// say tells a screen reader, and everybody else at the foot of the page.
let silence;
export function say(text) {
  clearTimeout(silence);
  byId("said").textContent = text;
  if (text) silence = setTimeout(() => say(""), 8000);
}
