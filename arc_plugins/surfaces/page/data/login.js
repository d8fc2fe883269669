// A login of the user at a service, so that a tool can act for them. It ends by itself once it is made.

import { decisionButtons } from "./decision_buttons.js";
import { el } from "./dom.js";
import { outwardLink } from "./links.js";
import { isolated } from "./text.js";

export function loginParts({ service, scopes = [], url, user_id: user, may_decide: mine = false }, settle) {
  const whom = user ? ["the user ", isolated(user)] : ["its user"];
  const why = el("p", {}, "It will act at ", el("strong", {}, isolated(service)), " for ", ...whom, ". It goes on by itself after the login.");
  const rights = scopes.length ? el("p", { class: "muted" }, "It asks for ", ...scopes.flatMap((each, at) => [at ? ", " : "", isolated(each, { class: "scope" })])) : null;
  const about = [why, rights].filter(Boolean);
  if (!mine) return about;
  const decline = ["Decline", () => ({ approve: false }), {}];
  return [...about, outwardLink(url, el("span", {}, "Log in at ", isolated(service))), ...decisionButtons(settle, [decline])];
}
