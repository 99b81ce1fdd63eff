// The page: who reads, which view, in which language. Views are functions that give elements; the address says which.

import { byId, h, say } from "./dom.js";
import { lang, learn, preferred, t } from "./words.js";
import { forget, get, key, Refused, remember, takeKey } from "./service.js";
import { checkpointDiff, list, session } from "./sessions.js";
import { diff, snapshot, snapshotOf, worktree } from "./snapshots.js";
import { statistics } from "./plots.js";

const routes = [
  [/^\/sessions$/, list], [/^\/sessions\/([^/]+)$/, session], [/^\/snapshots$/, worktree], [/^\/snapshots\/([^/]+)$/, snapshot],
  [/^\/diff\/([^/]+)\/([^/]+)$/, diff], [/^\/checkpoint\/([^/]+)\/([^/]+)$/, snapshotOf], [/^\/checkpoints\/([^/]+)\/([^/]+)\/([^/]+)$/, checkpointDiff], [/^\/statistics$/, statistics],
];

let me = null;
let leave = [];
let drawn = 0; // the newest drawing; an older one that ends later is thrown away

export function redraw() { return draw(false); }

async function draw(moved) {
  const mine = ++drawn;
  leave.forEach((f) => f());
  leave = [];
  const content = byId("content");
  if (key() === null) {
    frame();
    return content.replaceChildren(...login());
  }
  content.setAttribute("aria-busy", "true");
  try {
    if (!me) me = await get("/me");
    const [path, query] = location.hash.slice(1).split("?");
    const found = routes.map(([pattern, view]) => [path.match(pattern), view]).find(([match]) => match) ?? [["", ""], list];
    const gone = [];
    const elements = await found[1](found[0].slice(1).map(decodeURIComponent), new URLSearchParams(query), (f) => gone.push(f));
    if (mine !== drawn) return gone.forEach((f) => f());
    leave = gone;
    content.replaceChildren(...elements.flat(Infinity).filter((x) => x instanceof Node));
  } catch (e) {
    if (mine !== drawn) return;
    if (e instanceof Refused && e.status === 401) { forget(); me = null; content.replaceChildren(...login(t("login.wrong"))); }
    else content.replaceChildren(h("h1", { tabindex: "-1" }, t("failed")), h("p", null, e.message), h("p", null, h("button", { onclick: () => redraw() }, t("again"))));
  }
  content.removeAttribute("aria-busy");
  frame();
  const title = content.querySelector("h1");
  if (title) document.title = title.textContent.slice(0, 80) + " – session";
  if (moved) title?.focus();
}

function login(why) {
  const enter = (e) => { e.preventDefault(); remember(e.target.elements.token.value.trim()); draw(true); };
  return [h("h1", { tabindex: "-1" }, t("login.title")), why && h("p", { role: "alert" }, why), h("p", null, t("login.help")),
    h("form", { onsubmit: enter }, h("label", { for: "token" }, t("login.token")), h("input", { id: "token", type: "password", autocomplete: "off", required: true }), h("button", { class: "main" }, t("login.enter")))].filter(Boolean);
}

// frame draws what stands around the view.
function frame() {
  const at = location.hash.slice(1);
  const tab = (to, word) => h("a", { href: "#" + to, "aria-current": at.startsWith(to) ? "page" : null }, t(word));
  byId("skip").textContent = t("skip");
  byId("nav").setAttribute("aria-label", t("nav.label"));
  byId("nav").replaceChildren(...(key() !== null ? [tab("/sessions", "nav.sessions"), me?.operator && tab("/snapshots", "nav.worktree"), tab("/statistics", "nav.statistics")].filter(Boolean) : []));
  byId("tools").replaceChildren(
    h("button", { onclick: switchTheme, "aria-label": t("theme") }, "◐"),
    h("button", { onclick: switchLanguage, lang: lang() === "ko" ? "en" : "ko" }, lang() === "ko" ? "English" : "한국어"),
    ...(key() !== null ? [h("button", { onclick: () => { forget(); me = null; draw(true); } }, t("leave"))] : []));
}

async function switchLanguage() {
  const l = lang() === "ko" ? "en" : "ko";
  localStorage.setItem("lang", l);
  await learn(l);
  await draw(false);
}

function switchTheme() {
  const dark = document.documentElement.dataset.theme ? document.documentElement.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset.theme = dark ? "light" : "dark";
  localStorage.setItem("theme", document.documentElement.dataset.theme);
}

// A list of sessions is looked at again while somebody sees it; one session is told by its WebSocket.
setInterval(() => {
  const still = document.activeElement === document.body || document.activeElement?.tagName === "H1";
  if (!document.hidden && still && /^#\/sessions(\?|$)/.test(location.hash) && !document.querySelector("details[open]")) draw(false);
}, 5000);

takeKey();
if (localStorage.getItem("theme")) document.documentElement.dataset.theme = localStorage.getItem("theme");
byId("skip").addEventListener("click", (e) => { e.preventDefault(); byId("content").focus(); }); // the address names a view, not a place
addEventListener("hashchange", () => { if (takeKey()) me = null; say(""); draw(true); });
await learn(preferred());
await draw(false);
