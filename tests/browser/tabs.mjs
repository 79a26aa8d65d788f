// Many pages of one browser, which keeps six connections for one host: each can still ask, those
// that were looked at last follow what happens, and the others catch up when they are looked at.
import { play, ready, row } from "./stage.mjs";
import { project } from "./seed.mjs";

const PAGES = 9;

await play(async (stage) => {
  const shop = project("shop");
  const { id: first } = await stage.daemon.remember("There before", shop);
  const context = await stage.profile();
  // Pages of this browser all say that they are looked at: this says whether they are.
  await context.addInitScript(() => {
    let hidden = location.hash.includes("behind");
    Object.defineProperty(Document.prototype, "hidden", { get: () => hidden });
    window.show = (shown) => {
      hidden = !shown;
      document.dispatchEvent(new Event("visibilitychange"));
    };
  });
  const signing = await context.newPage();
  await signing.goto(await stage.ask("link"));
  await ready(signing);
  await signing.close();

  const pages = [];
  for (let n = 0; n < PAGES; n += 1) {
    const page = await context.newPage();
    await page.goto(stage.base);
    await row(page, first).waitFor();
    pages.push(page);
  }
  const states = () => Promise.all(pages.map((page) => page.locator(".state").getAttribute("data-state")));
  await pages.at(-1).locator('.state[data-state="live"]').waitFor();
  await pages[0].locator('.state[data-state="resting"]').waitFor();
  const standing = await states();
  const { id: next } = await stage.daemon.remember("While nine pages are open", shop);
  await row(pages.at(-1), next).waitFor();
  const without = await row(pages[0], next).count();
  // The oldest is looked at again.
  await pages[0].evaluate(() => window.dispatchEvent(new Event("focus")));
  await row(pages[0], next).waitFor();
  await pages[0].locator('.state[data-state="live"]').waitFor();
  const after = await states();

  // Opened behind another page it rests until it is looked at, and has missed nothing then.
  const behind = await context.newPage();
  await behind.goto(`${stage.base}/#/feed?behind`);
  await row(behind, next).waitFor();
  await behind.locator('.state[data-state="resting"]').waitFor();
  const { id: unseen } = await stage.daemon.remember("While it was behind", shop);
  await row(pages[0], unseen).waitFor();
  const seen_behind = await row(behind, unseen).count();
  await behind.evaluate(() => window.show(true));
  await row(behind, unseen).waitFor();
  // Hidden again it gives its place up.
  await behind.evaluate(() => window.show(false));
  await behind.locator('.state[data-state="resting"]').waitFor();
  return { standing, without, after, seen_behind };
});
