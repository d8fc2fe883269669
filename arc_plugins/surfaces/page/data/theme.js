// Light, dark, or as the system is.

import { announce } from "./dom.js";
import { icon } from "./icons.js";

const NAME = "arc.theme";
const CHOICES = ["system", "light", "dark"];

/** Let a button choose, and remember it. */
export function chooseTheme(button) {
  let chosen = CHOICES.includes(localStorage.getItem(NAME)) ? localStorage.getItem(NAME) : "system";
  function show() {
    if (chosen === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = chosen;
    button.replaceChildren(icon(chosen));
    button.setAttribute("aria-label", `Colours: ${chosen}`);
    button.title = `Colours: ${chosen}`;
  }
  button.addEventListener("click", () => {
    chosen = CHOICES[(CHOICES.indexOf(chosen) + 1) % CHOICES.length];
    localStorage.setItem(NAME, chosen);
    show();
    announce(`Colours: ${chosen}`);
  });
  show();
}
