// The view of a chat: one conversation of many, and the composer below it.

import { randomId, withQuery } from "./api.js";
import { Composer } from "./composer.js";
import { Conversation } from "./conversation.js";
import { button, el } from "./dom.js";
import { isolated, visible } from "./text.js";

const DEFAULT_AGENT = "default";
const NEAR_END_PX = 80;
const MOST_KEPT = 20;

export class ChatView {
  #api;
  #agents;
  #waiting;
  #list;
  #kept = new Map();
  #current = null;
  #isAtEnd = true;
  #growth = new ResizeObserver(() => this.#current.isRunning && this.#stayAtEnd());
  #scroll = el("div", { class: "chat-scroll", tabindex: "0", role: "region", "aria-label": "Messages" });
  #composer;

  /** @param {{api: Api, agents: Object[], waiting: Waiting, list: ConversationList}} options */
  constructor({ api, agents, waiting, list }) {
    this.#api = api;
    this.#agents = agents;
    this.#waiting = waiting;
    this.#list = list;
    this.#composer = new Composer({ agents, onSend: (asked) => this.#send(asked), onStop: () => this.#current.stop() });
    this.#scroll.addEventListener("scroll", () => {
      const { scrollHeight, scrollTop, clientHeight } = this.#scroll;
      this.#isAtEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    });
    this.#composer.onAgent(() => this.#current.isEmpty && this.#show(this.#current));
    this.element = el("section", { class: "chat", "aria-label": "Chat" }, this.#scroll, this.#composer.element);
  }

  /** Begin a new conversation. */
  begin() {
    this.#show(this.#current?.isEmpty ? this.#current : this.#keep(randomId()));
    this.#composer.focus();
  }

  /** Show a conversation; if none is named, the one that was looked at last. */
  async open(sessionId) {
    if (!sessionId) {
      if (this.#current) this.#show(this.#current);
      else this.begin();
      return;
    }
    const known = this.#kept.get(sessionId);
    if (known) {
      this.#show(known);
      return;
    }
    await this.#fill(this.#keep(sessionId), (conversation) => conversation.load());
  }

  /** Show a run, such as one that goes on after a decision. */
  async openRun(runId) {
    await this.#fill(this.#keep(randomId()), (conversation) => conversation.follow(runId));
  }

  /** Let go of a conversation that was deleted. */
  forget(sessionId) {
    this.#kept.delete(sessionId);
    if (this.#current?.sessionId === sessionId) location.hash = "#/new";
  }

  async #fill(conversation, load) {
    this.#show(conversation);
    try {
      await load(conversation);
    } catch (error) {
      this.#kept.delete(conversation.sessionId);
      conversation.element.replaceChildren(el("p", { class: "failure", role: "alert" }, visible(error.message)));
    }
    if (this.#current === conversation) this.#show(conversation);
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  #keep(sessionId) {
    for (const [id, each] of this.#kept) {
      if (this.#kept.size >= MOST_KEPT && !each.isRunning) this.#kept.delete(id);
    }
    const conversation = new Conversation({ api: this.#api, waiting: this.#waiting, sessionId });
    conversation.addEventListener("change", () => this.#onChange(conversation));
    conversation.addEventListener("again", ({ detail }) => this.#askAgain(conversation, detail));
    conversation.addEventListener("end", () => this.#list.refresh().catch(() => {}));
    this.#kept.set(sessionId, conversation);
    return conversation;
  }

  #show(conversation) {
    this.#growth.disconnect();
    this.#growth.observe(conversation.element);
    this.#current = conversation;
    const welcome = conversation.isEmpty ? this.#welcome() : null;
    this.#scroll.replaceChildren(...[welcome, conversation.element].filter(Boolean));
    this.#composer.isRunning = conversation.isRunning;
    this.#list.mark(conversation.sessionId);
  }

  #welcome() {
    const agent = this.#agents.find((each) => each.name === this.#composer.agent);
    const title = agent && agent.name !== DEFAULT_AGENT ? isolated(agent.name) : "What can I do for you?";
    const about = agent?.description ? el("p", { dir: "auto" }, visible(agent.description)) : null;
    const examples = (agent?.examples ?? []).map((text) => el("li", {}, button(isolated(text), () => this.#send({ text, attachments: [], agent: agent.name }), { class: "example", dir: "auto" })));
    const list = examples.length ? el("ul", { class: "examples", "aria-label": "Examples" }, examples) : null;
    const hint = el("p", { class: "muted" }, "Enter sends, Shift and Enter begin a line. Files may be dropped or pasted.");
    return el("div", { class: "welcome" }, el("h1", {}, title), about, list, hint);
  }

  #send(asked) {
    const conversation = this.#current;
    this.#scroll.replaceChildren(conversation.element);
    conversation.ask(asked);
    history.replaceState(null, "", `#/chat/${encodeURIComponent(conversation.sessionId)}`);
    this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }

  /** Ask in a conversation of its own that begins as this one does, unless nothing was kept of the question. */
  async #askAgain(conversation, { question, asked }) {
    const asks = { ...asked, agent: asked.agent ?? this.#composer.agent };
    try {
      const { before, stored } = await conversation.turnsBefore(question);
      if (before === stored) conversation.remove(question);
      else await this.#branch(conversation, before);
      this.#send(asks);
    } catch (error) {
      this.#composer.complain(error.message);
    }
  }

  async #branch(conversation, turns) {
    const sessionId = randomId();
    const path = `api/conversations/${encodeURIComponent(conversation.sessionId)}/branches`;
    if (turns) await this.#api.post(withQuery(path, this.#api.ofUser), { session_id: sessionId, turns });
    const branch = this.#keep(sessionId);
    if (turns) await branch.load();
    this.#show(branch);
  }

  #onChange(conversation) {
    if (this.#current !== conversation) return;
    this.#composer.isRunning = conversation.isRunning;
    requestAnimationFrame(() => this.#stayAtEnd());
  }

  /** Follow what grows, unless the reader has gone back to read. */
  #stayAtEnd() {
    if (this.#isAtEnd) this.#scroll.scrollTop = this.#scroll.scrollHeight;
  }
}
