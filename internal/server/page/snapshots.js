// The work tree: its lineage as a graph, one snapshot with its todos, blockers and recovery ledger, and the difference of two.

import { h } from "./dom.js";
import { ago, exact, t } from "./words.js";
import { get, Refused } from "./service.js";
import { graph } from "./graph.js";

const longest = 1500; // of a value in a table, in characters
const short = (id) => id.slice(0, 8);
const link = (id, text) => h("a", { href: "#/snapshots/" + id }, text ?? short(id));

export async function worktree() {
  let list;
  try {
    list = (await get("/snapshots?all=true&limit=200")).snapshots;
  } catch (e) {
    if (!(e instanceof Refused) || e.code !== "NOTHING_SAVED") throw e;
    list = [];
  }
  return [
    h("h1", { tabindex: "-1" }, t("worktree.title")),
    list.length === 0 ? h("p", { class: "empty" }, t("worktree.empty"), " ", h("code", null, "session save")) : [compare(list), lineage(list)],
  ];
}

export function lineage(list) {
  return h("div", { class: "lineage" }, graph(list), h("ol", { "aria-label": t("lineage.label") }, list.map((x) => h("li", { class: x.here ? "here" : "" },
    x.removed ? h("span", null, t("lineage.removed"), " ", short(x.session_id)) : link(x.session_id, x.working_on || short(x.session_id)),
    h("small", null, [short(x.session_id), ago(x.created), x.git_branch, x.kind === "auto" && t("lineage.auto"), x.here && t("lineage.here"),
      x.total > 0 && `${x.completed}/${x.total}`, x.blocker && t("lineage.blocked", { type: x.blocker })].filter(Boolean).join(" · "))))));
}

function compare(list) {
  const kept = list.filter((x) => !x.removed);
  if (kept.length < 2) return [];
  const choose = (id, at) => h("select", { id }, kept.map((x, i) => h("option", { value: x.session_id, selected: i === at }, `${short(x.session_id)} ${x.working_on}`.slice(0, 60))));
  return h("form", {
    class: "compare",
    onsubmit: (e) => { e.preventDefault(); location.hash = `#/diff/${e.target.elements.from.value}/${e.target.elements.to.value}`; },
  }, h("label", { for: "from" }, t("diff.from")), choose("from", 1), h("label", { for: "to" }, t("diff.to")), choose("to", 0), h("button", null, t("diff.show")));
}

export async function snapshot([id]) {
  return shown(await get("/snapshots/" + encodeURIComponent(id)), link, "#/diff");
}

// snapshotOf is the snapshot of a session's checkpoint: its neighbours may be another's.
export async function snapshotOf([session, id]) {
  return shown(await get(`/sessions/${encodeURIComponent(session)}/snapshots/${encodeURIComponent(id)}`), () => null);
}

function shown(x, name, diffs) {
  const state = x.context_state.state, git = x.environment_state.git;
  return [
    h("h1", { tabindex: "-1" }, state.working_on || short(x.session_id)),
    h("dl", { class: "facts" }, [
      [t("snapshot.id"), h("code", null, x.session_id)], [t("snapshot.saved"), h("time", { datetime: x.created, title: exact(x.created) }, ago(x.created))],
      [t("snapshot.mode"), state.mode], [t("snapshot.branch"), state.git_branch], [t("snapshot.commit"), state.git_commit && h("code", null, short(state.git_commit))],
      [t("snapshot.parent"), diffs && x.parent_session_id && [name(x.parent_session_id), " ", h("a", { href: `${diffs}/${x.parent_session_id}/${x.session_id}` }, t("diff.show"))]],
    ].filter(([, v]) => v).map(([k, v]) => [h("dt", null, k), h("dd", null, v)])),
    section("snapshot.next", (state.next_steps ?? []).map((n) => h("li", null, n))),
    todos(state),
    blockers(state),
    ledger(x.context_state.attempts ?? []),
    section("snapshot.findings", (x.context_state.findings ?? []).map((f) => h("li", null, h("strong", null, f.status), " ", f.message, f.quote && h("code", null, " " + f.quote), f.action && h("code", null, " " + f.action)))),
    section("snapshot.files", (git?.files ?? []).slice(0, 200).map((f) => h("li", null, h("code", null, f.path)))),
  ];
}

function section(title, items, none) {
  if (items.length === 0 && !none) return [];
  return h("section", null, h("h2", null, t(title)), items.length === 0 ? h("p", { class: "empty" }, t(none)) : h("ul", null, items));
}

function todos(state) {
  const done = (state.completed_tasks ?? []).map((x) => h("li", { class: "done" }, h("span", { class: "mark" }, t("todo.done")), " ", x));
  const open = (state.pending_tasks ?? []).map((x) => h("li", null, h("span", { class: "mark" }, t("todo.open")), " ", x));
  const p = state.task_progress;
  return h("section", null, h("h2", null, t("snapshot.tasks")),
    p.total > 0 && h("p", null, h("progress", { max: p.total, value: p.completed, "aria-label": t("snapshot.tasks") }), ` ${p.completed}/${p.total} (${p.percentage} %)`),
    done.length + open.length === 0 ? h("p", { class: "empty" }, t("todo.none")) : h("ul", { class: "todos" }, open, done));
}

function blockers(state) {
  const all = state.blockers?.length ? state.blockers : state.blocker ? [state.blocker] : [];
  return section("snapshot.blockers", all.map((b) => h("li", { class: "blocker" }, h("strong", null, b.type), ` (${b.severity}) `, b.description,
    b.file && h("code", null, ` ${b.file}:${b.line}`), b.resolution && h("div", null, t("blocker.try", { text: b.resolution })))), "blocker.none");
}

// ledger is who tried to mend what, and what proved it.
export function ledger(attempts) {
  const text = (v) => (v === undefined || v === null ? "" : typeof v === "object" ? JSON.stringify(v) : String(v));
  const head = ["agent", "result", "proof"];
  return h("section", null, h("h2", null, t("ledger.title")), attempts.length === 0 ? h("p", { class: "empty" }, t("ledger.none")) :
    h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("ledger.title") }, h("table", null,
      h("thead", null, h("tr", null, head.map((k) => h("th", { scope: "col" }, t("ledger." + k))))),
      h("tbody", null, attempts.map((a) => h("tr", null, h("th", { scope: "row" }, text(a.agent)), h("td", null, text(a.result ?? a.status)), h("td", null, text(a.proof ?? a.why))))))));
}

export async function diff([from, to]) {
  return difference(await get(`/diff?from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`), link);
}

// inner are fields that say nothing to a reader: how often words stand in what is remembered.
const inner = (c) => c.part === "context_state" && /^\/memory\/\d+\/counts(\/|$)/.test(c.path);

export function difference(d, name) {
  const changes = d.changes.filter((c) => !inner(c));
  const words = (v) => (v === undefined || v === null ? t("diff.nothing") : typeof v === "string" ? v : JSON.stringify(v, null, 1));
  const value = (v) => h("code", { class: "value" }, words(v).length > longest ? words(v).slice(0, longest) + " …" : words(v));
  return [
    h("h1", { tabindex: "-1" }, t("diff.title")),
    h("p", null, name(d.from), " → ", name(d.to)),
    h("section", null, h("h2", null, t("diff.files")), d.no_files && h("p", null, d.no_files),
      d.files.length === 0 ? h("p", { class: "empty" }, t("diff.same-files")) : h("ul", null, d.files.map((f) => h("li", null, h("span", { class: "mark" }, t("diff." + f.change)), " ", h("code", null, f.path))))),
    h("section", null, h("h2", null, t("diff.fields")), changes.length === 0 ? h("p", { class: "empty" }, t("diff.same-fields")) :
      h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("diff.fields") }, h("table", null,
        h("thead", null, h("tr", null, [t("diff.field"), t("diff.before"), t("diff.after")].map((x) => h("th", { scope: "col" }, x)))),
        h("tbody", null, changes.map((c) => h("tr", null, h("th", { scope: "row" }, `${c.part}${c.path}`), h("td", null, value(c.before)), h("td", null, value(c.after)))))))),
  ];
}
