// A request to a person, for which a run waits: a call to approve, a question to answer, or a login.

import { approvalParts } from "./approval.js";
import { el } from "./dom.js";
import { loginParts } from "./login.js";
import { questionParts } from "./question.js";
import { isolated, plain, visible } from "./text.js";
import { relative } from "./words.js";

const APPROVAL = { asks: "waits for approval", asksYou: "waits for your approval", gone: "decided elsewhere", parts: approvalParts };
const KINDS = {
  question_request: { asks: "asks a question", asksYou: "asks you a question", gone: "answered elsewhere", parts: questionParts },
  login_request: { asks: "needs a login", asksYou: "needs your login", gone: "goes on", parts: loginParts },
};

/** What a request is about, in words for people with a screen reader. */
export function wordsFor(request) {
  return `${plain(request.tool)} ${kindOf(request).asks}`;
}

/**
 * Who may not decide sees what is asked, and for which people it waits, without fields and buttons.
 *
 * @param {Object} request The form of a `Request`, with `may_decide` if the server said so.
 * @param {function(Object): Promise<?Object>} decide Is given what `POST …/decisions` takes; gives
 *   the request if another person has to approve it, too.
 */
export function requestCard(request, decide) {
  const kind = kindOf(request);
  const card = el("section", { class: "request", "aria-label": wordsFor(request) });
  let shown = "";

  /** Show what the server says now; what was typed stays if that is the same. */
  function update(known) {
    const state = JSON.stringify([known.may_decide ?? false, known.approvals ?? []]);
    if (state === shown) return;
    shown = state;
    card.replaceChildren(head(known, kind), ...kind.parts(known, settle));
  }

  async function settle(decision) {
    const open = await decide({ key: request.key, ...decision });
    if (open) update(open);
    else close(wordOf(decision));
  }

  /** Say in a word what became of it; without one it was not decided here. */
  function close(words = kind.gone) {
    card.classList.add("settled");
    card.replaceChildren(el("p", {}, isolated(request.tool, { class: "tool-name" }), ` ${words}`));
  }

  update(request);
  return { element: card, key: request.key, close, update };
}

/** What a decision makes of a request, in a word. */
export function wordOf(decision) {
  if (decision.answer) return "answered";
  return decision.approve ? "approved" : "denied";
}

function kindOf({ type }) {
  return KINDS[type] ?? APPROVAL;
}

function head({ tool, agent = "default", summary, since, until, user_id: user, may_decide: mine = false }, { asks, asksYou }) {
  const line = el("p", { class: "request-head" }, el("strong", {}, isolated(tool)), ` ${mine ? asksYou : asks}`);
  const whose = user ? [" for ", isolated(user)] : [];
  const times = [`asked ${relative(since)}`, until ? `denied by itself ${relative(until)}` : null].filter(Boolean).join(" · ");
  const known = el("p", { class: "muted" }, "Agent ", isolated(agent), ...whose, " · ", times);
  return el("div", {}, line, summary ? el("p", { dir: "auto" }, visible(summary)) : null, known);
}
