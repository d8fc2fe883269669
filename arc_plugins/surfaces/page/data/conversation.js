// One conversation: what was said, and the run that goes on in it. It goes on when another one is
// looked at.

import { ApiError, randomId } from "./api.js";
import { attachmentList, attachmentsOf, textOf } from "./content.js";
import { copyButton } from "./copying.js";
import { announce, button, el } from "./dom.js";
import { readRun } from "./events.js";
import { icon } from "./icons.js";
import { wordsFor } from "./request_card.js";
import { RunRequests } from "./run_requests.js";
import { RunView } from "./run_view.js";
import { visible } from "./text.js";

const REQUESTS = new Set(["approval", "question", "login"]);

export class Conversation extends EventTarget {
  #api;
  #waiting;
  #questions = [];
  #reading = null;
  #runId = "";

  /** @param {{api: Api, waiting: Waiting, sessionId: string}} options */
  constructor({ api, waiting, sessionId }) {
    super();
    this.#api = api;
    this.#waiting = waiting;
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
    this.#questions = [];
    let view = null;
    for (const message of messages) view = this.#show(message, view);
    view?.close();
    if (running) this.follow(running);
  }

  /** Ask an agent, and show what comes. */
  ask({ text, attachments, agent }) {
    this.#showQuestion(attachments.length ? [{ type: "text", text }, ...attachments] : text, agent);
    const command = { user_prompt: text, agent, session_id: this.sessionId, ...this.#api.ofUser };
    if (attachments.length) command.attachments = attachments;
    return this.#read({ runId: randomId(), command, agent });
  }

  /**
   * How many turns the server has kept of what was said before a question, and in all.
   *
   * @throws {ApiError} Others have gone on with the conversation, or it cannot be read.
   */
  async turnsBefore(question) {
    const path = `api/conversations/${encodeURIComponent(this.sessionId)}`;
    const { messages = [] } = await this.#api.get(path, this.#api.ofUser, { also: [404] });
    const stored = messages.filter((each) => each.type === "user_message").length;
    const answered = this.#questions.filter((each) => each.view?.isAnswered);
    const kept = [answered, this.#questions].find((each) => each.length === stored); // of failed runs nothing, or the question
    if (!kept) throw new ApiError("This conversation has gone on elsewhere. Load the page again to see it all.");
    const before = this.#questions.slice(0, this.#questions.indexOf(question));
    return { before: kept.filter((each) => before.includes(each)).length, stored };
  }

  /** Take a question and its answer away, as one that has come to nothing. */
  remove(question) {
    this.#questions = this.#questions.filter((each) => each !== question);
    question.element.remove();
    question.answer?.remove();
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
    const view = this.#newAnswer({ runId, agent });
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
    let last = after;
    const requests = new RunRequests({ waiting: this.#waiting, view, onDecided: () => this.#readInto(view, { after: last }) });
    try {
      for await (const { id, name, data } of readRun(this.#api, { runId: view.runId, command, after, signal, onConnection })) {
        last = id || last;
        view.take(data);
        if (REQUESTS.has(name)) requests.ask(data.request);
        this.#announce(name, data, view);
        if (name === "done") requests.end(data.result.waiting ?? []);
      }
    } catch (error) {
      requests.close();
      throw error;
    }
    this.#tell("end");
  }

  #announce(name, data, view) {
    if (name === "tool_start" || name === "delegated_tool_start") announce(`Tool ${data.call.name} is running`);
    if (REQUESTS.has(name)) announce(wordsFor(data.request));
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

  #newAnswer(options) {
    const view = new RunView(options);
    const question = this.#questions.at(-1);
    const again = question && !question.view ? button(icon("again"), () => this.#askAgain(question), { class: "icon-button small", "aria-label": "Answer again", title: "Answer again" }) : null;
    const actions = el("div", { class: "actions" }, copyButton("Copy the answer", () => view.text), again);
    const answer = el("article", { class: "message answer", "aria-label": "Answer" }, view.element, actions);
    if (again) Object.assign(question, { view, answer });
    this.element.append(answer);
    return view;
  }

  #showQuestion(content, agent) {
    const text = el("div", { class: "said", dir: "auto" }, visible(textOf(content)));
    const attached = attachmentList(attachmentsOf(content));
    const question = { content, agent, element: el("article", { class: "message question", "aria-label": "You" }) };
    const edit = button(icon("edit"), () => this.#edit(question), { class: "icon-button small", "aria-label": "Edit the question", title: "Edit the question" });
    const actions = el("div", { class: "actions" }, copyButton("Copy the question", () => textOf(content)), edit);
    question.shown = [attached, text, actions].filter(Boolean);
    question.element.append(...question.shown);
    this.#questions.push(question);
    this.element.append(question.element);
  }

  /** Let the words of a question be changed in its place. */
  #edit(question) {
    if (this.isRunning) return;
    const back = () => {
      question.element.replaceChildren(...question.shown);
      question.element.querySelector("[aria-label='Edit the question']").focus();
    };
    const words = el("textarea", { "aria-label": "The question", dir: "auto", rows: "3", on: { keydown: (event) => event.key === "Escape" && back() } });
    words.value = textOf(question.content);
    const submit = (event) => {
      event.preventDefault();
      if (!words.value.trim()) return;
      back();
      this.#askAgain(question, words.value.trim());
    };
    const buttons = el("div", { class: "request-actions" }, el("button", { type: "submit", class: "primary" }, "Ask"), button("Cancel", back));
    question.element.replaceChildren(el("form", { class: "edit", on: { submit } }, words, buttons));
    words.focus();
  }

  /** Have a question answered anew, with what was said before it; what came of it is kept. */
  #askAgain(question, text = textOf(question.content)) {
    if (this.isRunning) return;
    const asked = { text, attachments: attachmentsOf(question.content), agent: question.agent };
    this.dispatchEvent(new CustomEvent("again", { detail: { question, asked } }));
  }

  #tell(name) {
    this.dispatchEvent(new Event(name));
  }
}

function endOf(result) {
  if (result.waiting?.length) return `The run waits: ${wordsFor(result.waiting[0])}`;
  if (!result.success) return "The run has failed";
  return `Answer: ${(result.content ?? "").slice(0, 300)}`;
}
