// A run as it was recorded: what it was asked, what it took, and its turns; kept up to date while it goes on.

import { copyButton } from "./copying.js";
import { el, foldable } from "./dom.js";
import { isolated, visible } from "./text.js";
import { timeline } from "./timeline.js";
import { bounded } from "./tool_card.js";
import { cost, count, counted, pretty, relative, share, span } from "./words.js";

const EVERY_MS = 2_000;

/** Where a run is, in a word, and how good that is. */
function stateOf({ state, error_code: code }) {
  if (state === "finished") return code ? [code === "CANCELLED" ? "cancelled" : "failed", "error"] : ["answered", "ok"];
  return [state, { waiting: "warning", held: "warning", incompatible: "error", running: "running" }[state] ?? ""];
}

export function stateWord(run) {
  const [word, level] = stateOf(run);
  return el("span", { class: "state-word", "data-state": level }, visible(word));
}

export class RecordView {
  #api;
  #id;
  #path;
  #timer = null;
  #version = "";
  #open = new Set();
  #steps = new Map();
  #head = el("div", { class: "record-head" });
  #body = el("div", { class: "record-body" });
  #problem = el("p", { class: "failure", role: "alert", hidden: true });

  constructor(api, id) {
    this.#api = api;
    this.#id = id;
    this.#path = `api/runs/${encodeURIComponent(id)}/steps`;
    const all = el("p", {}, el("a", { href: "#/runs" }, "All runs"));
    const title = el("h1", { class: "record-title" }, "Run ", isolated(id), copyButton("Copy the run's id", () => id));
    this.element = el("article", { class: "record" }, all, title, this.#problem, this.#head, this.#body);
  }

  open() {
    this.#timer = setInterval(() => document.hidden || this.#ask(), EVERY_MS);
    this.#ask();
  }

  close() {
    clearInterval(this.#timer);
    this.#timer = null;
  }

  async #ask() {
    let found = null;
    try {
      found = await this.#api.getNew(this.#path, {}, this.#version);
    } catch (error) {
      this.#tell(error.message);
      if (error.status) this.close();
      return;
    }
    this.#tell("");
    if (!found || this.#timer === null) return;
    this.#version = found.version;
    this.#show(found.value);
    if (found.value.run.state === "finished") this.close();
  }

  #tell(problem) {
    this.#problem.replaceChildren(visible(problem));
    this.#problem.hidden = !problem;
  }

  #show(record) {
    this.#head.replaceChildren(...headOf(record, this.#id));
    const focused = document.activeElement?.closest?.("[data-step]")?.dataset.step;
    this.#body.replaceChildren(timeline(record, { stepOf: (step, make) => this.#reuse(step, make), whole: (name) => this.#whole(name) }));
    if (focused && !this.#body.contains(document.activeElement)) this.#body.querySelector(`[data-step="${CSS.escape(focused)}"] summary`)?.focus();
  }

  /** What is shown of a step, the same as before if nothing of it has changed: what was open stays so. */
  #reuse(step, make) {
    const known = JSON.stringify(step);
    if (this.#steps.get(step.name)?.known !== known) this.#steps.set(step.name, { known, element: make() });
    return this.#steps.get(step.name).element;
  }

  async #whole(name) {
    const path = `${this.#path}/${name.split("/").map(encodeURIComponent).join("/")}`;
    return bounded(pretty(await this.#api.get(path)));
  }
}

function headOf({ run, prompt, usage, cost: money, attempts, deaths, steps }, id) {
  const died = deaths + steps.reduce((sum, each) => sum + each.deaths, 0);
  const facts = [
    ["State", stateWord(run)],
    ["Agent", isolated(run.agent)],
    ["User", run.user_id ? isolated(run.user_id) : null],
    ["Began", el("time", { datetime: run.since, title: new Date(run.since).toLocaleString() }, relative(run.since))],
    ["Took", run.finished_at ? span(new Date(run.finished_at) - new Date(run.since)) : null],
    ["Turns", String(Math.max(0, ...steps.filter((each) => !each.place).map((each) => each.turn)))],
    ["Tokens", tokensOf(usage)],
    ["Cost", money === null ? null : cost(money)],
    ["Attempts", attempts > 1 ? [count(attempts), died ? `${counted(died, "process")} died` : null].filter(Boolean).join(", ") : null],
  ].filter(([, value]) => value);
  const list = el("dl", { class: "record-facts" }, ...facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
  const asked = foldable("Prompt", el("div", { class: "record-text", dir: "auto" }, visible(prompt)), { class: "record-prompt", open: prompt.length < 400 });
  const chat = el("p", {}, el("a", { href: `#/run/${encodeURIComponent(id)}` }, "Follow it in the chat"));
  return [list, run.problem ? el("p", { class: "failure" }, visible(run.problem)) : "", asked, chat];
}

function tokensOf({ prompt_tokens: asked, completion_tokens: said, cached_tokens: cached }) {
  return asked + said ? `${count(asked)} in, ${count(said)} out${cached ? `, ${share(cached / asked)} cached` : ""}` : null;
}
