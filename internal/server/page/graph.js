// A lineage as a graph: one row a snapshot, newest first, children above parents; a lane for each path.

import { s } from "./dom.js";

const row = 44, lane = 18, left = 12;

// lanes places each snapshot: a child's lane goes on to its first-seen parent, other children join it there.
export function lanes(snapshots) {
  const at = new Map(), open = []; // open[lane] is the id that the lane waits for
  snapshots.forEach((x, y) => {
    let mine = open.indexOf(x.session_id);
    if (mine < 0) mine = free(open);
    open.forEach((id, i) => { if (id === x.session_id && i !== mine) open[i] = undefined; });
    open[mine] = x.parent_session_id || undefined;
    at.set(x.session_id, { x: mine, y });
  });
  return at;
}

function free(open) {
  const i = open.findIndex((id) => id === undefined);
  return i < 0 ? open.length : i;
}

// graph draws beside a list of rows of the same height; the list says the same in words, so the drawing is hidden from
// screen readers.
export function graph(snapshots) {
  const at = lanes(snapshots);
  const wide = Math.max(1, ...[...at.values()].map((p) => p.x + 1)) * lane + left;
  const px = (p) => left + p.x * lane, py = (p) => p.y * row + row / 2;
  const lines = [], dots = [];
  for (const x of snapshots) {
    const me = at.get(x.session_id), parent = at.get(x.parent_session_id);
    if (parent) {
      const bend = py(parent) - row / 2;
      lines.push(s("path", { class: "edge", d: `M${px(me)} ${py(me)} V${bend} Q${px(me)} ${py(parent)} ${px(parent)} ${py(parent)}` }));
    }
    dots.push(s("circle", { class: "dot " + (x.here ? "here " : "") + x.kind, cx: px(me), cy: py(me), r: x.here ? 7 : 5 }));
  }
  return s("svg", { class: "graph", width: wide, height: snapshots.length * row, "aria-hidden": "true", focusable: "false" }, lines, dots);
}
