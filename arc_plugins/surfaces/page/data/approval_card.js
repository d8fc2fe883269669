// A tool call that waits for a person: what it would do, and what one may say to it.

import { button, el } from "./dom.js";
import { isolated, plain, visible } from "./text.js";
import { relative } from "./words.js";

/**
 * @param {Object} request The form of an `ApprovalRequest`.
 * @param {function(Object): Promise} decide Is given what `POST …/decisions` takes.
 */
export function approvalCard(request, decide) {
  const fields = Object.entries(request.arguments ?? {}).map(([name, value]) => field(name, value));
  const reason = el("input", { type: "text", placeholder: "Reason, if you deny", "aria-label": "Reason, if you deny", maxlength: "2000" });
  const problem = el("p", { class: "failure", role: "alert", hidden: true });
  const approve = button("Approve", () => settle(() => ({ approve: true, ...changes(fields) })), { class: "primary" });
  const deny = button("Deny", () => settle(() => ({ approve: false, reason: reason.value })));
  const label = `${plain(request.tool)} waits for you`;
  const card = el("section", { class: "approval", "aria-label": label }, head(request), ...fields.map((each) => each.element), problem);
  card.append(el("div", { class: "approval-actions" }, approve, deny, reason));

  async function settle(read) {
    problem.hidden = true;
    for (const each of [approve, deny]) each.disabled = true;
    try {
      const decision = read();
      await decide({ key: request.key, ...decision });
      close(decision.approve ? "approved" : "denied");
    } catch (error) {
      for (const each of [approve, deny]) each.disabled = false;
      problem.replaceChildren(visible(error.message));
      problem.hidden = false;
    }
  }

  function close(words) {
    card.classList.add("settled");
    card.replaceChildren(el("p", {}, isolated(request.tool, { class: "tool-name" }), ` ${words}`));
  }

  return { element: card, key: request.key, close };
}

function head({ tool, agent = "default", summary, since, until, user_id: user }) {
  const line = el("p", { class: "approval-head" }, el("strong", {}, isolated(tool)), " waits for your approval");
  const whose = user ? [" for ", isolated(user)] : [];
  const times = [`asked ${relative(since)}`, until ? `denied by itself ${relative(until)}` : null].filter(Boolean).join(" · ");
  const facts = el("p", { class: "muted" }, "Agent ", isolated(agent), ...whose, " · ", times);
  return el("div", {}, line, summary ? el("p", { dir: "auto" }, visible(summary)) : null, facts);
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

/** The arguments, if one of them was changed: the model's own stay as they are otherwise. */
function changes(fields) {
  const found = fields.map((each) => [each.name, each.read()]);
  const isChanged = fields.some((each, at) => JSON.stringify(found[at][1]) !== each.before);
  return isChanged ? { arguments: Object.fromEntries(found) } : {};
}
