// The wiring as a drawing: places as boxes, lines to what their components need.

import { svg } from "./dom.js";
import { plain } from "./text.js";

const WIDTH = 186;
const GAP_X = 84;
const GAP_Y = 14;
const HEAD = 30;
const LINE = 17;
const FOOT = 8;
const MOST_LINES = 5;
const MOST_CHARS = 26;
const MARGIN = 10;

/**
 * A drawing of places, what needs nothing else's call in the middle, and what it needs around it.
 *
 * @param {{name: string, kind: string, lines: string[], needs: string[], state: string}[]} places
 * @param {function(string)} onSelect Is given the name of a place.
 * @returns {{element: SVGElement, select: function(string)}}
 */
export function graph(places, onSelect) {
  const nodes = arranged(places);
  const boxes = new Map(nodes.map((node) => [node.name, box(node, () => choose(node.name))]));
  const edges = nodes.flatMap((node) => node.needs.map((need) => line(node, nodes.find((each) => each.name === need))));
  const drawing = picture(nodes, edges, [...boxes.values()]);

  function select(name) {
    for (const [key, each] of boxes) each.setAttribute("aria-pressed", String(key === name));
    for (const each of edges) each.classList.toggle("lit", each.dataset.from === name || each.dataset.to === name);
  }

  function choose(name) {
    select(name);
    onSelect(name);
  }

  return { element: drawing, select };
}

/** Places with a column, from the middle outwards, and a place in it. */
function arranged(places) {
  const names = new Set(places.map((each) => each.name));
  const nodes = places.map((each) => ({
    ...each,
    needs: [...new Set(each.needs)].filter((need) => names.has(need) && need !== each.name),
    height: HEAD + Math.max(1, Math.min(each.lines.length, MOST_LINES + 1)) * LINE + FOOT,
  }));
  const depths = depthsOf(nodes);
  const heights = new Map();
  const sides = new Map();
  for (const node of [...nodes].sort((one, other) => depths.get(one.name) - depths.get(other.name) || other.needs.length - one.needs.length)) {
    const column = columnOf(node, nodes, { depths, sides, heights });
    sides.set(node.name, Math.sign(column));
    node.column = column;
    node.y = heights.get(column) ?? 0;
    heights.set(column, node.y + node.height + GAP_Y);
  }
  const tallest = Math.max(...heights.values());
  for (const node of nodes) node.y += (tallest - heights.get(node.column)) / 2;
  return nodes;
}

/** How far from the middle a place is: one more than the furthest that needs it. */
function depthsOf(nodes) {
  const depths = new Map(nodes.map((node) => [node.name, 0]));
  for (let round = 0; round < nodes.length; round++) {
    let isChanged = false;
    for (const node of nodes) {
      for (const need of node.needs) {
        if (depths.get(need) > depths.get(node.name) || depths.get(node.name) >= nodes.length) continue;
        depths.set(need, depths.get(node.name) + 1);
        isChanged = true;
      }
    }
    if (!isChanged) break;
  }
  return depths;
}

/** On the side of what needs it; if that is the middle, to the right what needs more, else the emptier side. */
function columnOf(node, nodes, { depths, sides, heights }) {
  const depth = depths.get(node.name);
  if (depth === 0) return 0;
  const above = nodes.filter((each) => each.needs.includes(node.name)).map((each) => sides.get(each.name));
  const side = above.find((each) => each);
  if (side) return side * depth;
  if (node.needs.length) return depth;
  return (heights.get(-depth) ?? 0) < (heights.get(depth) ?? 0) ? -depth : depth;
}

function picture(nodes, edges, boxes) {
  const columns = nodes.map((node) => node.column);
  const left = Math.min(...columns) * (WIDTH + GAP_X) - MARGIN;
  const width = (Math.max(...columns) - Math.min(...columns)) * (WIDTH + GAP_X) + WIDTH + 2 * MARGIN;
  const height = Math.max(...nodes.map((node) => node.y + node.height)) + 2 * MARGIN;
  const view = `${left} ${-MARGIN} ${width} ${height}`;
  return svg("svg", { class: "graph", viewBox: view, width, height, role: "group", "aria-label": "Places, and what they need" }, ...edges, ...boxes);
}

function line(from, to) {
  const isRightwards = to.column > from.column || (to.column === from.column && from.column >= 0);
  const [x1, x2] = [xOf(from) + (isRightwards ? WIDTH : 0), xOf(to) + (isRightwards && to.column !== from.column ? 0 : to.column === from.column ? WIDTH : WIDTH)];
  const [y1, y2] = [from.y + from.height / 2, to.y + to.height / 2];
  const bend = (isRightwards ? 1 : -1) * GAP_X * 0.6;
  const end = to.column === from.column ? x2 + bend : x2 - bend;
  const path = `M ${x1} ${y1} C ${x1 + bend} ${y1}, ${end} ${y2}, ${x2} ${y2}`;
  return svg("path", { class: "edge", d: path, "data-from": from.name, "data-to": to.name });
}

function xOf(node) {
  return node.column * (WIDTH + GAP_X);
}

function box(node, onClick) {
  const names = node.lines.length > MOST_LINES + 1 ? [...node.lines.slice(0, MOST_LINES), `and ${node.lines.length - MOST_LINES} more`] : node.lines;
  const texts = (names.length ? names : ["empty"]).map((name, at) => svg("text", { x: 12, y: HEAD + 12 + at * LINE, class: "component" }, `${short(name)} `)); // the blank parts words for screen readers
  const label = plain([node.name, ...(names.length ? names : ["empty"]), node.state && `(${node.state})`].filter(Boolean).join(" "));
  const onKey = (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    onClick();
  };
  return svg(
    "g",
    { class: `place ${node.kind}`, transform: `translate(${xOf(node)} ${node.y})`, role: "button", tabindex: "0", "aria-pressed": "false", "aria-label": label, "data-state": node.state, on: { click: onClick, keydown: onKey } },
    svg("rect", { width: WIDTH, height: node.height, rx: 10 }),
    svg("text", { x: 12, y: 21, class: "place-name" }, `${short(node.name)} `),
    node.state ? svg("circle", { class: "state", cx: WIDTH - 15, cy: 17, r: 4.5 }) : null,
    ...texts,
  );
}

function short(text) {
  const clean = plain(text);
  return clean.length > MOST_CHARS ? `${clean.slice(0, MOST_CHARS - 1)}…` : clean;
}
