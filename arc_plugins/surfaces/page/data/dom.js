// Elements, made without markup: what a model wrote can only ever become text.

/**
 * An element with attributes, listeners and children.
 *
 * @param {string} tag
 * @param {Object} [options] `class`, `on` (listeners by event), else attributes; `true` is an empty
 *   attribute, and `false`, `null` and `undefined` are left out.
 * @param {...(Node|string|null|undefined|Array)} children Texts become text nodes; a list of any length is
 *   one argument, since a call takes some ten thousand at most.
 */
export function el(tag, options = {}, ...children) {
  return fill(document.createElement(tag), options, children);
}

const SVG = "http://www.w3.org/2000/svg";

/** The same for a drawing. */
export function svg(tag, options = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), options, children);
}

function fill(element, { on = {}, ...attributes }, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  for (const child of children.flat()) {
    if (child !== null && child !== undefined) element.append(child);
  }
  return element;
}

/** Tell people with a screen reader, once. */
export function announce(text) {
  document.getElementById("status").textContent = text;
}

/** A button with a word or an icon on it. */
export function button(label, onClick, options = {}) {
  return el("button", { type: "button", on: { click: onClick }, ...options }, label);
}

/** What opens and closes by a click, Enter or the space bar. */
export function foldable(summary, body, { open = false, ...options } = {}) {
  return el("details", { open, ...options }, el("summary", {}, summary), body);
}
