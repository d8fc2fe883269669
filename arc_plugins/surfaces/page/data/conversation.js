// One conversation: what was said, and the run that goes on in it. It goes on when another one is
// looked at.

import { ApiError, randomId } from "./api.js";
import { approvalCard } from "./approval_card.js";
import { attachmentList, attachmentsOf, textOf } from "./content.js";
import { announce, el } from "./dom.js";
import { readRun } from "./events.js";
import { RunView } from "./run_view.js";
import { visible } from "./text.js";

export class Conversation extends EventTarget {
  #api;
  #approvals;
  #reading = null;
  #runId = "";

  /** @param {{api: Api, approvals: Approvals, sessionId: string}} options */
  constructor({ api, approvals, sessionId }) {
    super();
    this.#api = api;
    this.#approvals = approvals;
    this.sessionId = sessionId;
    this.element = el("div", { class: "log", role: "log", "aria-live": "off", "aria-label": "Conversation" });
  }

  get isRunning() {
    return this.#reading !== null;
  }

  get isEmpty() {
    return this.element.childElementCount === 0;
  }

  /** Show what was said before, and read on what still runs. */
  async load() {
    const path = `api/conversations/${encodeURIComponent(this.sessionId)}`;
    const { messages, running } = await this.#api.get(path, this.#api.ofUser);
    this.element.replaceChildren();
    let view = null;
    for (const message of messages) view = this.#show(message, view);
    view?.close();
    if (running) this.follow(running);
  }

  /** Ask an agent, and show what comes. */
  ask({ text, attachments, agent }) {
    this.#showQuestion(attachments.length ? [{ type: "text", text }, ...attachments] : text);
    const command = { user_prompt: text, agent, session_id: this.sessionId, ...this.#api.ofUser };
    if (attachments.length) command.attachments = attachments;
    return this.#read({ runId: randomId(), command, agent });
  }

  /** Show a run that goes on, waits or has ended. */
  follow(runId) {
    return this.#read({ runId });
  }

  /** End the run. */
  async stop() {
    if (!this.isRunning) return;
    announce("Stopping");
    const path = `api/runs/${encodeURIComponent(this.#runId)}/cancel`;
    await this.#api.post(path).catch(() => this.#reading?.abort());
  }

  async #read({ runId, command, agent = "" }) {
    const view = new RunView({ runId, agent });
    this.element.append(el("article", { class: "message answer", "aria-label": "Answer" }, view.element));
    await this.#readInto(view, { command });
  }

  async #readInto(view, { command, after = "" }) {
    this.#runId = view.runId;
    this.#reading = new AbortController();
    this.#tell("change");
    view.note("…");
    announce("Answering");
    try {
      await this.#takeAll(view, { command, after, signal: this.#reading.signal });
    } catch (error) {
      view.fail(error instanceof ApiError ? error.message : "The answer could not be shown.");
      if (!(error instanceof ApiError) && error.name !== "AbortError") console.warn(error);
    } finally {
      this.#reading = null;
      this.#tell("change");
    }
  }

  async #takeAll(view, { command, after, signal }) {
    const onConnection = (isThere) => view.note(isThere ? "…" : "The connection was lost. Trying again …");
    let requests = [];
    let last = after;
    for await (const { id, name, data } of readRun(this.#api, { runId: view.runId, command, after, signal, onConnection })) {
      last = id || last;
      view.take(data);
      if (name === "approval") requests = [...requests, data.request];
      this.#announce(name, data, view);
      this.#tell("grow");
      if (name === "done") requests = data.result.waiting ?? [];
    }
    if (requests.length) this.#wait(view, requests, last);
    this.#tell("end");
  }

  /** Let a person decide, here or elsewhere, and read on then. */
  #wait(view, requests, last) {
    const open = new Map();
    const done = (key) => {
      if (open.delete(key) && !open.size) {
        forget();
        this.#readInto(view, { after: last });
      }
    };
    for (const request of requests) {
      const card = approvalCard(request, async (decision) => {
        const again = await this.#approvals.decide(request.run_id, decision);
        if (!again) done(request.key);
        return again;
      });
      open.set(request.key, card);
      view.append(card.element);
    }
    const since = performance.now();
    const forget = this.#approvals.watch((waiting, askedAt) => {
      if (askedAt < since) return; // an answer that was on its way does not know of these requests
      const known = new Map(waiting.filter((each) => each.run_id === view.runId).map((each) => [each.key, each]));
      for (const [key, card] of [...open]) {
        if (known.has(key)) {
          card.update(known.get(key));
          continue;
        }
        card.close(this.#approvals.wordFor({ run_id: view.runId, key }) ?? "decided elsewhere");
        done(key);
      }
    });
    this.#approvals.refresh();
  }

  #announce(name, data, view) {
    if (name === "tool_start" || name === "delegated_tool_start") announce(`Tool ${data.call.name} is running`);
    if (name === "approval") announce(`${data.request.tool} waits for approval`);
    if (name === "done") announce(endOf(data.result));
  }

  #show(message, view) {
    if (message.type === "user_message") {
      view?.close();
      this.#showQuestion(message.content);
      return null;
    }
    const shown = view ?? this.#newAnswer();
    if (message.type === "assistant_message") shown.takeMessage(message);
    if (message.type === "tool_result_message") shown.takeResults(message.results);
    return shown;
  }

  #newAnswer() {
    const view = new RunView();
    this.element.append(el("article", { class: "message answer", "aria-label": "Answer" }, view.element));
    return view;
  }

  #showQuestion(content) {
    const text = el("div", { class: "said", dir: "auto" }, visible(textOf(content)));
    const attached = attachmentList(attachmentsOf(content));
    this.element.append(el("article", { class: "message question", "aria-label": "You" }, attached, text));
  }

  #tell(name) {
    this.dispatchEvent(new Event(name));
  }
}

function endOf(result) {
  if (result.waiting?.length) return "The run waits for approval";
  if (!result.success) return "The run has failed";
  return `Answer: ${(result.content ?? "").slice(0, 300)}`;
}
