// Tabs, as the patterns of ARIA have them: arrow keys go from one to the next.

import { el } from "./dom.js";

/** @param {[string, Node][]} entries Titles and panels. */
export function tabs(label, entries) {
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": label });
  const panels = entries.map(([title, panel], at) => {
    const name = title.toLowerCase();
    const tab = el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, on: { click: () => select(at), keydown: move } }, title);
    list.append(tab);
    return el("div", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}` }, panel);
  });

  function select(chosen) {
    [...list.children].forEach((tab, at) => {
      tab.setAttribute("aria-selected", String(at === chosen));
      tab.tabIndex = at === chosen ? 0 : -1;
      panels[at].hidden = at !== chosen;
    });
  }

  function move(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = [...list.children].indexOf(event.currentTarget);
    const next = (at + step + entries.length) % entries.length;
    select(next);
    list.children[next].focus();
  }

  select(0);
  return [list, ...panels];
}
