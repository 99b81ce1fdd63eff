// A lineage as a graph: one row a snapshot, newest first, children above parents; a lane for each path.

import { h, s } from "./dom.js";
import { t } from "./words.js";

const row = 44, lane = 18, left = 12, narrow = 120; // more is scrolled in its box

// lanes places each snapshot: the first child seen keeps its lane down to the parent, the others join that lane in their own
// row. So a hundred children of one snapshot take two lanes.
export function lanes(snapshots) {
  const at = new Map(), open = []; // open[lane] is the id that the lane waits for
  snapshots.forEach((x, y) => {
    let mine = open.indexOf(x.session_id);
    if (mine < 0) mine = free(open);
    const parent = x.parent_session_id || undefined, join = parent === undefined ? -1 : open.indexOf(parent);
    open[mine] = join < 0 ? parent : undefined;
    at.set(x.session_id, { x: mine, y, join });
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
    if (parent && me.join < 0) lines.push(s("path", { class: "edge", d: `M${px(me)} ${py(me)} V${py(parent)}` }));
    else if (parent) {
      const to = left + me.join * lane, half = py(me) + row / 2;
      lines.push(s("path", { class: "edge", d: `M${px(me)} ${py(me)} C${px(me)} ${half} ${to} ${half} ${to} ${py(me) + row}` }));
    }
    dots.push(s("circle", { class: "dot " + (x.here ? "here " : "") + x.kind, cx: px(me), cy: py(me), r: x.here ? 7 : 5 }));
  }
  const drawn = s("svg", { class: "graph", width: wide, height: snapshots.length * row, "aria-hidden": "true", focusable: "false" }, lines, dots);
  return h("div", wide > narrow ? { class: "drawing", tabindex: "0", role: "region", "aria-label": t("lineage.drawing") } : { class: "drawing" }, drawn);
}
