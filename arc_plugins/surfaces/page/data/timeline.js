// The steps of a run as a timeline: turns one below the other, the calls of a turn beside each other on
// a line of time, and runs below within the call that has started them.

import { axisOf } from "./axis.js";
import { button, el, foldable } from "./dom.js";
import { isolated, visible } from "./text.js";
import { bounded } from "./tool_card.js";
import { cost, count, counted, duration, outcomeOf, pretty, share, span } from "./words.js";

const HIDDEN_KINDS = new Set(["begin", "begun", "asked"]);
const ASKING = ["approve", "ask", "login"];
const LEAST_WIDTH = 0.6;

/**
 * @param {Object} record What `GET …/steps` gives.
 * @param {Object} options `stepOf(step, make)` gives an element again; `whole(name)` a step as an element.
 */
export function timeline(record, options) {
  const isOver = record.run.state === "finished";
  return runOf("", { ...options, isOver, steps: record.steps });
}

/** A run, or one below; its place is what the names of its steps begin with. */
function runOf(place, context) {
  const own = context.steps.filter((each) => each.place === place);
  const turns = groupBy(own);
  const sections = [];
  let made = 0;
  for (const [turn, steps] of turns) {
    const calls = steps.filter((each) => each.kind === "model").flatMap((each) => each.calls);
    sections.push(turn === 0 ? beginOf(steps, place, context) : turnOf(turn, steps, { calls, first: made, place, context }));
    made += calls.length;
  }
  return el("ol", { class: "turns" }, ...sections.filter(Boolean));
}

function headOf(words, place) {
  return el(place ? "h5" : "h2", {}, words);
}

function groupBy(steps) {
  const groups = new Map();
  for (const each of steps) groups.set(each.turn, [...(groups.get(each.turn) ?? []), each]);
  return groups;
}

function beginOf(steps, place, context) {
  const lines = steps.filter((each) => !HIDDEN_KINDS.has(each.kind)).flatMap((each) => [takeover(each), lineOf(each, context)]);
  return lines.length ? el("li", { class: "turn" }, headOf("Begin", place), ...lines.filter(Boolean)) : null;
}

function turnOf(turn, steps, { calls, first, place, context }) {
  const rows = callsOf(steps, { calls, first, place, context });
  const isOfCall = (step) => ["tool", ...ASKING].includes(step.kind);
  const [before, after] = [[], []];
  for (const step of steps.filter((each) => !HIDDEN_KINDS.has(each.kind) && !isOfCall(each))) {
    (step.kind === "model" ? before : after).push(takeover(step), lineOf(step, context));
  }
  const took = steps.filter(isOfCall).map(takeover);
  const parts = [...before, ...took, rows, ...after].filter(Boolean);
  return el("li", { class: "turn" }, headOf(`Turn ${turn}`, place), ...parts);
}

/** Where another attempt has gone on, and why. */
function takeover({ attempt, worker, deaths, started_at: at }) {
  if (attempt <= 1) return null;
  const why = deaths ? `${counted(deaths, "process")} died here, and another went on` : "The run went on";
  const by = worker ? [" by ", isolated(worker, { class: "worker" })] : [];
  const when = at ? ` · ${new Date(at).toLocaleTimeString()}` : "";
  return el("p", { class: "takeover", "data-kind": deaths ? "death" : "" }, `${why}: attempt ${attempt}`, ...by, when);
}

/** The calls of a turn as rows over one line of time; those that are not recorded yet still run. */
function callsOf(steps, { calls, first, place, context }) {
  const rows = calls.map((name, at) => rowOf(name, `${place}tool/${first + at}`, ASKING.map((kind) => `${place}${kind}/${first + at}`), steps));
  if (!rows.length) return null;
  const axis = axisOf(rows.flatMap((each) => [...each.waits, ...(each.run ? [each.run] : [])]));
  const isChart = rows.some((each) => each.run || each.waits.length);
  return el("ul", { class: "calls", "aria-label": "Calls" }, ...rows.map((row) => callOf(row, isChart ? axis : null, context)));
}

function rowOf(label, name, asked, steps) {
  const step = steps.find((each) => each.name === name) ?? null;
  const approvals = steps.filter((each) => asked.some((key) => each.name === key || each.name.startsWith(`${key}/`)));
  const waits = approvals
    .filter((each) => /^wait/.test(each.outcome))
    .map((each) => ({ begin: Date.parse(each.started_at), end: each.ended_at ? Date.parse(each.ended_at) : Date.now(), isIdle: true, isOpen: !each.ended_at, text: each.text }));
  const run = step?.started_at ? { begin: Date.parse(step.started_at), end: Date.parse(step.ended_at) } : null;
  return { label: step?.label || label, name, step, approvals, waits, run };
}

function callOf({ label, name, step, approvals, waits, run }, axis, context) {
  const state = stateOf(step, waits, context.isOver);
  const words = [step ? outcomeOf(step.outcome) : state.words, step?.duration_s != null ? duration(step.duration_s * 1000) : null];
  const waited = waits.map((each) => `${each.isOpen ? "waits" : "waited"} ${span(each.end - each.begin)} for a person`);
  const line = el("span", { class: "tool-line" }, isolated(label, { class: "tool-name" }), el("span", { class: "tool-state" }, [...waited, ...words.filter(Boolean)].join(" · ")));
  const bars = axis ? barsOf(axis, waits, run, step?.deaths > 0) : null;
  const summary = el("span", { class: "call-head" }, line, bars);
  const shown = step ?? approvals[0] ?? { name };
  const make = () => card(shown, summary, (body) => fillCall(body, { step, approvals, name }, context), { class: "call", "data-state": state.kind });
  const below = context.steps.filter((each) => each.name.startsWith(`${name}/`));
  return el("li", {}, context.stepOf({ ...shown, name, state, words, waited, approvals, below: below.length, axis: axis && run ? [axis(run.begin), axis(run.end)] : null }, make));
}

function stateOf(step, waits, isOver) {
  if (step) return { kind: step.outcome === "success" ? "success" : "failure", words: "" };
  if (waits.some((each) => each.isOpen)) return { kind: isOver ? "failure" : "waiting", words: "" };
  return isOver ? { kind: "failure", words: "not finished" } : { kind: "running", words: "running" };
}

/** What is seen says nothing that the words beside it do not say. */
function barsOf(axis, waits, run, hasDied) {
  const spans = [...waits.map((each) => ["wait", each]), ...(run ? [[hasDied ? "run again" : "run", run]] : [])];
  const bars = spans.map(([kind, { begin, end }]) => {
    const bar = el("span", { class: `bar-${kind.replace(" ", " bar-")}` });
    bar.style.insetInlineStart = `${axis(begin) * (100 - LEAST_WIDTH)}%`;
    bar.style.width = `${Math.max((axis(end) - axis(begin)) * 100, LEAST_WIDTH)}%`;
    return bar;
  });
  return el("span", { class: "lane", "aria-hidden": "true" }, ...bars);
}

function fillCall(body, { step, approvals, name }, context) {
  const found = step ?? approvals[0];
  if (found?.arguments) body.append(part("Arguments", textOf(found, "arguments")));
  for (const each of approvals) if (each.text) body.append(part("Asked", el("div", { class: "record-text", dir: "auto" }, visible(each.text))));
  if (step?.text) body.append(part("Result", textOf(step, "text")));
  if (step?.usage) body.append(el("p", { class: "facts" }, usageOf(step).join(" · ")));
  for (const place of placesBelow(name, context.steps)) body.append(part("The run below", runOf(place, context)));
  if (found) body.append(wholeOf(found.name, context));
}

function placesBelow(name, steps) {
  const places = steps.map((each) => each.place).filter((each) => each.startsWith(`${name}/`));
  return [...new Set(places)].filter((each) => !/\/tool\/\d+\//.test(each.slice(name.length)));
}

/** A step that is no call: a question to the model, room that was made, the end. */
function lineOf(step, context) {
  const [title, facts] = wordsOf(step);
  const line = el("span", { class: "tool-line" }, el("span", { class: "step-title" }, ...title), el("span", { class: "tool-state" }, facts.filter(Boolean).join(" · ")));
  const make = () => card(step, line, (body) => fillStep(body, step, context), { class: "step", "data-kind": step.kind, "data-state": step.kind === "finish" ? (step.outcome === "success" ? "success" : "failure") : "" });
  return context.stepOf(step, make);
}

function wordsOf(step) {
  const { kind, label, outcome, attempts, calls, duration_s: seconds } = step;
  const took = seconds == null ? null : duration(seconds * 1000);
  if (kind === "model") {
    const tried = attempts > 1 ? counted(attempts, "attempt") : null;
    const does = calls.length ? `calls ${counted(calls.length, "tool")}` : outcome && outcome !== "stop" ? outcome : "answers";
    return [["Model", label ? " " : "", isolated(label, { class: "tool-name" })], [does, tried, ...usageOf(step), took]];
  }
  if (kind === "compact") return [["Room was made in the window"], [outcome, ...usageOf(step)]];
  if (kind === "enter") return [["Let in"], [outcome === "let in" ? null : outcome, took]];
  if (kind === "hand_over") return [["Handed over to another agent"], []];
  if (kind === "finish") return [["End"], [outcome === "success" ? "answered" : outcome.toLowerCase().replaceAll("_", " ")]];
  return [[visible(kind)], [outcome, took]];
}

function usageOf({ usage, cost: money, cached_share: cached }) {
  const facts = [];
  if (usage) facts.push(`${count(usage.prompt_tokens)} tokens in${cached ? ` (${share(cached)} cached)` : ""}, ${count(usage.completion_tokens)} out`);
  if (money != null) facts.push(`cost ${cost(money)}`);
  return facts;
}

function fillStep(body, step, context) {
  if (step.text) body.append(part(step.kind === "enter" ? "Prompt" : "Text", textOf(step, "text")));
  body.append(wholeOf(step.name, context));
}

/** What is folded is made when it is opened first, since there may be much of it. */
function card(step, summary, fill, options) {
  const body = el("div", { class: "tool-body" });
  const details = foldable(summary, body);
  details.addEventListener("toggle", () => details.open && !body.childElementCount && fill(body));
  return el("div", { ...options, class: `tool-card ${options.class}`, "data-step": step.name }, details);
}

function part(title, content) {
  return el("section", {}, el("h4", {}, title), content);
}

function textOf(step, name) {
  const left = step.left_out?.[name];
  const rest = left ? el("p", { class: "muted" }, `${count(left)} more characters are in the whole step.`) : null;
  return el("div", {}, bounded(pretty(step[name])), rest);
}

function wholeOf(name, { whole }) {
  const shown = button("Show the whole step", show, { class: "quiet" });
  async function show() {
    shown.disabled = true;
    try {
      shown.replaceWith(await whole(name));
    } catch (error) {
      shown.disabled = false;
      shown.after(el("p", { class: "failure", role: "alert" }, visible(error.message)));
    }
  }
  return shown;
}
