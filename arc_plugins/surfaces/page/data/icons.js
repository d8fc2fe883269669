// Signs on buttons, drawn, since not every font has them.

import { svg } from "./dom.js";

const PATHS = {
  again: "M15.8 8.2A6.2 6.2 0 1 0 16 11.4 M16.2 3.8v4.6h-4.6",
  check: "M4 10.5 8.2 14.7 16 6",
  close: "M5 5 15 15 M15 5 5 15",
  copy: "M7.2 7.2h9v9h-9Z M12.8 7.2V3.8h-9v9h3.4",
  dark: "M16 12.2A6.8 6.8 0 0 1 7.8 4 6.8 6.8 0 1 0 16 12.2Z",
  edit: "M4 16l.8-3.6L13.2 4 16 6.8 7.6 15.2Z M11.6 5.6l2.8 2.8",
  file: "M5 2.8h6.2L15 6.6v10.6H5Z M11 3v4h4",
  key: "M9.2 10.8 16.5 3.5 M14 6l2 2 M7 9.8a3.4 3.4 0 1 0 .1 0Z",
  light: "M10 6.4a3.6 3.6 0 1 0 .1 0Z M10 1.6v1.9 M10 16.5v1.9 M1.6 10h1.9 M16.5 10h1.9 M4 4l1.4 1.4 M14.6 14.6 16 16 M16 4l-1.4 1.4 M5.4 14.6 4 16",
  menu: "M3 5.5h14 M3 10h14 M3 14.5h14",
  plus: "M10 3.5v13 M3.5 10h13",
  system: "M10 3a7 7 0 1 0 .1 0Z M10 3v14 M12 4v12 M14 5.5v9 M16 8.5v3",
};

/** The drawing of a sign; its button says in words what it does. */
export function icon(name) {
  const stroke = { fill: "none", stroke: "currentColor", "stroke-width": "1.7", "stroke-linecap": "round", "stroke-linejoin": "round" };
  return svg("svg", { viewBox: "0 0 20 20", width: 20, height: 20, "aria-hidden": "true" }, svg("path", { d: PATHS[name], ...stroke }));
}
