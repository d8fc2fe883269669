// The page: which view is shown, and what they share.

import { Api } from "./api.js";
import { ChatView } from "./chat.js";
import { ConversationList } from "./conversations.js";
import { button, el } from "./dom.js";
import { icon } from "./icons.js";
import { RunsView } from "./runs.js";
import { askForKey } from "./sign_in.js";
import { visible } from "./text.js";
import { chooseTheme } from "./theme.js";
import { Waiting, WaitingView } from "./waiting.js";
import { WiringView } from "./wiring.js";

const TITLES = { chat: "Chat", new: "Chat", run: "Chat", waiting: "Waiting", runs: "Runs", wiring: "Wiring" };

const api = new Api();
const main = document.getElementById("main");
const sidebar = document.getElementById("sidebar");
const menu = document.getElementById("menu");

async function start() {
  chooseTheme(document.getElementById("theme"));
  const account = document.getElementById("account");
  account.append(icon("key"));
  account.hidden = !api.key;
  account.addEventListener("click", () => askForKey(api));
  const list = new ConversationList({ api, onDelete: (id) => chat.forget(id) });
  let agents, maySeeRecords;
  try {
    ({ agents, may_see_records: maySeeRecords } = await api.get("api/agents"));
    await list.refresh();
  } catch (error) {
    if (error.isRefusal) askForKey(api, error.message);
    else showFailure(error);
    return;
  }
  const waiting = new Waiting(api);
  const chat = new ChatView({ api, agents, waiting, list });
  const views = { chat, waiting: new WaitingView(waiting), runs: new RunsView({ api, agents }), wiring: new WiringView(api) };
  document.querySelector("nav [data-view=runs]").hidden = !maySeeRecords;
  sidebar.append(list.element);
  waiting.watch(showCount);
  waiting.start();
  window.addEventListener("hashchange", () => go(views));
  go(views);
}

/** Show what the address names: `#/chat/<session>`, `#/new`, `#/run/<id>`, `#/waiting`, `#/runs/<id>`, `#/wiring`. */
function go(views) {
  const [, named = "chat", id = ""] = location.hash.split("/");
  const name = named in TITLES ? named : "chat";
  const view = views[name] ?? views.chat;
  if (main.firstChild !== view.element) main.replaceChildren(view.element);
  const shown = name in views ? name : "chat";
  document.body.dataset.view = shown;
  document.title = `${TITLES[name]} – Arc`;
  for (const link of document.querySelectorAll("nav [data-view]")) {
    if (link.dataset.view === shown) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  openMenu(false);
  if (shown !== "runs") views.runs.close();
  if (name === "new") view.begin();
  else if (name === "run") view.openRun(decodeURIComponent(id));
  else view.open?.(decodeURIComponent(id));
}

function showCount(requests) {
  const badge = document.getElementById("waiting-count");
  badge.hidden = requests.length === 0;
  badge.textContent = String(requests.length);
  badge.setAttribute("aria-label", `${requests.length} waiting`);
}

function showFailure(error) {
  const again = button("Try again", () => location.reload(), { class: "primary" });
  main.replaceChildren(el("section", { class: "page-section" }, el("h1", {}, "Arc"), el("p", { class: "failure", role: "alert" }, visible(error.message)), again));
}

function openMenu(isOpen) {
  document.body.classList.toggle("menu-open", isOpen);
  menu.setAttribute("aria-expanded", String(isOpen));
}

menu.append(icon("menu"));
menu.addEventListener("click", () => openMenu(!document.body.classList.contains("menu-open")));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") openMenu(false);
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});

start();
