// The daemon goes away under open pages and comes back; two pages of one browser.
import { play, ready, row, rows } from "./stage.mjs";
import { project } from "./seed.mjs";

await play(async (stage) => {
  const shop = project("shop");
  const remember = async (text) => (await stage.daemon.remember(text, shop)).id;
  const stays = await remember("It stays");
  const failing = await remember("It is to be forgotten while nobody answers");
  const shared = await remember("It is looked at in two pages");
  const late = await remember("It is forgotten after all");
  const page = await stage.visitor();
  await page.evaluate(() => { window.neverLoadedAgain = true; });
  const state = (name, where = page) => where.locator(`.state[data-state="${name}"]`).waitFor();
  const toast = (text, where = page) => where.locator(".toast", { hasText: text });
  await state("live");

  // Two pages: what one forgets, the other shows no more, also where it is being looked at.
  const second = await page.context().newPage();
  await second.goto(stage.base);
  await ready(second);
  await state("live", second);
  await row(second, shared).click();
  await second.locator(".side-panel .prose").waitFor();
  await row(page, shared).focus();
  await page.keyboard.press("Delete");
  await toast("will be forgotten").getByRole("button", { name: "Now" }).click();
  await row(second, shared).waitFor({ state: "detached" });
  await second.locator(".side-panel", { hasText: "is not there any more" }).waitFor();
  const told = await second.locator(".side-panel").innerText();
  // Opened by its address it says the same.
  await second.goto("about:blank");
  await second.goto(`${stage.base}/#/feed?row=${shared}`);
  await second.locator(".side-panel", { hasText: "is not there any more" }).waitFor();
  const by_address = await second.locator(".side-panel").innerText();
  await second.close();

  // The daemon is killed. The page says so, and shows what it knows.
  const killed = await stage.ask("kill");
  await state("offline");
  const notice = await page.locator(".notice.bad").innerText();
  const shown = (await rows(page)).map(({ id }) => id);
  // What is forgotten now cannot be: the row comes back and the page says why.
  await row(page, failing).focus();
  await page.keyboard.press("Delete");
  await row(page, failing).waitFor({ state: "detached" });
  await toast("could not be forgotten").waitFor();
  await row(page, failing).waitFor();
  const why = await toast("could not be forgotten").innerText();
  // What is looked for says so too, and another page that was not read yet.
  await page.evaluate(() => { location.hash = "#/health"; });
  await page.locator("#main .empty").getByRole("button", { name: "Try again" }).waitFor();
  const unread = await page.locator("#main .empty").innerText();
  await page.evaluate(() => { location.hash = "#/feed"; });

  // It comes back as another process; the page goes on by itself.
  const pid = await stage.ask("start");
  await state("live");
  await page.locator(".notice.bad").waitFor({ state: "hidden" });
  await row(page, failing).waitFor();
  const again = (await rows(page)).map(({ id }) => id);
  const missed = await remember("What came afterwards");
  await row(page, missed).waitFor();

  // Killed, written to, and back before the page could look: nothing is missed.
  await stage.ask("kill");
  await stage.ask("start");
  const during = await remember("While the page was away");
  await row(page, during).waitFor();

  // Forgotten while it is away, and back before the time is over: it is forgotten.
  await stage.ask("kill");
  await row(page, late).focus();
  await page.keyboard.press("Delete");
  await stage.ask("start");
  await toast(`${late} forgotten`).waitFor();
  const gone = (await stage.daemon.post("/api/rows", { ids: [late] })).rows.length === 0;

  // A page that was closed in between sends what it was about to do.
  const closing = await remember("It goes with the page");
  await row(page, closing).waitFor();
  await row(page, closing).focus();
  await page.keyboard.press("Delete");
  await row(page, closing).waitFor({ state: "detached" });
  const reloaded = !(await page.evaluate(() => window.neverLoadedAgain));
  await page.close();
  for (;;) {
    const { rows: left } = await stage.daemon.post("/api/rows", { ids: [closing] });
    if (!left.length) break;
    await new Promise((done) => setTimeout(done, 20));
  }
  stage.forgive(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_SOCKET_NOT_CONNECTED/);
  return { told, by_address, killed, notice, shown, stays, failing, why, unread, pid, again, gone, reloaded };
});
