// Contents of messages: a text, or texts and attachments.

import { el } from "./dom.js";
import { icon } from "./icons.js";
import { isolated, plain } from "./text.js";

const PICTURES = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** The text of a content. */
export function textOf(content) {
  if (typeof content === "string") return content;
  return content.filter((part) => part.type === "text").map((part) => part.text).join("\n");
}

/** What a content attaches. */
export function attachmentsOf(content) {
  return typeof content === "string" ? [] : content.filter((part) => part.type === "attachment");
}

/** A list of attachments; none for none. Pictures that came with their bytes are shown. */
export function attachmentList(attachments, { onRemove } = {}) {
  if (!attachments.length) return null;
  const items = attachments.map((each) => {
    const remove = onRemove && removal(each, () => onRemove(each));
    return el("li", { class: "attachment" }, thumbnail(each), isolated(nameOf(each), { class: "attachment-name" }), remove);
  });
  return el("ul", { class: "attachments", "aria-label": "Attachments" }, ...items);
}

function removal(attachment, onClick) {
  const label = `Remove ${plain(nameOf(attachment))}`;
  return el("button", { type: "button", class: "icon-button small", "aria-label": label, on: { click: onClick } }, icon("close"));
}

function thumbnail({ media_type: type, data }) {
  if (!data || !PICTURES.has(type)) return icon("file");
  return el("img", { src: `data:${type};base64,${data}`, alt: "" });
}

/** An attachment that is only an address is named by it, and not loaded. */
function nameOf({ name, url, media_type: type }) {
  return name || url || type;
}

/** A file as an attachment. */
export function attachmentOf(file) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onerror = () => reject(new Error(`${file.name} cannot be read.`));
    reader.onload = () => {
      const data = reader.result.slice(reader.result.indexOf(",") + 1);
      const type = file.type || "application/octet-stream";
      resolve({ type: "attachment", media_type: type, data, name: file.name || "pasted" });
    };
    reader.readAsDataURL(file);
  });
}
