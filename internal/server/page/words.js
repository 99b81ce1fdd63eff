// The page's sentences, in the language that the reader chose or that the browser asks for.

let words = {};
let language = "en";

export const lang = () => language;

export function preferred() {
  const chosen = localStorage.getItem("lang");
  if (chosen === "en" || chosen === "ko") return chosen;
  return navigator.languages.map((l) => l.slice(0, 2)).find((l) => l === "en" || l === "ko") ?? "en";
}

export async function learn(l) {
  const answer = await fetch(`words-${l}.json`);
  words = await answer.json();
  language = l;
  document.documentElement.lang = l;
}

// t is a sentence with its places filled.
export function t(key, places = {}) {
  const sentence = words["page." + key] ?? key;
  return sentence.replace(/\{([a-z]+)\}/g, (_, name) => places[name] ?? "");
}

export const statusWord = (status) => t("status." + status.replace("_", "-"));

const units = [["day", 86400], ["hour", 3600], ["minute", 60]];

// ago words a distance in time; later than a month it is the date.
export function ago(time) {
  const seconds = (Date.now() - new Date(time)) / 1000;
  if (seconds > 30 * 86400) return new Intl.DateTimeFormat(language).format(new Date(time));
  const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  for (const [unit, size] of units) {
    if (seconds >= size) return relative.format(-Math.floor(seconds / size), unit);
  }
  return t("now");
}

export const exact = (time) => new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" }).format(new Date(time));
export const number = (n, options) => new Intl.NumberFormat(language, options).format(n);
export const money = (micro) => number(micro / 1e6, { style: "currency", currency: "USD", maximumFractionDigits: 4 });
export const seconds = (ms) => number(ms / 1000, { style: "unit", unit: "second", maximumFractionDigits: 1 });
