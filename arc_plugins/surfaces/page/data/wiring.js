// What is wired: a drawing of the places, and lists of places, plugins, settings and agents.

import { decisionDetails } from "./decision.js";
import { el, foldable } from "./dom.js";
import { graph } from "./graph.js";
import { tabs } from "./tabs.js";
import { isolated, visible } from "./text.js";

const WORST_FIRST = ["error", "warning", "ok", "skipped"];

export class WiringView {
  #api;

  constructor(api) {
    this.#api = api;
    this.element = el("section", { class: "page-section wiring" });
  }

  /** Ask what is wired now, and show it. */
  async open() {
    if (!this.element.childElementCount) this.element.replaceChildren(el("h1", {}, "Wiring"), el("p", { class: "muted" }, "…"));
    try {
      const found = await this.#load();
      this.element.replaceChildren(el("h1", {}, "Wiring"), ...tabs("Wiring", panelsOf(found)));
    } catch (error) {
      this.element.replaceChildren(el("h1", {}, "Wiring"), el("p", { class: "failure", role: "alert" }, visible(error.message)));
    }
  }

  async #load() {
    const views = ["components", "conditions", "plugins", "config", "agents"];
    const asked = views.map((view) => this.#api.get(`arc/${view}`));
    const health = this.#api.get("health/ready", {}, { also: [503] }).catch(() => ({}));
    const [components, conditions, plugins, config, agents] = await Promise.all(asked);
    return { components, conditions, plugins, config, agents, health: (await health).components ?? [] };
  }
}

function panelsOf(found) {
  return [
    ["Graph", graphPanel(found)],
    ["Places", placesPanel(found)],
    ["Plugins", pluginsPanel(found.plugins)],
    ["Settings", settingsPanel(found.config)],
    ["Agents", agentsPanel(found.agents)],
    ["Health", healthPanel(found.health)],
  ];
}

function graphPanel(found) {
  const details = el("div", { class: "graph-details", role: "region", tabindex: "0", "aria-label": "What was chosen", "aria-live": "polite" });
  const { element, select } = graph(placesOf(found), show);
  function show(name) {
    const decision = found.conditions[name];
    details.replaceChildren(el("h2", {}, visible(name)), kindOf(decision), decisionDetails(decision), healthOf(name, found.health));
  }
  const first = found.conditions.chat_model ? "chat_model" : Object.keys(found.conditions)[0];
  select(first);
  show(first);
  const scroll = el("div", { class: "graph-scroll", tabindex: "0", role: "region", "aria-label": "Graph" }, element);
  requestAnimationFrame(() => centre(scroll, element.querySelector("[aria-pressed=true]")));
  return el("div", { class: "graph-panel" }, scroll, details);
}

/** Scroll to a place, since a small screen shows a part of the drawing. */
function centre(scroll, place) {
  const [outer, inner] = [scroll.getBoundingClientRect(), place.getBoundingClientRect()];
  scroll.scrollLeft += inner.left + inner.width / 2 - outer.left - outer.width / 2;
  scroll.scrollTop += inner.top + inner.height / 2 - outer.top - outer.height / 2;
}

/** Places with their components, for the drawing. */
function placesOf({ components, conditions, agents, health }) {
  return Object.entries(conditions).map(([name, decision]) => {
    const own = components.filter((each) => each.place === name);
    const lines = name === "agents" && !own.length ? agents.map((each) => each.name) : own.map((each) => each.name);
    return { name, kind: decision.kind, lines, needs: own.flatMap((each) => each.needs), state: stateOf(name, health) };
  });
}

function ofPlace(name, health) {
  return health.filter((each) => each.subject.startsWith(`${name}: `));
}

function stateOf(name, health) {
  const states = ofPlace(name, health).map((each) => each.status);
  return WORST_FIRST.find((state) => states.includes(state)) ?? "";
}

function healthOf(name, health) {
  const own = ofPlace(name, health);
  return own.length ? el("section", { class: "decision" }, el("h4", {}, "Health"), healthList(own)) : "";
}

function kindOf({ kind, interface: name }) {
  const words = kind === "slot" ? "A slot: one component fills it." : "A contribution: any number take part.";
  return el("p", { class: "muted" }, words, " ", el("code", {}, visible(name)));
}

function placesPanel({ conditions }) {
  const entries = Object.entries(conditions).map(([name, decision]) => {
    const wired = decision.winners.map((each) => each.name).join(", ");
    const title = el("span", { class: "place-line" }, isolated(name, { class: "name" }), el("span", { class: "muted" }, visible(wired || "nothing")));
    return foldable(title, el("div", {}, kindOf(decision), decisionDetails(decision)), { class: "place-entry" });
  });
  return el("div", {}, ...entries);
}

function pluginsPanel(plugins) {
  const rows = plugins.map(({ name, distribution, version, state, cause, brought, load_ms: ms }) => [
    isolated(name, { class: "name" }),
    visible(`${distribution ?? ""} ${version ?? ""}`),
    el("span", { class: "state-word", "data-state": state === "loaded" ? "ok" : "warning" }, visible(cause ? `${state}: ${cause}` : state)),
    visible(brought.join(", ")),
    visible(ms === null || ms === undefined ? "" : `${ms.toFixed(1)} ms`),
  ]);
  return table("Plugins", ["Plugin", "Package", "State", "Brings", "Loaded in"], rows);
}

function settingsPanel({ files, profiles, settings }) {
  const filter = el("input", { type: "search", placeholder: "Filter", "aria-label": "Filter settings" });
  const isSet = el("input", { type: "checkbox" });
  const rows = settings.map(({ key, value, origin }) => [el("code", {}, visible(key)), el("code", {}, visible(JSON.stringify(value))), visible(origin)]);
  const shown = table("Settings", ["Setting", "Value", "From"], rows);
  const trs = [...shown.querySelectorAll("tbody tr")];
  const apply = () =>
    trs.forEach((tr, at) => {
      const { key, origin } = settings[at];
      tr.hidden = !key.includes(filter.value.trim()) || (isSet.checked && origin === "default");
    });
  filter.addEventListener("input", apply);
  isSet.addEventListener("change", apply);
  const sources = files.map(({ path, state }) => el("li", {}, el("code", {}, visible(path)), " ", el("span", { class: "muted" }, visible(state))));
  const chosen = profiles.length ? el("p", {}, visible(`Profiles: ${profiles.join(", ")}`)) : null;
  const choices = el("div", { class: "filters" }, filter, el("label", {}, isSet, " only what is set"));
  return el("div", {}, choices, shown, el("h2", {}, "Files"), chosen, el("ul", {}, ...sources));
}

function agentsPanel(agents) {
  const list = (values) => visible(values === null || values === undefined ? "all" : values.join(", "));
  const rows = agents.map((each) => [
    isolated(each.name, { class: "name" }),
    visible(each.description ?? ""),
    visible(each.model ?? "the default"),
    list(each.tools),
    list([...each.delegates, ...each.handoffs]),
    visible(each.origin ?? ""),
  ]);
  return table("Agents", ["Agent", "What it is for", "Model", "Tools", "Other agents", "From"], rows);
}

function healthPanel(health) {
  return health.length ? healthList(health) : el("p", { class: "muted" }, "Nothing was checked.");
}

function healthList(entries) {
  const items = entries.map(({ subject, status, summary, remedy }) =>
    el("li", {}, el("span", { class: "state-word", "data-state": status }, visible(status)), " ", isolated(subject, { class: "name" }),
      el("div", { class: "reason" }, visible(summary), remedy ? el("div", {}, "→ ", visible(remedy)) : null)));
  return el("ul", { class: "candidates" }, ...items);
}

function table(label, heads, rows) {
  const head = el("tr", {}, ...heads.map((each) => el("th", { scope: "col" }, each)));
  const body = rows.map((cells) => el("tr", {}, ...cells.map((cell, at) => el("td", { "data-label": heads[at] }, cell))));
  const shown = el("table", { class: "data" }, el("thead", {}, head), el("tbody", {}, ...body));
  return el("div", { class: "table-scroll", role: "region", tabindex: "0", "aria-label": label }, shown);
}
