// What happens while a page is open comes to it without a reload.
import { play, ready, row, rows } from "./stage.mjs";
import { Session, project } from "./seed.mjs";

await play(async (stage) => {
  const page = await stage.visitor();
  const empty = await page.locator("#main .empty").innerText();
  await page.evaluate(() => { window.neverLoadedAgain = true; });
  await page.locator('.state[data-state="live"]').waitFor();
  const session = new Session(stage.daemon, project("shop"), "live-1", Date.now() - 10 * 60_000);
  await session.start();
  await session.prompt("Make the cart count whole cents");
  await page.locator("#main .entry", { hasText: "Make the cart count whole cents" }).first().waitFor();
  await session.read("src/cart.rs");
  await session.edit("src/cart.rs", "f64", "Cents");
  await session.stop("Done. Decision: amounts are kept as whole cents.");
  await page.locator("#main .entry", { hasText: /Observation|Decision|Change|Feature/ }).first().waitFor();
  await stage.daemon.settle();
  await page.locator("#main .entry", { hasText: "Summary" }).first().waitFor();
  const kinds = [...new Set((await rows(page)).map(({ word }) => word.split(" ")[0]))].sort();
  const projects = await page.locator(".pick option").allInnerTexts();

  // The timeline shows the session at work, and then that it has ended.
  await stage.go(page, "#/timeline?by=talk");
  await page.locator(".session .chip.good").waitFor();
  const active = await page.locator(".session").innerText();
  await session.end();
  await page.locator(".session .chip.good").waitFor({ state: "detached" });
  const ended = await page.locator(".session").innerText();

  // Its story, too, grows under the eyes of who reads it.
  await page.locator(".session").click();
  await ready(page);
  const before = await page.locator("article.turn").count();
  const again = new Session(stage.daemon, project("shop"), "live-1", Date.now() - 60_000);
  await again.start("resume");
  await again.prompt("And the invoice, please");
  await page.locator("article.turn", { hasText: "And the invoice, please" }).waitFor();
  const after = await page.locator("article.turn").count();

  // Who has scrolled down is not moved, but told.
  for (let n = 0; n < 60; n += 1) await stage.daemon.remember(`Filler ${n}`, project("shop"));
  await stage.go(page, "#/feed");
  await row(page, "m60").waitFor();
  const list = page.locator("#main .list");
  await list.evaluate((one) => { one.scrollTop = 900; });
  await page.waitForFunction(() => document.querySelector("#main .list").scrollTop === 900);
  const middle = (await rows(page)).find(({ id }) => id.startsWith("m") && Number(id.slice(1)) < 48).id;
  const at = async () => Math.round((await row(page, middle).boundingBox()).y);
  const stood = await at();
  await stage.daemon.remember("Something new at the top", project("shop"));
  const pill = page.locator("#main .pill:not([hidden])");
  await pill.waitFor();
  const stands = await at();
  const told = await pill.innerText();
  await pill.click();
  await page.locator("#main .entry", { hasText: "Something new at the top" }).waitFor();
  const reloaded = !(await page.evaluate(() => window.neverLoadedAgain));
  return { empty, kinds, projects, active, ended, before, after, stood, stands, told, reloaded };
});
