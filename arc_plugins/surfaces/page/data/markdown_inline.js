// What stands within a line of Markdown. Links show where they lead, and no image is loaded.

import { el } from "./dom.js";
import { visible } from "./text.js";

const address = (name) => String.raw`<?(?<${name}>[^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)>?(?:\s+"[^"\n]*")?`;
const SPECIAL = new RegExp(
  [
    String.raw`\\(?<escaped>[!-\/:-@\[-\x60{-~])`,
    "(?<!`)(?<ticks>`+)(?!`)(?<code>[^`](?:[^`]|`(?!\\k<ticks>))*?)\\k<ticks>(?!`)",
    String.raw`!\[(?<alt>[^\]\n]*)\]\(${address("source")}\)`,
    String.raw`\[(?<label>(?:[^\[\]\n]|\[[^\[\]\n]*\])+)\]\(${address("target")}\)`,
    String.raw`<?(?<bare>https?:\/\/[^\s<>\x60"]*[^\s<>\x60".,:;!?)\]*_~'])>?`,
    String.raw`(?<strongMark>\*\*|__)(?=\S)(?<strong>(?:(?!\k<strongMark>)[\s\S])+?)\k<strongMark>`,
    String.raw`~~(?=\S)(?<deleted>[^~]+)~~`,
    String.raw`\*(?=\S)(?<emphasis>[^*]*[^*\s])\*`,
    String.raw`(?<![\p{L}\p{N}_])_(?=\S)(?<emphasized>[^_]*[^_\s])_(?![\p{L}\p{N}_])`,
    String.raw`(?: {2,}|\\)?\n(?<end>)`,
  ].join("|"),
  "gu",
);
const MAX_CHARS = 20_000; // what is longer is not prose, and patterns would take their time
const MAX_DEPTH = 6;

/** Nodes for a text within a block. */
export function inline(text, depth = 0) {
  if (text.length > MAX_CHARS || depth > MAX_DEPTH) return [visible(text)];
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(SPECIAL)) {
    nodes.push(visible(text.slice(end, found.index)), ...nodesOf(found, depth));
    end = found.index + found[0].length;
  }
  nodes.push(visible(text.slice(end)));
  return nodes;
}

function nodesOf(found, depth) {
  const { escaped, code, alt, source, label, target, bare, strong, deleted, emphasis, emphasized } = found.groups;
  if (escaped !== undefined) return [escaped];
  if (code !== undefined) return [el("code", { dir: "ltr" }, visible(code.replace(/\n/g, " ")))];
  if (alt !== undefined) return image(alt, source);
  if (label !== undefined) return link(label, target, depth);
  if (bare !== undefined) return [anchor(bare) ?? visible(bare)];
  if (strong !== undefined) return [el("strong", {}, ...inline(strong, depth + 1))];
  if (deleted !== undefined) return [el("del", {}, ...inline(deleted, depth + 1))];
  const stressed = emphasis ?? emphasized;
  if (stressed !== undefined) return [el("em", {}, ...inline(stressed, depth + 1))];
  return [el("br")];
}

/** The words of a link, and beside them the whole address, which is what leads there. */
function link(label, address, depth) {
  const target = anchor(address);
  if (!target) return [...inline(label, depth + 1), " (", el("bdi", {}, visible(address)), ")"];
  if (label === address || label === target.textContent) return [target];
  return [...inline(label, depth + 1), " (", target, ")"];
}

/** An image is not loaded: that alone would tell its host that it was read. */
function image(alt, address) {
  const target = anchor(address) ?? el("bdi", {}, visible(address.slice(0, 200)));
  return [el("span", { class: "not-loaded" }, "image ", el("bdi", {}, visible(alt)), " (", target, ")")];
}

/** A link to a page or an address of mail, shown as the browser understands it; else null. */
export function anchor(address) {
  const url = urlOf(address);
  if (!url) return null;
  const options = { href: url.href, target: "_blank", rel: "noopener noreferrer", referrerpolicy: "no-referrer", dir: "ltr" };
  return el("a", options, visible(url.href));
}

function urlOf(address) {
  if (!/^(?:https?|mailto):/i.test(address)) return null;
  try {
    return new URL(address);
  } catch {
    return null;
  }
}
