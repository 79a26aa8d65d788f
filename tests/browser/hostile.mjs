// Whatever was stored is shown as text, and nothing of it runs.
import { play, ready, row, rows } from "./stage.mjs";
import { Session, project } from "./seed.mjs";

const RTL = "\u202egnp.eliforp\u202c";
const EMOJI = "👩‍👩‍👧‍👦🏳️‍🌈👨🏽‍🚀";

/** Texts that would do something where they were taken for more than text. */
const TEXTS = [
  "<script>window.ran = 'script'</script>",
  "<img src=x onerror=\"window.ran = 'onerror'\">",
  "<svg onload=\"window.ran = 'onload'\"><a href=\"javascript:window.ran='link'\">go</a></svg>",
  "\"><iframe srcdoc=\"<script>parent.ran='frame'</script>\"></iframe>",
  "[click](javascript:window.ran='markdown') ![x](http://203.0.113.9/x.png) **bold** <b>b</b>",
  "</title></textarea></style><style>body{display:none}</style>",
  "{{constructor.constructor('window.ran=1')()}} ${window.ran='template'}",
  "&lt;script&gt; &amp;amp; &#x3c;b&#x3e; stay as they are",
  `right to left ${RTL} and back \u2066isolate\u2069`,
  `emoji ${EMOJI} and 发票模板 e\u0301`,
  "nul \u0001 bell \u0007 escape \u001b[31mred\u001b[0m vertical \u000b tab",
];

/** Text cut after so many code points: never inside a pair of surrogates. */
const cut = (text, most) => [...text].slice(0, most).join("");

await play(async (stage) => {
  const where = project("<b>shop</b>", "/home/dev/<img src=x onerror=alert(1)>");
  const told = [];
  for (const text of TEXTS) told.push((await stage.daemon.remember(text, where, { title: cut(text, 60), files: [`src/${cut(text, 20)}`] })).id);
  const long = `long ${"x".repeat(99_000)} ${EMOJI} the end`;
  const { id: longest } = await stage.daemon.remember(long, where, { title: cut(long, 300) });

  // The same as an agent's events: prompts, commands, answers.
  const session = new Session(stage.daemon, where, "<i>session</i>", Date.now() - 3_600_000, { branch: "<u>branch</u>", worktree: "'\"><script>window.ran='worktree'</script>" });
  await session.start();
  for (const text of TEXTS.slice(0, 5)) {
    await session.prompt(text);
    await session.bash(`echo ${text}`, `${text}\n${"y".repeat(100_000)}`, true);
    await session.edit(`src/${text.slice(0, 30)}.js`, text, `${text}!`);
    await session.stop(`Decision: ${text}\n\nNext steps:\n- ${text}`);
  }
  await stage.daemon.settle();

  const page = await stage.visitor();
  const dialogs = [];
  page.on("dialog", (dialog) => { dialogs.push(dialog.message()); dialog.dismiss(); });

  const shown = {};
  for (const [at, id] of told.entries()) {
    await stage.go(page, `#/feed?kinds=memory&row=${id}`);
    await page.locator(".side-panel .prose").waitFor();
    shown[at] = {
      wanted: (await stage.daemon.post("/api/rows", { ids: [id] })).rows[0].text,
      panel: await page.locator(".side-panel .prose").evaluate((one) => one.textContent),
      edit: await edited(page),
    };
  }
  await stage.go(page, `#/feed?kinds=memory&row=${longest}`);
  const tail = await page.locator(".side-panel .prose").evaluate((one) => one.textContent.slice(-40));
  const wide = await overflow(page);
  const titles = (await rows(page)).map(({ title }) => title);
  // Half a pair of surrogates, from an agent and typed by a person.
  await stage.go(page, "#/feed?kinds=prompt");
  await page.locator("#main .entry", { hasText: "half" }).first().click();
  await page.locator(".side-panel .prose").waitFor();
  const repaired = await page.locator(".side-panel .prose").evaluate((one) => one.textContent);
  await stage.go(page, `#/feed?kinds=memory&row=${told[9]}`);
  await page.locator(".side-panel").getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Text", { exact: true }).evaluate((area) => { area.value = "typed \ud83d half"; });
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.locator(".toast", { hasText: `${told[9]} saved` }).waitFor();
  const typed = (await stage.daemon.post("/api/rows", { ids: [told[9]] })).rows[0].text;

  const pages = {};
  const first = await page.evaluate(() => fetch("/api/viewer/conversations").then((answer) => answer.json()));
  const story = first.conversations[0].sessions[0].id;
  for (const address of ["#/feed", "#/search?q=script", "#/timeline", "#/timeline?by=talk", `#/session?id=${story}`, "#/next", "#/health", "#/spend", "#/settings"]) {
    await stage.go(page, address);
    await page.evaluate(() => { for (const one of document.querySelectorAll("details")) one.open = true; });
    await ready(page);
    pages[address.split("?id=")[0]] = await look(page);
  }
  // The events behind a row, opened.
  await stage.go(page, "#/feed?kinds=observation");
  const observation = (await rows(page))[0].id;
  await stage.go(page, `#/feed?kinds=observation&row=${observation}`);
  await page.locator(".side-panel details.event").first().waitFor();
  await page.evaluate(() => { for (const one of document.querySelectorAll("details")) one.open = true; });
  pages.evidence = await look(page);
  // An address may say anything.
  for (const address of ["#/<script>", "#/feed?row=<img src=x onerror=window.ran=1>", "#/session?id='", "#/search?q=%F0%9F", "#/timeline?day=2026-99-99&by=<b>", "#//?&&=="]) {
    await page.evaluate((hash) => { location.hash = hash; }, address);
    await ready(page);
    pages[`address ${address}`] = await look(page);
  }
  stage.forgive(/status of 40[04]/);
  return { texts: TEXTS, shown, tail, wide, repaired, typed, titles, pages, dialogs };
});

/** What the form of a row holds. */
async function edited(page) {
  await page.locator(".side-panel").getByRole("button", { name: "Edit" }).click();
  const text = await page.getByRole("dialog").getByLabel("Text", { exact: true }).inputValue();
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  return text;
}

/** What ran, what stands in the page that never may, and whether the page has grown sideways. */
async function look(page) {
  const ran = await page.evaluate(() => window.ran ?? null);
  const foreign = await page.evaluate(() => document.querySelectorAll("#app :is(script, iframe, img, style, object, embed, b, i, u, font), #app [onerror], #app [onload], #app [style*=display], #app a[href^='javascript']").length);
  const legend = await page.evaluate(() => document.querySelectorAll("#app .legend i").length);
  return { ran, foreign: foreign - legend, wide: await overflow(page) };
}

async function overflow(page) {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
