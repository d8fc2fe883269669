// A tool call that waits for a person: what it would do, and what one may say to it.

import { button, el } from "./dom.js";
import { isolated, plain, visible } from "./text.js";
import { relative } from "./words.js";

/**
 * Who may not decide sees what is asked, and for which people it waits, without fields and buttons.
 *
 * @param {Object} request The form of an `ApprovalRequest`, with `may_decide` if the server said so.
 * @param {function(Object): Promise<?Object>} decide Is given what `POST …/decisions` takes; gives
 *   the request if another person has to approve it, too.
 */
export function approvalCard(request, decide) {
  const card = el("section", { class: "approval", "aria-label": `${plain(request.tool)} waits for approval` });
  let shown = "";

  /** Show what the server says now; what was typed stays if that is the same. */
  function update(known) {
    const state = JSON.stringify([known.may_decide ?? false, known.approvals ?? []]);
    if (state === shown) return;
    shown = state;
    card.replaceChildren(head(known), ...approvedBy(known), ...(known.may_decide ? form(known, settle) : facts(known)));
  }

  async function settle(decision) {
    const open = await decide({ key: request.key, ...decision });
    if (open) update(open);
    else close(decision.approve ? "approved" : "denied");
  }

  function close(words) {
    card.classList.add("settled");
    card.replaceChildren(el("p", {}, isolated(request.tool, { class: "tool-name" }), ` ${words}`));
  }

  update(request);
  return { element: card, key: request.key, close, update };
}

/** Fields to change the arguments, and buttons. */
function form(request, settle) {
  const approved = approvedArguments(request);
  const fields = Object.entries(approved ?? request.arguments ?? {}).map(([name, value]) => field(name, value));
  const reason = el("input", { type: "text", placeholder: "Reason, if you deny", "aria-label": "Reason, if you deny", maxlength: "2000" });
  const problem = el("p", { class: "failure", role: "alert", hidden: true });
  const approve = button("Approve", () => send(() => ({ approve: true, ...changes(fields, approved !== null) })), { class: "primary" });
  const deny = button("Deny", () => send(() => ({ approve: false, reason: reason.value })));

  async function send(read) {
    problem.hidden = true;
    for (const each of [approve, deny]) each.disabled = true;
    try {
      await settle(read());
    } catch (error) {
      for (const each of [approve, deny]) each.disabled = false;
      problem.replaceChildren(visible(error.message));
      problem.hidden = false;
    }
  }

  return [...fields.map((each) => each.element), problem, el("div", { class: "approval-actions" }, approve, deny, reason)];
}

/** What is asked, for people who may only look. */
function facts(request) {
  const found = Object.entries(approvedArguments(request) ?? request.arguments ?? {});
  const lines = found.map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return el("p", { class: "field" }, isolated(name, { class: "field-name" }), " ", isolated(text, { class: "field-value" }));
  });
  return [...lines, el("p", { class: "muted approval-waits" }, ...peopleFor(request))];
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

function head({ tool, agent = "default", summary, since, until, user_id: user, may_decide: mine = false }) {
  const line = el("p", { class: "approval-head" }, el("strong", {}, isolated(tool)), mine ? " waits for your approval" : " waits for approval");
  const whose = user ? [" for ", isolated(user)] : [];
  const times = [`asked ${relative(since)}`, until ? `denied by itself ${relative(until)}` : null].filter(Boolean).join(" · ");
  const known = el("p", { class: "muted" }, "Agent ", isolated(agent), ...whose, " · ", times);
  return el("div", {}, line, summary ? el("p", { dir: "auto" }, visible(summary)) : null, known);
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
