// Drives the page of session serve in a real browser: node page.mjs MODULES CHROMIUM URL KEY WAITING RUNNING FOLDER
//
//	MODULES    folder whose node_modules has playwright-core and axe-core
//	WAITING    id of a session that waits for an answer 
//	RUNNING    id of a session that runs and will be told progress
//	FOLDER     where screenshots go
//
// It prints one line a step, and ends with 1 at the first that is not as it should be.
import { createRequire } from "node:module";
import { join } from "node:path";

const [, , modules, chromium, url, key, waiting, running, folder] = process.argv;
const need = createRequire(join(modules, "package.json"));
const { chromium: browserType } = need("playwright-core");
const axe = need.resolve("axe-core/axe.min.js");

let failures = 0;
function check(what, good, detail = "") {
  console.log((good ? "ok   " : "FAIL ") + what + (good ? "" : " " + detail));
  if (!good) failures++;
}

const browser = await browserType.launch({ executablePath: chromium, args: ["--no-sandbox"] });

async function open(options) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 800 }, ...options });
  const page = await context.newPage();
  page.on("pageerror", (e) => check("no error in the page", false, String(e)));
  page.on("console", (m) => { if (m.type() === "error") check("nothing in the console", false, m.text() + " " + m.location().url); });
  page.on("request", (r) => { if (!r.url().startsWith(url) && !r.url().startsWith(url.replace("http", "ws"))) check("nothing from elsewhere", false, r.url()); });
  return page;
}

async function go(page, hash) {
  await page.goto(url + hash);
  await page.waitForSelector("h1");
  await page.waitForFunction(() => !document.querySelector("main[aria-busy]"));
}

// serious finds violations that keep somebody from using the page.
async function serious(page, where) {
  await page.addScriptTag({ path: axe }).catch(() => {});
  const loaded = await page.evaluate(() => typeof window.axe === "object");
  if (!loaded) await page.evaluate(need("node:fs").readFileSync(axe, "utf8"));
  const result = await page.evaluate(() => window.axe.run(document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice"] }));
  const bad = result.violations.filter((v) => v.impact === "serious" || v.impact === "critical");
  check("axe: " + where, bad.length === 0, JSON.stringify(bad.map((v) => [v.id, v.nodes.map((n) => n.html + " " + n.failureSummary)])));
}

const shot = (page, name) => page.screenshot({ path: join(folder, name + ".png"), fullPage: true });
const text = (page, selector) => page.locator(selector).first().innerText();

// Nobody is let in without a key; the key in the address is taken out of it.
const page = await open({ locale: "en-US", colorScheme: "light", bypassCSP: true });
await go(page, "");
check("asks for a token", (await page.locator("input[type=password]").count()) === 1);
await serious(page, "sign in");
await go(page, "#key=" + key);
await page.waitForSelector(".cards");
check("the key is out of the address", !page.url().includes(key));
check("lists sessions", (await page.locator(".card").count()) >= 2);
await serious(page, "list");
await shot(page, "list");

// Many sessions: each snapshot has its label at every width, titled by what was asked; what is too wide scrolls in its box.
for (const width of [360, 390, 768]) {
  const narrow = await open({ locale: "en-US", viewport: { width, height: 740 }, bypassCSP: true });
  await go(narrow, "#key=" + key);
  await narrow.waitForSelector(".cards");
  await go(narrow, "#/snapshots");
  const labels = await narrow.$$eval(".lineage li > a", (all) => all.map((a) => [a.getBoundingClientRect().width, a.getBoundingClientRect().right, a.textContent]));
  const tight = labels.filter(([wide, right]) => wide < 150 || right > width);
  check(`labels at ${width} pixels`, labels.length > 48 && tight.length === 0, JSON.stringify([labels.length, tight.slice(0, 3)]));
  const asked = labels.filter(([, , label]) => label.startsWith("Look at part ")).length;
  check(`titles at ${width} pixels`, asked === 48, `${asked} of 48`);
  const wide = await narrow.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check(`no sideways scrolling at ${width} pixels`, wide <= 0, wide + " pixels too wide");
  await serious(narrow, `lineage at ${width} pixels`);
  await shot(narrow, "lineage-" + width);
  await go(narrow, "#/statistics");
  const sizes = await narrow.$$eval(".plot .ticks span, .plot text", (all) => all.map((x) => [parseFloat(getComputedStyle(x).fontSize), x.getBoundingClientRect().height]));
  check(`axis text at ${width} pixels`, sizes.length >= 12 && sizes.every(([font, high]) => font >= 11 && high >= 11), JSON.stringify(sizes));
  await narrow.close();
}

// A wrong key, in the address or typed, is said in the language of the page, and asked for again.
for (const [locale, wrong, sentence] of [["en-US", "wrong", "is not known"], ["ko-KR", "wrong", "올바르지"], ["en-US", "", "is not known"], ["en-US", "%EC%9D%B4!", "is not known"]]) {
  const stranger = await (await browser.newContext({ locale, viewport: { width: 360, height: 740 } })).newPage();
  await stranger.goto(url + "#key=" + wrong);
  await stranger.waitForSelector("[role=alert]");
  check(`says that the key "${wrong}" is wrong`, (await text(stranger, "[role=alert]")).includes(sentence) && !(await text(stranger, "main")).includes("Bearer"), await text(stranger, "main"));
  check("and asks again", (await stranger.locator("input[type=password]").count()) === 1 && (await stranger.locator("nav a").count()) === 0);
  await stranger.fill("#token", "토큰 wrong");
  await stranger.keyboard.press("Enter");
  await stranger.waitForTimeout(300);
  check("a wrong token is said", (await text(stranger, "[role=alert]")).includes(sentence), await text(stranger, "main"));
  await stranger.fill("#token", key);
  await stranger.keyboard.press("Enter");
  await stranger.waitForSelector(".cards");
  await stranger.goto(url + "#key=" + wrong);
  await stranger.waitForSelector("[role=alert]");
  check("a wrong key after a right one, too", (await stranger.locator("input[type=password]").count()) === 1);
  await stranger.close();
}

// One session: a question is answered by keyboard alone, and what follows is told as it happens.
await go(page, "#/sessions/" + waiting);
await page.waitForSelector(".question");
await page.waitForSelector(".events li");
check("asks the question", (await text(page, ".asked")).includes("?"));
check("a question is announced as one", (await page.locator("#said").textContent()) === "A question waits for an answer", await page.locator("#said").textContent());
check("and told as one", (await page.locator(".events").innerText()).includes("A question waits for an answer"), await page.locator(".events").innerText());
await serious(page, "question");
await shot(page, "question");
await page.focus("#answer-text");
await page.keyboard.type("Redis, please");
await page.keyboard.press("Tab");
await page.keyboard.press("Enter");
await page.waitForSelector(".badge.completed", { timeout: 30000 });
check("the answered session completes", true);
check("the answer is shown", (await text(page, "pre")).includes("Redis"));
const told = await page.locator(".events li").count();
check("every event is told", told >= 5, String(told));
check("causes are words", /the run began/.test(await page.locator(".events").innerText()) && /it was answered/.test(await page.locator(".events").innerText()), await page.locator(".events").innerText());
await shot(page, "answered");

// Live progress, without loading anything again.
await go(page, "#/sessions/" + running);
await page.waitForSelector(".link.on");
await page.waitForSelector(".badge.completed", { timeout: 30000 });
check("a running session is followed to its end", true);

// The work tree: graph, one snapshot, a diff.
await go(page, "#/snapshots");
check("draws the lineage", (await page.locator(".graph circle").count()) >= 2);
check("says the lineage in words", (await page.locator(".lineage li").count()) === (await page.locator(".graph circle").count()));
await serious(page, "lineage");
await shot(page, "lineage");
await page.click(".compare button");
await page.waitForSelector("table");
check("shows a diff", (await page.locator("tbody tr").count()) >= 1);
check("without what is internal", (await page.locator("tbody th").allTextContents()).every((x) => !/memory\/\d+\/counts/.test(x)), (await page.locator("tbody th").allTextContents()).join(" "));
await serious(page, "diff");
await shot(page, "diff");
await go(page, "#/snapshots/HEAD");
check("shows todos, blockers and the ledger", (await page.locator("h2").count()) >= 3);
await serious(page, "snapshot");
await shot(page, "snapshot");

await go(page, "#/statistics");
check("plots four figures", (await page.locator(".plot svg").count()) === 4);
check("with bars", (await page.locator(".plot rect").count()) >= 1);
await page.click("details summary");
check("and the numbers", (await page.locator("tbody tr").count()) >= 1);
await serious(page, "statistics");
await shot(page, "statistics");

// The CSP holds: no inline script runs.
const strict = await open({ locale: "en-US" });
await strict.goto(url);
await strict.waitForSelector("h1");
const policy = (await strict.request.get(url)).headers()["content-security-policy"];
check("the policy allows nothing inline and nothing from elsewhere", policy.includes("default-src 'none'") && !policy.includes("unsafe"), policy);

// Dark, Korean, phone.
const phone = await open({ locale: "ko-KR", colorScheme: "dark", viewport: { width: 360, height: 740 }, deviceScaleFactor: 2, bypassCSP: true });
await go(phone, "#key=" + key);
await phone.waitForSelector(".cards");
check("speaks Korean", (await text(phone, "h1")) === "세션" && (await phone.getAttribute("html", "lang")) === "ko");
for (const [hash, name] of [["#/sessions", "list"], ["#/sessions/" + waiting, "session"], ["#/snapshots", "lineage"], ["#/statistics", "statistics"], ["#/snapshots/HEAD", "snapshot"]]) {
  await go(phone, hash);
  await phone.waitForTimeout(200);
  const wide = await phone.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  check("fits a phone: " + name, wide <= 0, wide + " pixels too wide");
  await serious(phone, "phone, dark, Korean: " + name);
  await shot(phone, "phone-" + name);
  if (name === "session") check("events in Korean", !/ · (start|ask|answer|complete)\b/.test(await phone.locator(".events").innerText()) && (await phone.locator(".events").innerText()).includes("질문이 답을 기다립니다"), await phone.locator(".events").innerText());
}

// By keyboard: the skip link is first, every view can be reached, focus goes to the heading.
const keys = await open({ locale: "en-US" });
await go(keys, "#key=" + key);
await keys.keyboard.press("Tab");
check("the skip link is first", (await keys.evaluate(() => document.activeElement.id)) === "skip");
await keys.focus("nav a:nth-child(3)");
await keys.keyboard.press("Enter");
await keys.waitForSelector(".plots");
check("focus goes to the heading", (await keys.evaluate(() => document.activeElement.tagName)) === "H1");
check("the title says where", (await keys.title()).includes("session"));

await browser.close();
console.log(failures === 0 ? "page: all well" : `page: ${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
