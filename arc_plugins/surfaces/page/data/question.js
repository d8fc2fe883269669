// A question of a tool: a form that is made from the schema of its answer, or an address to open.

import { decisionButtons } from "./decision_buttons.js";
import { el } from "./dom.js";
import { outwardLink } from "./links.js";
import { fieldsOf, readFields } from "./schema_fields.js";
import { isolated, visible } from "./text.js";

export function questionParts({ text, schema = {}, url = null, user_id: user, may_decide: mine = false }, settle) {
  const said = el("p", { class: "request-text", dir: "auto" }, visible(text));
  if (!mine) {
    const whom = user ? ["the user ", isolated(user)] : ["its user"];
    return [said, el("p", { class: "muted" }, "It is put to ", ...whom, ".")];
  }
  const link = url === null ? null : outwardLink(url, "Open the page");
  const fields = fieldsOf(schema, { isWhole: url === null });
  const choices = [
    [url === null ? "Answer" : "I have done it", () => read(fields), url === null ? { class: "primary" } : {}],
    ["Decline", () => ({ approve: false }), {}],
  ];
  const [problem, row] = decisionButtons(settle, choices);
  const submit = (event) => {
    event.preventDefault();
    row.firstChild.click();
  };
  const keydown = (event) => event.key === "Enter" && !event.isComposing && event.target.matches("input") && submit(event);
  return [said, link, el("form", { novalidate: true, on: { submit, keydown } }, fields.map((each) => each.element), problem, row)].filter(Boolean);
}

function read(fields) {
  const answer = readFields(fields);
  return answer && { answer };
}
