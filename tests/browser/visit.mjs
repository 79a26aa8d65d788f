// A first visit: in by the link, once, and nothing but the daemon is asked.
import { play, ready, row, rows } from "./stage.mjs";

await play(async (stage) => {
  const { id } = await stage.daemon.remember("The first thing that is remembered", { keys: ["name:shop"], name: "shop" });
  const link = await stage.ask("link");
  const context = await stage.profile();
  const page = await context.newPage();
  const heads = [];
  page.on("response", async (answer) => {
    if (answer.request().isNavigationRequest()) heads.push({ status: answer.status(), path: new URL(answer.url()).pathname, headers: await answer.allHeaders() });
  });
  // Nobody is signed in yet.
  await page.goto(stage.base);
  await page.locator(".gate").waitFor();
  const gate = await page.locator(".gate").innerText();
  stage.forgive(/status of 401/);
  await page.goto(link);
  await ready(page);
  await row(page, id).waitFor();
  const cookies = (await context.cookies()).map(({ name, httpOnly, sameSite, path, expires }) => ({ name, httpOnly, sameSite, path, days: Math.round((expires - Date.now() / 1000) / 86_400) }));
  const seen = await rows(page);
  const script = await page.evaluate(() => document.cookie);
  const inline = await page.evaluate(() => ({
    scripts: [...document.scripts].filter((one) => !one.src).length,
    styles: document.querySelectorAll("style").length,
    blocked: (() => { try { document.body.innerHTML = "<b>x</b>"; return false; } catch { return true; } })(),
  }));
  stage.forgive(/TrustedHTML/);
  // Whoever finds the link in a history is told that it was used.
  const second = await stage.profile();
  const late = await second.newPage();
  await late.goto(link);
  await late.locator(".gate").waitFor();
  const used = await late.locator(".gate").innerText();
  const second_cookies = (await second.cookies()).length;
  // A page that waits goes on by itself once its browser has signed in elsewhere.
  const other = await second.newPage();
  await other.goto(await stage.ask("link"));
  await ready(other);
  await ready(late);
  const went_on = (await rows(late)).length;
  stage.forgive(/status of 401/);
  return { gate, heads, cookies, script, inline, seen, used, second_cookies, went_on, address: new URL(page.url()).pathname };
});
