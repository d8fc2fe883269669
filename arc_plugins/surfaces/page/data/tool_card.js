// A tool call: what it was called with, how far it is, and what it gave.

import { el, foldable } from "./dom.js";
import { attachmentList, attachmentsOf, textOf } from "./content.js";
import { codeBlock } from "./markdown.js";
import { isolated, visible } from "./text.js";
import { duration, outcomeOf, pretty } from "./words.js";

const MAX_CHARS = 100_000;

export class ToolCard {
  #state = el("span", { class: "tool-state" }, "running");
  #progress = el("div", { class: "tool-progress", hidden: true });
  #result = el("div", { class: "tool-result" });

  /** @param {{id: string, name: string, arguments: string}} call */
  constructor(call) {
    this.callId = call.id;
    this.name = call.name;
    this.arguments = call.arguments;
    const summary = el("span", { class: "tool-line" }, isolated(call.name, { class: "tool-name" }), this.#state);
    const body = el("div", { class: "tool-body" }, part("Arguments", bounded(pretty(call.arguments))), this.#result);
    const card = foldable(summary, body);
    this.element = el("div", { class: "tool-card", "data-state": "running" }, card, this.#progress);
  }

  /** Whether it has no result yet, also if it waits for a person. */
  get isRunning() {
    return ["running", "waiting"].includes(this.element.dataset.state);
  }

  isOf({ id, name, arguments: written }) {
    return this.callId === id && this.name === name && this.arguments === written;
  }

  /** How far it is, as the tool says. */
  report({ message, fraction = null }) {
    const bar = fraction === null ? null : el("progress", { max: "1", value: String(fraction), "aria-label": "Progress" });
    this.#progress.replaceChildren(...[bar, isolated(message)].filter(Boolean));
    this.#progress.hidden = false;
  }

  /** What it gave. */
  finish({ outcome = "success", content }, durationMs = null) {
    this.element.dataset.state = outcome === "success" ? "success" : "failure";
    this.#state.textContent = outcomeOf(outcome) + (durationMs === null ? "" : ` · ${duration(durationMs)}`);
    this.#progress.remove();
    const text = part("Result", bounded(pretty(textOf(content))));
    this.#result.replaceChildren(...[text, attachmentList(attachmentsOf(content))].filter(Boolean));
  }

  /** Another state than running and finished. */
  mark(state, words) {
    this.element.dataset.state = state;
    this.#state.textContent = words;
    this.#progress.remove();
  }
}

function part(title, body) {
  return el("section", {}, el("h4", {}, title), body);
}

/** The beginning of a text as a block, and how much more there is. */
export function bounded(text) {
  if (text.length <= MAX_CHARS) return codeBlock(text);
  const rest = el("p", { class: "muted" }, visible(`${(text.length - MAX_CHARS).toLocaleString("en")} more characters are not shown.`));
  return el("div", {}, codeBlock(text.slice(0, MAX_CHARS)), rest);
}
