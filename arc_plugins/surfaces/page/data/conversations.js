// The list of the conversations of this user.

import { button, el } from "./dom.js";
import { icon } from "./icons.js";
import { plain, visible } from "./text.js";
import { relative } from "./words.js";

export class ConversationList {
  #api;
  #onDelete;
  #current = "";
  #items = el("ul", { class: "conversation-list" });
  #note = el("p", { class: "muted", hidden: true });
  #search = el("input", { type: "search", placeholder: "Search", "aria-label": "Search in conversations" });
  #asked = 0;

  /** @param {{api: Api, onDelete: function(string)}} options */
  constructor({ api, onDelete }) {
    this.#api = api;
    this.#onDelete = onDelete;
    const start = el("a", { class: "button primary wide", href: "#/new" }, "New conversation");
    this.#search.addEventListener("input", () => this.refresh().catch((error) => this.#say(error.message)));
    this.element = el("div", { class: "conversations" }, start, el("h2", {}, "Conversations"), this.#search, this.#note, this.#items);
  }

  /** Ask for the list; a refusal is thrown, since another key may help. */
  async refresh() {
    const words = this.#search.value.trim();
    const asked = ++this.#asked;
    try {
      const query = { ...this.#api.ofUser, ...(words ? { search: words } : {}) };
      const { conversations } = await this.#api.get("api/conversations", query);
      if (asked === this.#asked) this.#show(conversations, words); // else a later search is on its way
    } catch (error) {
      if (error.isRefusal) throw error;
      this.#say(error.message ?? "The conversations cannot be listed.");
    }
  }

  /** Mark the one that is looked at. */
  mark(sessionId) {
    this.#current = sessionId;
    for (const link of this.#items.querySelectorAll("a")) {
      if (link.dataset.session === sessionId) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  #show(conversations, words) {
    const none = words ? "Nothing was found." : "What you ask is listed here.";
    this.#say(conversations.length ? "" : none);
    this.#items.replaceChildren(...conversations.map((each) => this.#item(each)));
    this.mark(this.#current);
  }

  #item({ session_id: id, title, updated_at: at }) {
    const name = title || "Untitled";
    const link = el("a", { href: `#/chat/${encodeURIComponent(id)}`, "data-session": id },
      el("bdi", { class: "title" }, visible(name)), el("span", { class: "muted" }, relative(at)));
    const label = `Delete ${plain(name)}`;
    const remove = button(icon("close"), () => this.#delete(id, name), { class: "icon-button small", "aria-label": label });
    return el("li", {}, link, remove);
  }

  async #delete(id, name) {
    if (!confirm(`Delete “${plain(name)}” for good?`)) return;
    try {
      await this.#api.delete(`api/conversations/${encodeURIComponent(id)}`, this.#api.ofUser);
      this.#onDelete(id);
      await this.refresh();
    } catch (error) {
      this.#say(error.message);
    }
  }

  #say(text) {
    this.#note.replaceChildren(visible(text));
    this.#note.hidden = !text;
  }
}
