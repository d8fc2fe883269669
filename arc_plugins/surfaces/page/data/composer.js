// What is written and attached, and to whom.

import { attachmentList, attachmentOf } from "./content.js";
import { button, el } from "./dom.js";
import { icon } from "./icons.js";
import { plain, visible } from "./text.js";

export class Composer {
  #attachments = [];
  #onSend;
  #onStop;
  #text = el("textarea", { rows: "1", placeholder: "Ask something …", "aria-label": "Your message", dir: "auto" });
  #attached = el("div", { class: "attached" });
  #problem = el("p", { class: "failure", role: "alert", hidden: true });
  #send = el("button", { type: "submit", class: "primary" }, "Send");
  #stop;
  #agent;

  /** @param {{agents: Object[], onSend: function(Object), onStop: function()}} options */
  constructor({ agents, onSend, onStop }) {
    this.#onSend = onSend;
    this.#onStop = onStop;
    this.#agent = el("select", { "aria-label": "Agent" }, ...agents.map(optionOf));
    this.#stop = button("Stop", () => this.#onStop(), { hidden: true });
    const file = el("input", { type: "file", multiple: true, class: "visually-hidden", tabindex: "-1", "aria-label": "Files to attach", on: { change: () => this.#take(file) } });
    const attach = button(icon("plus"), () => file.click(), { class: "icon-button", "aria-label": "Attach files" });
    const tools = el("div", { class: "composer-tools" }, attach, file, this.#agent, el("span", { class: "space" }), this.#stop, this.#send);
    this.element = el("form", { class: "composer", on: { submit: (event) => this.#submit(event) } }, this.#problem, this.#attached, this.#text, tools);
    this.#listen();
  }

  get agent() {
    return this.#agent.value;
  }

  focus() {
    this.#text.focus();
  }

  /** Say why what was asked for is not done. */
  complain(words) {
    this.#problem.replaceChildren(visible(words));
    this.#problem.hidden = false;
  }

  /** A run that goes on can be stopped; until it ends nothing more is asked. */
  set isRunning(isRunning) {
    this.#stop.hidden = !isRunning;
    this.#send.hidden = isRunning;
  }

  onAgent(listener) {
    this.#agent.addEventListener("change", listener);
  }

  #listen() {
    this.#text.addEventListener("input", () => this.#grow());
    this.#text.addEventListener("keydown", (event) => {
      // Enter also ends a syllable of Korean or Japanese, and means that alone then.
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.element.requestSubmit();
    });
    this.#text.addEventListener("paste", (event) => this.#add(event.clipboardData.files, event));
    this.element.addEventListener("dragover", (event) => event.preventDefault());
    this.element.addEventListener("drop", (event) => this.#add(event.dataTransfer.files, event));
  }

  #submit(event) {
    event.preventDefault();
    const text = this.#text.value.trim();
    if (this.#send.hidden || !(text || this.#attachments.length)) return;
    const attachments = this.#attachments;
    this.#attachments = [];
    this.#problem.hidden = true;
    this.#text.value = "";
    this.#show();
    this.#grow();
    this.#onSend({ text, attachments, agent: this.agent });
  }

  #take(input) {
    this.#add(input.files);
    input.value = "";
  }

  async #add(files, event) {
    if (!files.length) return;
    event?.preventDefault();
    this.#problem.hidden = true;
    for (const file of [...files]) {
      try {
        this.#attachments = [...this.#attachments, await attachmentOf(file)];
      } catch (error) {
        this.complain(error.message);
      }
    }
    this.#show();
  }

  #show() {
    const onRemove = (gone) => {
      this.#attachments = this.#attachments.filter((each) => each !== gone);
      this.#show();
      this.focus();
    };
    this.#attached.replaceChildren(...[attachmentList(this.#attachments, { onRemove })].filter(Boolean));
  }

  #grow() {
    this.#text.style.height = "auto";
    this.#text.style.height = `${Math.min(this.#text.scrollHeight, 240)}px`;
  }
}

function optionOf({ name, description }) {
  return el("option", { value: name, title: plain(description) || null }, plain(name));
}
