// Markdown as elements. There is no raw HTML: what is not Markdown is text.

import { colour } from "./colours.js";
import { copyButton } from "./copying.js";
import { el } from "./dom.js";
import { inline } from "./markdown_inline.js";
import { visible } from "./text.js";

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$/;
const HEADING = /^ {0,3}(#{1,6})[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/;
const RULE = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const QUOTE = /^ {0,3}> ?/;
const ITEM = /^( {0,3})([-*+]|\d{1,9}[.)])([ \t]+|$)/;
const TABLE_RULE = /^ {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$/;
const MAX_DEPTH = 12;

/** Elements for a text. */
export function markdown(text) {
  return blocksOf(text).map((block) => render(block, 0));
}

/**
 * An element that shows a growing text: what has not changed stays as it is.
 *
 * @returns {{element: HTMLElement, update: function(string)}}
 */
export function growingMarkdown() {
  const element = el("div", { class: "markdown", dir: "auto" });
  let shown = [];
  function update(text) {
    const blocks = blocksOf(text);
    let same = 0;
    while (same < shown.length && same < blocks.length && isSame(shown[same], blocks[same])) same++;
    while (element.childNodes.length > same) element.lastChild.remove();
    for (const block of blocks.slice(same)) element.append(render(block, 0));
    shown = blocks;
  }
  return { element, update };
}

function isSame(one, other) {
  return one.kind === other.kind && one.note === other.note && one.length === other.length && one.lines.join("\n") === other.lines.join("\n");
}

/** A text in blocks: `kind`, `lines`, and what a kind notes, such as the language of code. */
function blocksOf(text) {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const blocks = [];
  for (let at = 0; at < lines.length; ) {
    if (!lines[at].trim()) {
      at++;
      continue;
    }
    const block = codeAt(lines, at) ?? lineAt(lines, at) ?? tableAt(lines, at) ?? quoteAt(lines, at) ?? listAt(lines, at) ?? paragraphAt(lines, at);
    blocks.push(block);
    at += block.length;
  }
  return blocks;
}

function codeAt(lines, at) {
  const open = FENCE.exec(lines[at]);
  if (!open) return null;
  const close = new RegExp(`^ {0,3}\\${open[1][0]}{${open[1].length},}[ \\t]*$`);
  let end = at + 1;
  while (end < lines.length && !close.test(lines[end])) end++;
  return { kind: "code", note: open[2], lines: lines.slice(at + 1, end), length: end - at + 1, isClosed: end < lines.length };
}

function lineAt(lines, at) {
  const heading = HEADING.exec(lines[at]);
  if (heading) return { kind: "heading", note: heading[1].length, lines: [heading[2]], length: 1 };
  return RULE.test(lines[at]) ? { kind: "rule", lines: [], length: 1 } : null;
}

function tableAt(lines, at) {
  if (!lines[at].includes("|") || !TABLE_RULE.test(lines[at + 1] ?? "")) return null;
  if (cellsOf(lines[at]).length !== cellsOf(lines[at + 1]).length) return null;
  let end = at + 2;
  while (end < lines.length && lines[end].includes("|")) end++;
  return { kind: "table", lines: lines.slice(at, end), length: end - at };
}

function quoteAt(lines, at) {
  if (!QUOTE.test(lines[at])) return null;
  let end = at + 1;
  while (end < lines.length && QUOTE.test(lines[end])) end++;
  return { kind: "quote", lines: lines.slice(at, end).map((line) => line.replace(QUOTE, "")), length: end - at };
}

function listAt(lines, at) {
  const first = ITEM.exec(lines[at]);
  if (!first) return null;
  const isOrdered = /\d/.test(first[2]);
  let end = at + 1;
  while (end < lines.length && belongsToList(lines, end, isOrdered)) end++;
  while (!lines[end - 1].trim()) end--;
  const start = isOrdered ? Number.parseInt(first[2], 10) : null;
  return { kind: "list", note: start, lines: lines.slice(at, end), length: end - at };
}

function belongsToList(lines, at, isOrdered) {
  const line = lines[at];
  if (!line.trim()) {
    const next = lines[at + 1] ?? "";
    return /^(?: {2,}|\t)/.test(next) || isItem(next, isOrdered);
  }
  return /^(?: {2,}|\t)/.test(line) || isItem(line, isOrdered) || (lines[at - 1].trim() !== "" && !startsBlock(line));
}

function isItem(line, isOrdered) {
  const item = ITEM.exec(line);
  return item !== null && /\d/.test(item[2]) === isOrdered && !RULE.test(line);
}

function startsBlock(line) {
  return [FENCE, HEADING, RULE, QUOTE, ITEM].some((pattern) => pattern.test(line));
}

function paragraphAt(lines, at) {
  let end = at + 1;
  while (end < lines.length && lines[end].trim() && !startsBlock(lines[end])) end++;
  return { kind: "paragraph", lines: lines.slice(at, end), length: end - at };
}

const RENDER = {
  code: ({ note, lines, isClosed }) => codeBlock(lines.join("\n"), note, { isGrowing: !isClosed }),
  heading: ({ note, lines }) => el(`h${Math.min(note + 2, 6)}`, {}, ...inline(lines[0])),
  list: (block, depth) => listOf(block, depth),
  paragraph: ({ lines }) => el("p", {}, ...inline(lines.map((line) => line.trim()).join("\n"))),
  quote: ({ lines }, depth) => el("blockquote", {}, within(lines, depth)),
  rule: () => el("hr"),
  table: ({ lines }) => tableOf(lines),
};

function render(block, depth) {
  return RENDER[block.kind](block, depth);
}

function within(lines, depth) {
  if (depth >= MAX_DEPTH) return [visible(lines.join("\n"))];
  return blocksOf(lines.join("\n")).map((block) => render(block, depth + 1));
}

/** Code, or a text that is to stand as it is; it has colours once it is complete. */
export function codeBlock(text, language = "", { isGrowing = false } = {}) {
  const code = el("code", { dir: "ltr" }, visible(text));
  if (language && !isGrowing) colour(code, text, language);
  const head = el("div", { class: "code-head" }, el("span", { class: "language" }, visible(language)), copyButton("Copy this", () => text));
  return el("div", { class: "code-block" }, head, el("pre", { tabindex: "0" }, code));
}

function listOf({ lines, note }, depth) {
  const items = [];
  const outermost = ITEM.exec(lines[0])[1].length;
  let indent = 0;
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item && item[1].length < outermost + 2) {
      indent = item[0].length;
      items.push([line.slice(indent)]);
    } else {
      items.at(-1).push(line.replace(new RegExp(`^(?: {1,${Math.max(indent, 2)}}|\\t)`), ""));
    }
  }
  const rows = items.map((each) => el("li", {}, tight(within(each, depth))));
  return note === null ? el("ul", {}, rows) : el("ol", { start: note }, rows);
}

/** A single paragraph without its margins. */
function tight(nodes) {
  return nodes.flatMap((node) => (node.nodeName === "P" ? [el("span", { class: "line" }, ...node.childNodes)] : [node]));
}

function tableOf([head, rule, ...rows]) {
  const sides = cellsOf(rule).map((cell) => (cell.endsWith(":") ? (cell.startsWith(":") ? "center" : "end") : null));
  const row = (tag, line) =>
    el("tr", {}, cellsOf(line).slice(0, sides.length).map((cell, at) => el(tag, { "data-align": sides[at] }, inline(cell))));
  const table = el("table", {}, el("thead", {}, row("th", head)), el("tbody", {}, rows.map((line) => row("td", line))));
  return el("div", { class: "table-scroll", tabindex: "0", role: "region", "aria-label": "Table" }, table);
}

function cellsOf(line) {
  const text = line.trim().replace(/^\|/, "").replace(/(?<!\\)\|$/, "");
  return text.split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\\\|/g, "|"));
}
