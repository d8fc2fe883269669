// The runs that this key may see: a list that keeps itself up to date, and one of them as a timeline.

import { announce, button, el } from "./dom.js";
import { RecordView, stateWord } from "./record.js";
import { isolated, plain, visible } from "./text.js";
import { cost, counted, relative, span } from "./words.js";

const EVERY_MS = 3_000;
const SOON_MS = 300;
const SHORT_ID = 13;
const STATES = [
  ["Any state", {}],
  ["Running", { state: "running" }],
  ["Waiting for a person", { state: "waiting" }],
  ["Queued", { state: "queued" }],
  ["Held", { state: "held" }],
  ["Answered", { state: "finished", failed: "false" }],
  ["Failed", { state: "finished", failed: "true" }],
];
const AGES = [
  ["Any time", 0],
  ["Last hour", 3_600],
  ["Last day", 86_400],
  ["Last week", 7 * 86_400],
  ["Last 30 days", 30 * 86_400],
];
const HEADS = ["Run", "State", "Agent", "User", "Cost", "Began", "Took"];

export class RunsView {
  #api;
  #list;
  #record = null;

  /** @param {{api: Api, agents: {name: string}[]}} options */
  constructor({ api, agents }) {
    this.#api = api;
    this.#list = new RunList(api, agents);
    this.element = el("section", { class: "page-section runs" }, this.#list.element);
  }

  /** Show the list, or the run of an id. */
  open(id) {
    this.close();
    if (id) {
      this.#record = new RecordView(this.#api, id);
      this.element.replaceChildren(this.#record.element);
      this.#record.open();
    } else {
      this.element.replaceChildren(this.#list.element);
      this.#list.open();
    }
  }

  /** Ask for nothing any more. */
  close() {
    this.#list.close();
    this.#record?.close();
    this.#record = null;
  }
}

class RunList {
  #api;
  #filters;
  #rows = new Map();
  #body = el("tbody");
  #problem = el("p", { class: "failure", role: "alert", hidden: true });
  #empty = el("p", { class: "muted", hidden: true }, "No run is like this.");
  #newest = button("Newest runs", () => this.#turnTo(""), { hidden: true });
  #older = button("Older runs", () => this.#turnTo(this.#next), { hidden: true });
  #after = "";
  #next = null;
  #version = "";
  #asked = 0;
  #timer = null;

  constructor(api, agents) {
    this.#api = api;
    this.#filters = filtersOf(agents, (isTyped) => this.#filter(isTyped));
    const head = el("tr", {}, ...HEADS.map((each) => el("th", { scope: "col" }, each)));
    const table = el("table", { class: "data run-list" }, el("caption", { class: "visually-hidden" }, "Runs, newest first"), el("thead", {}, head), this.#body);
    const pages = el("div", { class: "pages" }, this.#newest, this.#older);
    this.element = el("div", {}, el("h1", {}, "Runs"), this.#filters.element, this.#problem, this.#empty, el("div", { class: "table-scroll" }, table), pages);
    document.addEventListener("visibilitychange", () => this.#timer && this.#ask());
  }

  open() {
    this.#timer = setInterval(() => this.#ask(), EVERY_MS);
    this.#ask();
  }

  close() {
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #filter(isTyped) {
    this.#after = "";
    clearTimeout(this.#asked);
    this.#asked = setTimeout(() => this.#ask({ isNew: true }), isTyped ? SOON_MS : 0);
  }

  #turnTo(place) {
    this.#after = place;
    this.#ask({ isNew: true });
    document.getElementById("main").scrollTo(0, 0);
  }

  /** Ask what there is; what was asked for before, and comes later, does not count. */
  async #ask({ isNew = false } = {}) {
    if (document.hidden) return;
    const query = { ...this.#filters.query(), ...(this.#after && { after: this.#after }) };
    const asked = JSON.stringify({ ...query, since: this.#filters.age() });
    const known = asked === this.#version.asked ? this.#version.etag : "";
    this.#latest = asked;
    let page = null;
    try {
      page = await this.#api.getNew("api/runs", query, known);
    } catch (error) {
      if (this.#latest === asked) this.#tell(error.message);
      return;
    }
    if (this.#latest !== asked) return;
    this.#tell("");
    if (page) {
      this.#version = { asked, etag: page.version };
      this.#show(page.value);
    } else this.#age();
    if (isNew) announce(counted(this.#rows.size, "run"));
  }

  #latest = "";

  #tell(problem) {
    if (this.#problem.textContent === problem && this.#problem.hidden === !problem) return;
    this.#problem.replaceChildren(visible(problem));
    this.#problem.hidden = !problem;
  }

  /** Rows that are there stay, so that the focus does. */
  #show({ runs, next }) {
    const wanted = new Set(runs.map((each) => each.run_id));
    for (const [id, row] of this.#rows) {
      if (wanted.has(id)) continue;
      row.element.remove();
      this.#rows.delete(id);
    }
    runs.forEach((run, at) => {
      const row = this.#rows.get(run.run_id) ?? new RunRow(run.run_id);
      this.#rows.set(run.run_id, row);
      row.update(run);
      if (this.#body.children[at] !== row.element) this.#body.insertBefore(row.element, this.#body.children[at] ?? null);
    });
    this.#empty.hidden = runs.length > 0;
    this.#next = next;
    this.#older.hidden = next === null;
    this.#newest.hidden = !this.#after;
  }

  #age() {
    for (const row of this.#rows.values()) row.age();
  }
}

class RunRow {
  #cells = HEADS.map((head) => el("td", { "data-label": head }));
  #run = null;
  #shown = "";

  constructor(id) {
    const link = el("a", { href: `#/runs/${encodeURIComponent(id)}`, title: plain(id), class: "run-link" }, isolated(shortId(id)));
    this.#cells[0].append(link);
    this.element = el("tr", {}, ...this.#cells);
  }

  update(run) {
    this.#run = run;
    const known = JSON.stringify(run);
    if (known !== this.#shown) {
      this.#shown = known;
      const [, state, agent, user, money] = this.#cells;
      state.replaceChildren(stateWord(run), ...detailOf(run));
      agent.replaceChildren(isolated(run.agent));
      user.replaceChildren(...(run.user_id ? [isolated(run.user_id)] : []));
      money.replaceChildren(...(run.cost === null ? [] : [cost(run.cost)]));
    }
    this.age();
  }

  /** What changes by itself. */
  age() {
    const { since, finished_at: until, state } = this.#run;
    const [began, took] = this.#cells.slice(5);
    began.replaceChildren(el("time", { datetime: since, title: new Date(since).toLocaleString() }, relative(since)));
    const isOpen = until === null && state !== "finished";
    took.replaceChildren(...(until === null && !isOpen ? [] : [span(new Date(until ?? Date.now()) - new Date(since))]));
  }
}

/** Ids that were made by a machine are told apart by their beginning; others are words. */
export function shortId(id) {
  return /^[0-9a-f-]{32,36}$/.test(id) ? `${id.slice(0, SHORT_ID)}…` : id;
}

function detailOf({ error_code: code, waiting, problem }) {
  const said = problem || (code && code !== "CANCELLED" ? code.toLowerCase().replaceAll("_", " ") : waiting > 1 ? `for ${waiting} decisions` : "");
  return said ? [" ", el("span", { class: "muted" }, visible(said))] : [];
}

function filtersOf(agents, onChange) {
  const state = select("State", STATES.map(([name]) => name));
  const agent = select("Agent", ["Any agent", ...agents.map((each) => each.name)]);
  const age = select("Began", AGES.map(([name]) => name));
  const user = el("input", { type: "search", placeholder: "Any user", "aria-label": "User" });
  const least = el("input", { type: "number", min: "0", step: "any", placeholder: "Cost at least", "aria-label": "Cost at least" });
  for (const each of [state, agent, age]) each.addEventListener("change", () => onChange(false));
  for (const each of [user, least]) each.addEventListener("input", () => onChange(true));
  const seconds = () => AGES[age.selectedIndex][1];
  function query() {
    const asked = { ...STATES[state.selectedIndex][1] };
    if (agent.selectedIndex > 0) asked.agent = agent.value;
    if (user.value.trim()) asked.user_id = user.value.trim();
    if (seconds()) asked.since = new Date(Date.now() - seconds() * 1000).toISOString();
    if (least.value && Number(least.value) >= 0) asked.min_cost = least.value;
    return asked;
  }
  const fields = [state, agent, user, age, least];
  return { element: el("div", { class: "filters run-filters", role: "search", "aria-label": "Filter the runs" }, ...fields), query, age: seconds };
}

function select(label, names) {
  return el("select", { "aria-label": label }, ...names.map((name) => el("option", { value: name }, visible(name))));
}
