// The requests of a run that is read. Those that the run has asked are shown once the server says that
// they wait, also while it goes on; those with which it ends, at once.

import { requestCard } from "./request_card.js";

const AGAIN_MS = 1_500;

export class RunRequests {
  #waiting;
  #view;
  #asked = new Set();
  #open = new Map();
  #isOver = false;
  #forget;
  #onDecided;

  /** @param {{waiting: Waiting, view: RunView, onDecided: function()}} options The last is called when the run goes on. */
  constructor({ waiting, view, onDecided }) {
    this.#waiting = waiting;
    this.#view = view;
    this.#onDecided = onDecided;
    this.#forget = waiting.watch((requests, askedAt) => this.#update(requests, askedAt));
  }

  /** Take a request of which an event has told: the server keeps it a moment later. */
  ask({ key }) {
    this.#asked.add(key);
    this.#waiting.refresh();
    setTimeout(() => this.#asked.has(key) && this.#waiting.refresh(), AGAIN_MS);
  }

  /** The run has ended, and waits for these; or for none. */
  end(requests) {
    this.#asked.clear();
    const wanted = new Set(requests.map((each) => each.key));
    for (const key of [...this.#open.keys()]) if (!wanted.has(key)) this.#close(key);
    this.#isOver = true;
    for (const each of requests) this.#show(each);
    if (this.#open.size) this.#waiting.refresh();
    else this.#forget();
  }

  /** The run cannot be read any more. */
  close() {
    this.#forget();
  }

  #show(request) {
    const { key } = request;
    if (this.#open.has(key)) return;
    const card = requestCard(request, async (decision) => {
      const again = await this.#waiting.decide(request.run_id, decision);
      if (!again) this.#drop(key);
      return again;
    });
    this.#asked.delete(key);
    this.#open.set(key, { card, since: performance.now() });
    this.#view.append(card.element);
  }

  #update(requests, askedAt) {
    const known = new Map(requests.filter((each) => each.run_id === this.#view.runId).map((each) => [each.key, each]));
    for (const key of [...this.#asked]) if (known.has(key)) this.#show(known.get(key));
    for (const [key, { card, since }] of [...this.#open]) {
      if (known.has(key)) card.update(known.get(key));
      else if (askedAt >= since) this.#close(key); // an answer that was on its way does not know of it
    }
  }

  #close(key) {
    this.#open.get(key).card.close(this.#waiting.wordFor({ run_id: this.#view.runId, key }));
    this.#drop(key);
  }

  #drop(key) {
    if (!this.#open.delete(key) || !this.#isOver || this.#open.size) return;
    this.#forget();
    this.#onDecided();
  }
}
