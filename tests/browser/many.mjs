// Ten thousand rows: only what is seen stands in the page, and the last one is reached.
import { play, ready } from "./stage.mjs";

await play(async (stage) => {
  const page = await stage.visitor();
  const painted = async () => {
    await page.reload();
    await ready(page);
    return page.evaluate(() => new Promise((done) => {
      const paint = performance.getEntriesByName("first-contentful-paint")[0];
      const rows = performance.getEntriesByType("resource").find((one) => one.name.includes("/api/viewer/feed"));
      // Two frames later the rows that were answered have been drawn.
      requestAnimationFrame(() => requestAnimationFrame(() => done({
        paint: paint.startTime, first_rows: rows.responseEnd, drawn: performance.now(),
        loaded: performance.getEntriesByType("navigation")[0].loadEventEnd,
      })));
    }));
  };
  const visits = [];
  for (let n = 0; n < 9; n += 1) visits.push(await painted());
  if (stage.given.visits_only) return { visits };

  const list = page.locator("#main .list");
  const count = () => page.locator("#main .list *").count();
  const before = await count();
  const named = await page.locator("#main .bar .number").innerText();

  // Frames that took long while one scrolls from the first row to the last.
  const scrolled = await list.evaluate((one) => new Promise((done) => {
    let [last, frames, worst, most, still] = [performance.now(), 0, 0, 0, 0];
    const longs = [];
    new PerformanceObserver((seen) => longs.push(...seen.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
    const step = (now) => {
      worst = Math.max(worst, now - last);
      last = now;
      frames += 1;
      most = Math.max(most, one.querySelectorAll("*").length);
      const end = one.querySelector(".more")?.textContent === "That is everything";
      const bottom = one.scrollTop + one.clientHeight >= one.scrollHeight - 1;
      // At the end of what is read so far, the next rows are on their way.
      still = bottom && !end ? still + 1 : 0;
      if (bottom && end) { done({ frames, worst, most, longest: Math.max(0, ...longs) }); return; }
      one.scrollTop += 3_000;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }));
  const after = await count();
  const last = await page.evaluate(() => [...document.querySelectorAll("#main .entry .title")].at(-1).textContent);
  // Keys go on from there, and home again.
  await page.locator("#main .entry").last().focus();
  await page.keyboard.press("k");
  const above = await page.evaluate(() => document.activeElement.querySelector(".title").textContent);
  await list.evaluate((one) => { one.scrollTop = 0; });
  await page.waitForFunction(() => [...document.querySelectorAll("#main .entry .title")].some((one) => one.textContent === "Row 9999"));

  // Whoever reads in the middle stays there when the daemon goes away and comes back.
  await list.evaluate((one) => { one.scrollTop = 200_000; });
  await page.waitForFunction(() => document.querySelector("#main .list").scrollTop === 200_000 && document.querySelectorAll("#main .entry").length > 5);
  const place = () => list.evaluate((one) => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
    const top = one.getBoundingClientRect().top;
    const seen = [...one.querySelectorAll(".entry")].map((entry) => ({ id: entry.dataset.row, y: Math.round(entry.getBoundingClientRect().top - top) }));
    const { id, y } = seen.filter((entry) => entry.y > 0).sort((a, b) => a.y - b.y)[0];
    done({ id, y, height: one.querySelector(".space").offsetHeight });
  }))));
  const stood = await place();
  await stage.ask("kill");
  await page.locator('.state[data-state="offline"]').waitFor();
  await stage.ask("start");
  await page.locator('.state[data-state="live"]').waitFor();
  await page.locator(".toast", { hasText: "The daemon is back" }).waitFor();
  await ready(page);
  const stands = await place();
  stage.forgive(/ERR_CONNECTION_REFUSED|ERR_EMPTY_RESPONSE|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_SOCKET_NOT_CONNECTED/);
  return { visits, before, named, scrolled, after, last, above, stood, stands };
});
