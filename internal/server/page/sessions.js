// Sessions: the list, one session as it lives, and the questions that it asks.

import { h, say } from "./dom.js";
import { ago, exact, money, number, seconds, statusWord, t } from "./words.js";
import { ask, follow, get } from "./service.js";
import { graph } from "./graph.js";
import { difference } from "./snapshots.js";
import { redraw } from "./main.js";

const statuses = ["created", "running", "paused", "hitl_waiting", "completed", "failed", "cancelled", "expired"];
const badge = (status) => h("span", { class: "badge " + status }, statusWord(status));
const when = (time) => h("time", { datetime: time, title: exact(time) }, ago(time));

export async function list(_, params) {
  const status = params.get("status") ?? "";
  const page = await get("/sessions?limit=50" + (status ? "&status=" + status : "") + (params.has("after") ? "&after=" + encodeURIComponent(params.get("after")) : ""));
  const go = (e) => { location.hash = "#/sessions" + (e.target.value ? "?status=" + e.target.value : ""); };
  return [
    h("h1", { tabindex: "-1" }, t("sessions.title")),
    begin(),
    h("p", null, h("label", { for: "status" }, t("sessions.filter")), " ",
      h("select", { id: "status", onchange: go }, h("option", { value: "" }, t("sessions.all")), statuses.map((x) => h("option", { value: x, selected: x === status }, statusWord(x))))),
    page.sessions.length === 0 ? h("p", { class: "empty" }, t("sessions.empty")) : h("ul", { class: "cards", "aria-label": t("sessions.title") }, page.sessions.map(card)),
    page.next && h("p", null, h("a", { href: `#/sessions?${new URLSearchParams({ ...(status && { status }), after: page.next })}` }, t("sessions.more"))),
  ];
}

function card(x) {
  return h("li", { class: "card" }, h("a", { href: "#/sessions/" + encodeURIComponent(x.id) }, x.user_input.slice(0, 200) || x.id), badge(x.status),
    h("small", null, when(x.created_at), ` · ${t("session.tokens", { n: number(x.tokens_used) })} · ${money(x.cost_micro_usd)}`));
}

function begin() {
  const start = async (e) => {
    e.preventDefault();
    const input = e.target.elements["new-input"];
    const made = await attempt(() => ask("POST", "/sessions", { user_input: input.value }));
    if (made) location.hash = "#/sessions/" + encodeURIComponent(made.session_id);
  };
  return h("details", { class: "begin" }, h("summary", null, t("sessions.new")), h("form", { onsubmit: start },
    h("label", { for: "new-input" }, t("sessions.input")), h("textarea", { id: "new-input", rows: "3", required: true, maxlength: "100000" }), h("button", { class: "main" }, t("sessions.start"))));
}

// attempt does what a button says, and words a no.
async function attempt(f) {
  try {
    return await f();
  } catch (e) {
    say(e.message);
  }
}

const actions = {
  created: ["cancel"], running: ["pause", "cancel"], paused: ["resume", "cancel", "delete"], hitl_waiting: ["resume", "cancel", "delete"],
  completed: ["delete"], failed: ["resume", "delete"], cancelled: ["delete"], expired: ["delete"],
};

export async function session([id], _, onLeave) {
  const path = "/sessions/" + encodeURIComponent(id);
  const parts = { top: h("div"), question: h("div"), work: h("div"), past: h("ol"), link: h("p", { class: "link" }) };
  const draw = (x) => {
    parts.top.replaceChildren(...top(x, path));
    parts.question.replaceChildren(...(x.pending ? [question(x.pending, path)] : []));
    parts.work.replaceChildren(...work(x));
  };
  draw(await get(path));
  const hear = async (frame) => {
    if (frame.type === "event") {
      parts.past.prepend(eventLine(frame.event));
      say(happened(frame.event));
    }
    const now = await attempt(() => get(path));
    if (now) draw(now);
  };
  onLeave(follow(id, hear, (on) => { parts.link.textContent = t(on ? "live.on" : "live.off"); parts.link.className = on ? "link on" : "link"; }));
  return [parts.top, parts.question, parts.work, h("section", null, h("h2", null, t("events.title")), parts.link,
    h("div", { class: "events", role: "log", tabindex: "0", "aria-label": t("events.title") }, parts.past))];
}

function top(x, path) {
  const act = async (what) => {
    if (what === "delete" && !confirm(t("session.sure"))) return;
    const done = await attempt(() => (what === "delete" ? ask("DELETE", path) : ask("POST", `${path}/${what}`, what === "resume" ? {} : undefined)));
    if (done) say(t("session.did-" + what));
    if (done && what === "delete") location.hash = "#/sessions";
    else redraw();
  };
  return [
    h("h1", { tabindex: "-1" }, x.user_input.slice(0, 300) || x.id), h("p", { class: "state" }, badge(x.status), " ", actions[x.status].map((a) => h("button", { onclick: () => act(a), "data-action": a }, t("session." + a)))),
    h("dl", { class: "facts" }, [
      [t("session.id"), h("code", null, x.id)], [t("session.created"), when(x.created_at)], [t("session.started"), x.started_at && when(x.started_at)],
      [t("session.ended"), x.completed_at && when(x.completed_at)], [t("session.expires"), x.expires_at && h("time", { datetime: x.expires_at }, exact(x.expires_at))],
      [t("session.ran"), seconds(x.execution_time_ms)], [t("session.used"), `${number(x.tokens_used)} · ${money(x.cost_micro_usd)}`],
    ].filter(([, v]) => v).map(([k, v]) => [h("dt", null, k), h("dd", null, v)])),
  ];
}

// question is what waits for a person.
function question(q, path) {
  const asked = typeof q.data === "object" && q.data !== null ? q.data.question ?? q.data.message ?? JSON.stringify(q.data) : String(q.data ?? q.type);
  const answer = async (e) => {
    e.preventDefault();
    const says = new FormData(e.target);
    const data = says.get("text") ? says.get("text") : undefined;
    const choice = says.get("choice") ?? (q.options?.length ? undefined : says.get("text"));
    const done = await attempt(() => ask("POST", `${path}/requests/${encodeURIComponent(q.request_id)}/answer`, { choice: choice ?? undefined, data, via: "web" }));
    if (done) say(t("question.answered"));
  };
  return h("section", { class: "question", "aria-labelledby": "question" }, h("h2", { id: "question" }, t("question.title")), h("p", { class: "asked" }, asked),
    h("p", null, h("small", null, t("question.until", { time: exact(q.timeout_at) }))),
    h("form", { onsubmit: answer },
      q.options?.length > 0 && h("fieldset", null, h("legend", null, t("question.choose")), q.options.map((o, i) => h("label", { class: "option" }, h("input", { type: "radio", name: "choice", value: o.id, required: true, checked: i === 0 && q.options.length === 1 }), " ", o.label || o.id))),
      h("label", { for: "answer-text" }, t(q.options?.length ? "question.more" : "question.text")), h("textarea", { id: "answer-text", name: "text", rows: "2", required: !q.options?.length }),
      h("button", { class: "main" }, t("question.answer"))));
}

function work(x) {
  const p = x.progress;
  const points = x.session_checkpoints;
  return [
    h("section", null, h("h2", null, t("session.todos")),
      p.total_todos > 0 && h("p", null, h("progress", { max: p.total_todos, value: p.completed, "aria-label": t("session.progress") }), ` ${p.completed}/${p.total_todos}`),
      x.todos.length === 0 ? h("p", { class: "empty" }, t("todo.none")) : h("ul", { class: "todos" }, x.todos.map((d) => h("li", { class: d.status === "completed" ? "done" : "" },
        h("span", { class: "mark" }, t("todo." + d.status.replace("_", "-"))), " ", d.title, d.retry_count > 0 && h("small", null, " ", t("todo.retries", { n: d.retry_count })))))),
    points.length > 0 && h("section", null, h("h2", null, t("session.checkpoints")), chain(x.id, points)),
    x.response && h("section", null, h("h2", null, t("session.response")), h("pre", { tabindex: "0" }, typeof x.response === "object" ? x.response.output ?? JSON.stringify(x.response, null, 2) : String(x.response))),
  ].filter(Boolean);
}

// chain is the lineage of a session's checkpoints, newest first.
function chain(id, points) {
  const rows = points.map((c, i) => ({ session_id: c.snapshot, parent_session_id: points[i - 1]?.snapshot, here: i === points.length - 1, kind: "", point: c })).reverse();
  return h("div", { class: "lineage" }, graph(rows), h("ol", { "aria-label": t("lineage.label") }, rows.map((r) => h("li", { class: r.here ? "here" : "" },
    h("a", { href: `#/checkpoint/${encodeURIComponent(id)}/${r.session_id}` }, r.point.label || r.session_id.slice(0, 8)),
    h("small", null, when(r.point.at), r.parent_session_id && [" · ", h("a", { class: "beside", href: `#/checkpoints/${encodeURIComponent(id)}/${r.parent_session_id}/${r.session_id}` }, t("diff.show"))])))));
}

// happened words an event. A session that asks stands still, too; what matters is the question.
function happened(e) {
  return e.data?.cause === "ask" ? t("event.asked") : t("event." + e.event_type.replace("session.", ""));
}

function eventLine(e) {
  const note = e.data?.note;
  return h("li", null, h("span", { class: "mark" }, e.seq), " ", happened(e), " ", h("small", null, [when(e.timestamp), e.data?.cause && ` · ${t("cause." + e.data.cause)}`, note?.error && ` · ${note.error}`]));
}

export async function checkpointDiff([id, from, to]) {
  const d = await get(`/sessions/${encodeURIComponent(id)}/diff?from=${from}&to=${to}`);
  return difference(d, (snapshot) => h("a", { href: `#/checkpoint/${encodeURIComponent(id)}/${snapshot}` }, snapshot.slice(0, 8)));
}
