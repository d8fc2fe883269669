// Copying what is shown.

import { announce, button, el } from "./dom.js";
import { icon } from "./icons.js";
import { plain } from "./text.js";

const SHOWN_MS = 1_500;

/** A button that copies a text: what is hidden in it is copied as it is shown. */
export function copyButton(label, textOf) {
  const copied = button(icon("copy"), copy, { class: "icon-button small", "aria-label": label, title: label });
  async function copy() {
    const isDone = await put(plain(textOf().replace(/\r\n/g, "\n")));
    announce(isDone ? "Copied" : "It could not be copied");
    copied.replaceChildren(icon(isDone ? "check" : "close"));
    setTimeout(() => copied.replaceChildren(icon("copy")), SHOWN_MS);
  }
  return copied;
}

/** Whether it was copied; browsers have the clipboard on secure origins only, and the old way on others. */
async function put(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text).then(() => true, () => false);
  const field = el("textarea", { class: "visually-hidden", "aria-hidden": "true" });
  field.value = text;
  document.body.append(field);
  field.select();
  const isDone = document.execCommand("copy");
  field.remove();
  return isDone;
}
