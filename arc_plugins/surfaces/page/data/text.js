// Text of models and tools, as it is: characters that could hide or turn something are shown.

// Controls but for tab and line feed, marks of direction, characters without width, and tags. The
// joiners U+200C and U+200D stay, since scripts and emoji are written with them.
const HIDDEN = new RegExp(
  "[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f" +
    "\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}]",
  "gu",
);

/** A fragment of text nodes, in which hidden characters stand as `U+202E`. */
export function visible(text) {
  const fragment = document.createDocumentFragment();
  const clean = text.replace(/\r\n/g, "\n");
  let end = 0;
  for (const found of clean.matchAll(HIDDEN)) {
    fragment.append(clean.slice(end, found.index), signOf(found[0]));
    end = found.index + found[0].length;
  }
  fragment.append(clean.slice(end));
  return fragment;
}

/** Text of others within a sentence of ours, whose direction it must not change. */
export function isolated(text, options = {}) {
  const bdi = document.createElement("bdi");
  for (const [name, value] of Object.entries(options)) bdi.setAttribute(name, value);
  bdi.append(visible(String(text)));
  return bdi;
}

/** The same for attributes, which have no elements. */
export function plain(text) {
  return text.replace(HIDDEN, codeOf);
}

function signOf(character) {
  const sign = document.createElement("span");
  sign.className = "hidden-character";
  sign.textContent = codeOf(character);
  return sign;
}

function codeOf(character) {
  return `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
}
