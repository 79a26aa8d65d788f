// A daemon that does not answer and does not end: the page gives up waiting, says so, and agrees
// with the daemon again once that goes on.
import { play, row, rows } from "./stage.mjs";
import { project } from "./seed.mjs";

await play(async (stage) => {
  const shop = project("shop");
  const { id } = await stage.daemon.remember("It is to be forgotten while nobody answers", shop);
  const { id: stays } = await stage.daemon.remember("It stays", shop);
  const page = await stage.visitor();
  const state = (name) => page.locator(`.state[data-state="${name}"]`).waitFor();
  await state("live");
  await stage.ask("freeze");
  await row(page, id).focus();
  await page.keyboard.press("Delete");
  await page.locator(".toast", { hasText: "will be forgotten" }).getByRole("button", { name: "Now" }).click();
  await page.locator(".toast", { hasText: "could not be forgotten" }).waitFor();
  await row(page, id).waitFor();
  await state("offline");
  const shown = (await rows(page)).map((one) => one.id);
  await stage.ask("thaw");
  await state("live");
  await page.locator(".notice.bad").waitFor({ state: "hidden" });
  // Whether the daemon heard of it in the end is its affair: both say the same.
  const { id: later } = await stage.daemon.remember("What came afterwards", shop);
  await row(page, later).waitFor();
  const there = (await stage.daemon.post("/api/rows", { ids: [id, stays, later] })).rows.map((one) => one.id).sort();
  await page.waitForFunction((wanted) => {
    const seen = [...document.querySelectorAll("#main .entry")].map((one) => one.dataset.row).sort();
    return seen.join() === wanted.join();
  }, there);
  return { id, stays, shown, there };
});
