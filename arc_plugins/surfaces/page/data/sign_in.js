// Asks for a key, and whom it is used for.

import { el } from "./dom.js";
import { visible } from "./text.js";

/** Ask, and begin again with what was given. */
export function askForKey(api, why = "") {
  const key = el("input", { type: "password", autocomplete: "off", value: api.key, spellcheck: "false" });
  const user = el("input", { type: "text", autocomplete: "off", value: api.user, spellcheck: "false" });
  const failure = why && api.key ? el("p", { class: "failure", role: "alert" }, visible(why)) : null;
  const submit = (event) => {
    event.preventDefault();
    api.signIn(key.value.trim(), user.value.trim());
    location.reload();
  };
  const dialog = el("dialog", { class: "sign-in", "aria-labelledby": "sign-in-title" },
    el("form", { on: { submit } },
      el("h1", { id: "sign-in-title" }, "Sign in"),
      el("p", { class: "muted" }, "This server asks for a key. It stays in this tab, and is forgotten when the tab is closed."),
      failure,
      el("label", { class: "field" }, el("span", { class: "field-name" }, "Key"), key),
      el("label", { class: "field" }, el("span", { class: "field-name" }, "User, if the key is for several"), user),
      el("button", { type: "submit", class: "primary wide" }, "Sign in")));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
