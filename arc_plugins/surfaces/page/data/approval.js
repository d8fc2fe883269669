// A tool call that waits for a person: what it would do, and what one may say to it.

import { decisionButtons } from "./decision_buttons.js";
import { el } from "./dom.js";
import { isolated, plain } from "./text.js";

export function approvalParts(request, settle) {
  return [...approvedBy(request), ...(request.may_decide ? form(request, settle) : facts(request))];
}

/** Fields to change the arguments, and buttons. */
function form(request, settle) {
  const approved = approvedArguments(request);
  const fields = Object.entries(approved ?? request.arguments ?? {}).map(([name, value]) => field(name, value));
  const reason = el("input", { type: "text", placeholder: "Reason, if you deny", "aria-label": "Reason, if you deny", maxlength: "2000" });
  const approve = ["Approve", () => ({ approve: true, ...changes(fields, approved !== null) }), { class: "primary" }];
  const deny = ["Deny", () => ({ approve: false, reason: reason.value }), {}];
  return [...fields.map((each) => each.element), ...decisionButtons(settle, [approve, deny], reason)];
}

/** What is asked, for people who may only look. */
function facts(request) {
  const found = Object.entries(approvedArguments(request) ?? request.arguments ?? {});
  const lines = found.map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return el("p", { class: "field" }, isolated(name, { class: "field-name" }), " ", isolated(text, { class: "field-value" }));
  });
  return [...lines, el("p", { class: "muted" }, ...peopleFor(request))];
}

function peopleFor({ deciders = [], people = 1, approvals = [] }) {
  const left = people - approvals.length;
  const who = left > 1 ? `${left} people` : approvals.length ? "another person" : "a person";
  const group = deciders.length ? [" (", isolated(deciders.join(", ")), ")"] : [];
  return [`It waits for ${who} with the right to decide`, ...group, "."];
}

function approvedBy({ approvals = [], people = 1 }) {
  if (people < 2) return [];
  const names = approvals.map((each) => each.by).join(", ");
  const who = names ? ["Approved by ", isolated(names), ` (${approvals.length} of ${people})`] : [`${people} people have to approve it`];
  return [el("p", { class: "muted" }, ...who)];
}

/** The arguments that those before have approved, if they have changed them; else null. */
function approvedArguments({ approvals = [] }) {
  return approvals[0]?.answer?.arguments ?? null;
}

/** A field to change an argument: of the kind that its value is of. */
function field(name, value) {
  const isText = typeof value === "string";
  const input = inputFor(value);
  const text = isText ? value : JSON.stringify(value);
  const hidden = plain(text) === text ? null : el("span", { class: "muted" }, "with hidden characters: ", isolated(text));
  const label = el("label", { class: "field" }, isolated(name, { class: "field-name" }), input, hidden);
  const before = JSON.stringify(value);
  function read() {
    if (typeof value === "boolean") return input.checked;
    if (isText) return input.value;
    try {
      return JSON.parse(input.value);
    } catch {
      throw new Error(`${name} is not valid: write a number, or JSON.`);
    }
  }
  return { name, element: label, read, before };
}

function inputFor(value) {
  if (typeof value === "boolean") return el("input", { type: "checkbox", checked: value });
  const text = typeof value === "string" ? value : JSON.stringify(value, null, 2);
  if (typeof value === "number") return el("input", { type: "text", inputmode: "decimal", value: text });
  const isLong = text.length > 60 || text.includes("\n");
  if (typeof value === "string" && !isLong) return el("input", { type: "text", value: text, dir: "auto" });
  return el("textarea", { rows: Math.min(text.split("\n").length + 1, 10), dir: "auto" }, text);
}

/** The arguments, if they are others than the model's own: those stay as they are otherwise. */
function changes(fields, areOthers) {
  const found = fields.map((each) => [each.name, each.read()]);
  const isChanged = fields.some((each, at) => JSON.stringify(found[at][1]) !== each.before);
  return isChanged || areOthers ? { arguments: Object.fromEntries(found) } : {};
}
