// Statistics as bars, with the same numbers in a table for whoever does not see bars.

import { h, s } from "./dom.js";
import { money, number, seconds, t } from "./words.js";
import { get } from "./service.js";

const high = 120, bar = 16, gap = 4;

// everyDay fills in the days on which nothing happened, oldest first.
export function everyDay(from, to, days) {
  const known = new Map(days.map((d) => [d.date, d]));
  const all = [];
  for (let at = new Date(from + "T00:00:00Z"); at <= new Date(to + "T00:00:00Z"); at = new Date(+at + 86400000)) {
    const date = at.toISOString().slice(0, 10);
    all.push(known.get(date) ?? { date, total_sessions: 0, completed: 0, failed: 0, avg_execution_time_ms: 0, total_tokens: 0, total_cost_micro_usd: 0 });
  }
  return all;
}

// plot draws one figure; parts are the pieces of a day's bar, from the ground up.
function plot(title, days, parts, show) {
  const sum = (d) => parts.reduce((n, p) => n + p.of(d), 0);
  const top = Math.max(...days.map(sum), 1);
  const bars = days.flatMap((d, i) => {
    let y = high;
    return parts.map((p) => {
      const tall = (p.of(d) / top) * high;
      y -= tall;
      return tall > 0 && s("rect", { class: p.class, x: i * (bar + gap), y, width: bar, height: tall }, s("title", null, `${d.date}: ${show(p.of(d))}`));
    });
  });
  const wide = days.length * (bar + gap);
  const most = days.reduce((a, d) => (sum(d) > sum(a) ? d : a), days[0]);
  return h("figure", { class: "plot" },
    h("figcaption", null, title),
    h("div", { class: "ticks", "aria-hidden": "true" }, h("span", null, show(top))),
    s("svg", { viewBox: `0 0 ${wide} ${high + 1}`, preserveAspectRatio: "none", role: "img", "aria-label": t("plot.says", { title, top: show(sum(most)), date: most.date }) },
      s("line", { class: "ground", x1: 0, y1: high, x2: wide, y2: high }), bars),
    h("div", { class: "ticks", "aria-hidden": "true" }, h("span", null, days[0].date), h("span", null, days.at(-1).date)));
}

export async function statistics() {
  const data = await get("/statistics?days=30");
  const days = everyDay(data.from, data.to, data.days);
  const whole = (n) => number(n);
  const one = (field, kind) => [{ class: kind, of: (d) => d[field] }];
  return [
    h("h1", { tabindex: "-1" }, t("statistics.title")),
    h("p", null, t("statistics.range", { from: data.from, to: data.to })),
    h("ul", { class: "legend" }, ["completed", "failed", "other"].map((k) => h("li", null, h("span", { class: "swatch " + k, "aria-hidden": "true" }), t("legend." + k)))),
    h("div", { class: "plots" },
      plot(t("statistics.sessions"), days, [
        { class: "completed", of: (d) => d.completed }, { class: "failed", of: (d) => d.failed },
        { class: "other", of: (d) => d.total_sessions - d.completed - d.failed }], whole),
      plot(t("statistics.time"), days, one("avg_execution_time_ms", "other"), seconds),
      plot(t("statistics.tokens"), days, one("total_tokens", "other"), whole),
      plot(t("statistics.cost"), days, one("total_cost_micro_usd", "other"), money)),
    h("details", null, h("summary", null, t("statistics.table")),
      h("div", { class: "wide", tabindex: "0", role: "region", "aria-label": t("statistics.table") }, h("table", null,
        h("thead", null, h("tr", null, ["date", "sessions", "completed", "failed", "time", "tokens", "cost"].map((k) => h("th", { scope: "col" }, t("statistics." + k))))),
        h("tbody", null, days.slice().reverse().filter((d) => d.total_sessions).map((d) => h("tr", null, h("th", { scope: "row" }, d.date),
          [whole(d.total_sessions), whole(d.completed), whole(d.failed), seconds(d.avg_execution_time_ms), whole(d.total_tokens), money(d.total_cost_micro_usd)].map((x) => h("td", null, x)))))))),
  ];
}
