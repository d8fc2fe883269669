// Addresses of others that a person opens: only by https, or on this machine.

import { el } from "./dom.js";
import { isolated } from "./text.js";

const LOCAL = new Set(["localhost", "127.0.0.1", "[::1]"]);

/** A link that opens beside the page, with the origin to which it leads; the address as text if it is not safe. */
export function outwardLink(address, label) {
  const url = safe(address);
  if (!url) return el("p", { class: "failure" }, "This address is not opened here: ", isolated(address));
  const link = el("a", { class: "button primary", href: url.href, target: "_blank", rel: "noopener noreferrer" }, label);
  return el("p", { class: "outward" }, link, el("span", { class: "muted" }, "opens ", isolated(url.origin), " in a new tab"));
}

/** Names before an @ could pass for the host. */
function safe(address) {
  let url;
  try {
    url = new URL(address);
  } catch {
    return null;
  }
  const isSafe = url.protocol === "https:" || (url.protocol === "http:" && LOCAL.has(url.hostname));
  return isSafe && !url.username && !url.password ? url : null;
}
