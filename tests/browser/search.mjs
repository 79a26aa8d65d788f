// Search as one types, in both languages, with filters.
import { play, ready, rows } from "./stage.mjs";
import { demo } from "./seed.mjs";

await play(async (stage) => {
  await demo(stage.daemon);
  const page = await stage.visitor();
  const asked = [];
  page.on("request", (request) => request.url().endsWith("/api/viewer/search") && asked.push(JSON.parse(request.postData())));

  // The key goes there; letter by letter the list follows.
  await page.keyboard.press("/");
  await ready(page);
  const focused = await page.evaluate(() => document.activeElement.type);
  const before = await rows(page);
  const look = async (words) => {
    await page.getByRole("searchbox").fill("");
    const answered = page.waitForResponse((answer) => answer.url().endsWith("/api/viewer/search") && JSON.parse(answer.request().postData()).query === words);
    await page.getByRole("searchbox").pressSequentially(words, { delay: 12 });
    await answered;
    await page.waitForFunction((q) => new URLSearchParams(location.hash.split("?")[1]).get("q") === q, words);
    await settled(page);
    return rows(page);
  };
  const cents = await look("cents");
  const letters = asked.filter(({ query }) => query !== "" && "cents".startsWith(query)).length;
  const count = await page.locator("#main .bar [role=status]").innerText();
  const files = await look("src/pdf.rs");
  const han = await look("金额");
  const nothing = await look("zebra xylophone");
  const none = await page.locator("#main .empty").innerText();

  // Filters, in the address: what is there can be shared and comes back with a reload.
  await look("cents");
  await page.getByRole("button", { name: "Filters", exact: true }).click();
  const filter = async (act) => {
    const answered = page.waitForResponse((answer) => answer.url().endsWith("/api/viewer/search"));
    await act();
    await answered;
    await settled(page);
    return rows(page);
  };
  const kind = await filter(() => page.getByLabel("Kind", { exact: true }).selectOption("observation"));
  const file = await filter(async () => { await page.getByLabel("File", { exact: true }).fill("invoice.html"); await page.keyboard.press("Enter"); });
  const hash = await page.evaluate(() => location.hash);
  const reloaded = await filter(() => page.reload().then(() => ready(page)));
  const kept = await page.getByRole("searchbox").inputValue();
  const cleared = await filter(() => page.getByRole("button", { name: "Clear filters" }).click());
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const future = await filter(() => page.getByLabel("From").fill(tomorrow));
  await filter(() => page.getByRole("button", { name: "Clear filters" }).click());

  // One project only.
  const notes = await filter(() => page.getByLabel("Project").selectOption({ label: "field-notes" }));
  const elsewhere = await rows(page);

  // The same in Chinese.
  await page.getByRole("button", { name: "中文" }).click();
  await ready(page);
  const lang = await page.evaluate(() => [document.documentElement.lang, document.querySelector("h1").textContent]);
  await page.getByLabel("项目").selectOption("");
  await ready(page);
  const chinese = await look("发票模板");
  return { focused, before: before.length, cents, letters, count, files, han, nothing, none, kind, file, hash, reloaded, kept, cleared, future, notes, elsewhere, lang, chinese };
});

/** Waits for the list to be drawn for what was answered. */
async function settled(page) {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
