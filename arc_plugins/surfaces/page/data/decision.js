// How a place was filled: who won and why, what wraps it, and who did not take part.

import { el } from "./dom.js";
import { isolated, visible } from "./text.js";

/** @param {Object} decision As `arc conditions --json` has it. */
export function decisionDetails({ winners, wrappers, entries, losers, reason, problem }) {
  return el(
    "div",
    { class: "decision" },
    reason && !winners.length ? el("p", { dir: "auto" }, visible(reason)) : null,
    problem ? el("p", { class: "failure" }, visible(String(problem.description ?? problem))) : null,
    group("Wired", winners, "won", "Nothing is wired here."),
    group("Wrapped by", wrappers, "wraps"),
    group("By name in the settings", entries, "won"),
    group("Not taking part", losers, "lost"),
  );
}

function group(title, candidates, state, none = "") {
  if (!candidates.length && !none) return null;
  const body = candidates.length
    ? el("ul", { class: "candidates" }, ...candidates.map((each) => candidate(each, state)))
    : el("p", { class: "muted" }, none);
  return el("section", {}, el("h4", {}, title), body);
}

function candidate({ name, distribution, version, source, reference, reason }, state) {
  const origin = distribution ? `${distribution} ${version ?? ""}` : source;
  return el(
    "li",
    { class: state },
    el("div", {}, isolated(name, { class: "name" }), " ", el("span", { class: "muted" }, visible(origin ?? ""))),
    reason ? el("div", { class: "reason", dir: "auto" }, visible(reason)) : null,
    el("code", {}, visible(reference ?? "")),
  );
}
