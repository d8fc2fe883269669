// Code in colours, by highlight.js. Of the markup that it gives, the classes and the text are taken.

import { el } from "./dom.js";
import { visible } from "./text.js";

const MAX_CHARS = 50_000;
const PATIENCE_MS = 2_000; // then the code stays as it is
const TAGS = /(<span class="[^"<>]*">|<\/span>)/;
const ENTITIES = { "&amp;": "&", "&gt;": ">", "&lt;": "<", "&quot;": '"', "&#x27;": "'" };

const address = new URL("colour_worker.js", import.meta.url).href;
const policy = self.trustedTypes?.createPolicy("arc-colours", { createScriptURL: () => address });

let worker = null;
let last = Promise.resolve();

/**
 * Colour an element that shows code.
 *
 * @returns {Promise<boolean>} Whether it has colours now.
 */
export function colour(element, text, language) {
  if (text.length > MAX_CHARS) return Promise.resolve(false);
  last = last.then(async () => {
    const markup = await ask(text, language);
    if (markup) element.replaceChildren(...nodesOf(markup));
    return Boolean(markup);
  });
  return last;
}

/** What the library makes of a text, one after the other; nothing if it takes too long. */
function ask(text, language) {
  worker ??= new Worker(policy ? policy.createScriptURL("") : address, { type: "module" });
  const { promise, resolve } = promised();
  const end = () => {
    worker?.terminate();
    worker = null;
    resolve("");
  };
  const timer = setTimeout(end, PATIENCE_MS);
  worker.onmessage = ({ data }) => resolve(data.markup);
  worker.onerror = end;
  worker.postMessage({ text, language });
  return promise.finally(() => clearTimeout(timer));
}

function promised() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}

function nodesOf(markup) {
  const root = el("code");
  const open = [root];
  for (const piece of markup.split(TAGS)) {
    if (piece.startsWith('<span class="')) {
      const span = el("span", { class: piece.slice('<span class="'.length, -2) });
      open.at(-1).append(span);
      open.push(span);
    } else if (piece === "</span>") {
      if (open.length > 1) open.pop();
    } else {
      open.at(-1).append(visible(piece.replace(/&(?:amp|gt|lt|quot|#x27);/g, (entity) => ENTITIES[entity])));
    }
  }
  return [...root.childNodes];
}
