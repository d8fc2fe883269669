// What a run tells, as it tells it. Runs of other agents that it starts stand folded inside it.

import { attachmentList, attachmentsOf, textOf } from "./content.js";
import { copyButton } from "./copying.js";
import { el, foldable } from "./dom.js";
import { codeBlock, growingMarkdown } from "./markdown.js";
import { isolated, visible } from "./text.js";
import { ToolCard } from "./tool_card.js";
import { factsOf, failureOf, pretty, roomMade } from "./words.js";

export class RunView {
  #parts = [];
  #cards = [];
  #children = new Map();
  #timer = 0;
  #pauseMs = 0;
  #body = el("div", { class: "run-body" });
  #foot = el("div", { class: "run-foot" });

  constructor({ runId = "", agent = "" } = {}) {
    this.runId = runId;
    this.agent = agent;
    this.isAnswered = false;
    this.element = el("div", { class: "run" }, this.#body, this.#foot);
  }

  /** Take an event in its JSON form. */
  take(event) {
    const isOwn = !event.run_id || event.run_id === this.runId;
    if (isOwn) this.#takeOwn(event);
    else this.#viewBelow(event).take(event);
  }

  /** A message of the assistant that was read from a conversation. */
  takeMessage({ content = "", reasoning = [], tool_calls: calls = [] }) {
    for (const { text } of reasoning) if (text) this.#addText("reasoning", text);
    const text = textOf(content);
    if (text) this.#addText("text", text);
    this.#showPictures(content);
    for (const call of calls) this.#startTool(call);
    this.#draw();
  }

  /** Results that were read from a conversation. */
  takeResults(results) {
    for (const result of results) this.#cardFor(result.call_id, result.name)?.finish(result);
  }

  /** Nothing more comes: what was read of a conversation is all there is. */
  close() {
    this.isAnswered = true;
    this.#end();
  }

  /** Put something below, such as a request that waits for a person. */
  append(node) {
    this.#body.append(node);
  }

  /** Say that something went wrong on the way. */
  fail(message) {
    this.#end();
    this.#foot.replaceChildren(failureNote(message, this.runId));
  }

  /** What was answered, as it was written. */
  get text() {
    const said = this.#parts.filter((part) => part.kind === "text" || part.kind === "output");
    return said.map((part) => part.text).join("\n\n");
  }

  /** Say what is going on while there is nothing else to see; nothing if empty. */
  note(text) {
    this.#foot.replaceChildren(...(text ? [el("p", { class: "note" }, text)] : []));
  }

  #takeOwn(event) {
    const take = {
      agent_handed_off: () => this.#say(event.agent, "takes over"),
      context_compacted: () => this.#note(roomMade(event)),
      reasoning_delta: () => this.#addText("reasoning", event.text),
      run_finished: () => this.#finish(event.result),
      text_delta: () => this.#addText("text", event.text),
      tool_call_finished: () => this.#finishTool(event),
      tool_call_progress: () => this.#cardFor(event.call_id)?.report(event),
      tool_call_started: () => this.#startTool(event.call),
      turn_restarted: () => this.#dropTurn(),
    }[event.type];
    take?.();
  }

  #viewBelow(event) {
    const known = this.#children.get(event.run_id);
    if (known) return known;
    const within = [...this.#children.values()].find((each) => event.parent_run_id && each.holds(event.parent_run_id));
    if (within) return within.#viewBelow(event);
    const view = new RunView({ runId: event.run_id, agent: event.agent ?? "another agent" });
    this.#children.set(event.run_id, view);
    const title = el("span", {}, "Agent ", isolated(view.agent));
    this.#body.append(foldable(title, view.element, { class: "run-below" }));
    return view;
  }

  /** Whether a run is this one, or below it. */
  holds(runId) {
    return runId === this.runId || [...this.#children.values()].some((each) => each.holds(runId));
  }

  #say(agent, words) {
    this.agent = agent;
    this.#note(isolated(agent), ` ${words}`);
  }

  #note(...words) {
    this.#add({ kind: "note", element: el("p", { class: "note" }, ...words) });
  }

  #addText(kind, text) {
    let part = this.#parts.at(-1);
    if (part?.kind !== kind) part = this.#add(kind === "text" ? textPart() : reasoningPart());
    part.text += text;
    part.isStale = true;
    this.#timer ||= setTimeout(() => requestAnimationFrame(() => this.#draw()), this.#pauseMs);
  }

  /** Bring what is shown up to date; once a frame, however many pieces come, and seldom if it takes long. */
  #draw() {
    clearTimeout(this.#timer);
    this.#timer = 0;
    const begin = performance.now();
    for (const part of this.#parts) {
      if (!part.isStale) continue;
      part.update(part.text);
      part.isStale = false;
    }
    this.#pauseMs = 4 * (performance.now() - begin);
  }

  #add(part) {
    this.#parts.push(part);
    this.#body.append(part.element);
    return part;
  }

  #startTool(call) {
    if (call.id && this.#cards.some((card) => card.isRunning && card.isOf(call))) return; // it begins again
    const card = new ToolCard(call);
    this.#cards.push(card);
    this.#add({ kind: "tool", element: card.element });
  }

  #finishTool({ result, duration_ms: durationMs }) {
    this.#cardFor(result.call_id, result.name)?.finish(result, durationMs);
  }

  /** Ids of calls may be empty or repeated: the first that still runs is meant. */
  #cardFor(callId, name) {
    const running = this.#cards.filter((card) => card.isRunning && card.callId === callId);
    return running.find((card) => name === undefined || card.name === name) ?? running[0];
  }

  /** What came of the model call before does not count. */
  #dropTurn() {
    while (this.#parts.length && this.#parts.at(-1).kind !== "tool") this.#parts.pop().element.remove();
  }

  #finish(result) {
    const isWaiting = (result.waiting ?? []).length > 0;
    if (isWaiting) this.#waitWith(result);
    else if (result.success) this.#answer(result);
    this.#end(isWaiting);
    if (isWaiting) return;
    const facts = el("p", { class: "facts" }, ...factsOf(result).flatMap((fact, at) => (at ? [" · ", isolated(fact)] : [isolated(fact)])));
    this.isAnswered = result.success;
    const failure = result.success ? null : failureNote(failureOf(result), this.runId);
    this.#foot.replaceChildren(...[failure, facts].filter(Boolean));
  }

  /** The answer counts, if filters or repairs have made another one of what was streamed. */
  #answer(result) {
    const texts = this.#parts.filter((part) => part.kind === "text");
    const streamed = texts.map((part) => part.text).join("");
    if (result.has_output) {
      texts.at(-1)?.element.remove();
      const text = pretty(result.content ?? "");
      this.#add({ kind: "output", text, element: codeBlock(text, "JSON") });
    } else if (result.content && !streamed.endsWith(result.content)) {
      const part = texts.at(-1) ?? this.#add(textPart());
      Object.assign(part, { text: result.content, isStale: true });
    }
    for (const { type, content } of result.messages ?? []) if (type === "assistant_message") this.#showPictures(content);
  }

  /** What the model has made beside its words. */
  #showPictures(content) {
    const list = attachmentList(attachmentsOf(content));
    if (list) this.#add({ kind: "pictures", element: list });
  }

  #waitWith(result) {
    const tools = new Set(result.waiting.map((request) => request.tool));
    for (const card of this.#cards) if (card.isRunning && tools.has(card.name)) card.mark("waiting", "waits for a person");
  }

  #end(isWaiting = false) {
    this.#draw();
    this.#foot.replaceChildren();
    if (isWaiting) return;
    for (const card of this.#cards) if (card.isRunning) card.mark("failure", "not finished");
  }
}

function textPart() {
  return { kind: "text", text: "", isStale: false, ...growingMarkdown() };
}

function reasoningPart() {
  const body = el("div", { class: "reasoning-text", dir: "auto" });
  const element = foldable("Reasoning", body, { class: "reasoning" });
  const update = (text) => body.replaceChildren(visible(text));
  return { kind: "reasoning", text: "", isStale: false, element, update };
}

/** The words, and the id by which people who look after the server find the run in its logs. */
function failureNote(words, runId) {
  const run = runId ? el("div", { class: "run-id" }, "Run ", isolated(runId), copyButton("Copy the run's id", () => runId)) : null;
  return el("div", { class: "failure", role: "alert" }, visible(words), run);
}
