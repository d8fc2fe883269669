// The buttons below a request: each sends a decision once, and what goes wrong is said above them.

import { button, el } from "./dom.js";
import { visible } from "./text.js";

/**
 * @param {function(Object): Promise} settle Is given the decision.
 * @param {[string, function(): ?Object, Object][]} choices Label, what reads the decision, and options of
 *   the button; null is not sent, since the fields say why.
 * @param {...Node} more What stands beside the buttons.
 */
export function decisionButtons(settle, choices, ...more) {
  const problem = el("p", { class: "failure", role: "alert", hidden: true });
  const buttons = choices.map(([label, read, options]) => button(label, () => send(read), options));

  async function send(read) {
    problem.hidden = true;
    for (const each of buttons) each.disabled = true;
    try {
      const decision = read();
      if (decision) await settle(decision);
    } catch (error) {
      problem.replaceChildren(visible(error.message));
      problem.hidden = false;
    }
    for (const each of buttons) each.disabled = false;
  }

  return [problem, el("div", { class: "request-actions" }, ...buttons, ...more)];
}
