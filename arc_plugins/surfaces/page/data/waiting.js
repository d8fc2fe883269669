// What waits for people: kept up to date, counted beside the link, and listed in a view.

import { el } from "./dom.js";
import { requestCard, wordOf } from "./request_card.js";
import { visible } from "./text.js";

const EVERY_MS = 20_000;
const LOGIN_EVERY_MS = 2_000; // a login ends elsewhere, and its user looks here for what comes of it

/** What waits, as the server said last. */
export class Waiting {
  #api;
  #watchers = new Set();
  #decided = new Map();
  #timer = 0;

  constructor(api) {
    this.#api = api;
  }

  /** Look now, and from then on while the page is looked at. */
  start() {
    this.refresh();
    document.addEventListener("visibilitychange", () => document.hidden || this.refresh());
  }

  #lookAgain(ms) {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => (document.hidden ? this.#lookAgain(ms) : this.refresh()), ms);
  }

  /** Be told what waits, and when that was asked, each time it is known anew; gives what ends it. */
  watch(watcher) {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  async refresh() {
    const askedAt = performance.now();
    let requests;
    try {
      ({ requests } = await this.#api.get("api/approvals"));
    } catch {
      this.#lookAgain(EVERY_MS);
      return; // what was known stays, and the next look may find the server
    }
    this.#lookAgain(requests.some((each) => each.kind === "login") ? LOGIN_EVERY_MS : EVERY_MS);
    for (const watcher of [...this.#watchers]) watcher(requests, askedAt);
  }

  /** What was decided about a request in this page, in a word; nothing if it was not. */
  wordFor({ run_id: runId, key }) {
    return this.#decided.get(`${runId} ${key}`);
  }

  /** Decide about a request; gives the request if another person has to approve it, too. */
  async decide(runId, decision) {
    const name = `${runId} ${decision.key}`;
    this.#decided.set(name, wordOf(decision)); // a look meanwhile may find it gone
    try {
      const { request = null } = await this.#api.post(`api/runs/${encodeURIComponent(runId)}/decisions`, decision);
      if (request) this.#decided.delete(name);
      this.refresh();
      return request;
    } catch (error) {
      this.#decided.delete(name);
      throw error;
    }
  }
}

/** The view of all that waits. Cards that are there stay, with what was typed into them. */
export class WaitingView {
  #waiting;
  #cards = new Map();
  #list = el("div", { class: "request-list" });
  #empty = el("p", { class: "muted" }, "Nothing waits for a person.");

  constructor(waiting) {
    this.#waiting = waiting;
    this.element = el("section", { class: "page-section" }, el("h1", {}, "Waiting"), this.#empty, this.#list);
    waiting.watch((requests) => this.#show(requests));
  }

  #show(requests) {
    const wanted = new Map(requests.map((request) => [`${request.run_id} ${request.key}`, request]));
    for (const [name, card] of this.#cards) {
      if (wanted.has(name)) continue;
      card.element.remove();
      this.#cards.delete(name);
    }
    for (const [name, request] of wanted) {
      if (this.#cards.has(name)) this.#cards.get(name).update(request);
      else this.#cards.set(name, this.#add(request));
    }
    this.#empty.hidden = this.#cards.size > 0;
  }

  #add(request) {
    const card = requestCard(request, (decision) => this.#waiting.decide(request.run_id, decision));
    const run = el("a", { href: `#/run/${encodeURIComponent(request.run_id)}`, class: "muted" }, "Follow the run ", visible(request.run_id));
    const element = el("div", {}, card.element, run);
    this.#list.append(element);
    return { ...card, element };
  }
}
