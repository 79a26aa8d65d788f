// Pictures of every page, for the guide.
import { join } from "node:path";
import { play, ready, rows } from "./stage.mjs";
import { Session, demo } from "./seed.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

const WORK = [
  ["Orders are mailed twice when the queue restarts", "Fixed. The root cause was that the mail was marked as sent after the commit.\n\nDecision: a mail is marked before it is handed over."],
  ["Show how much of an item is in stock", "The page shows the stock of the nearest warehouse.\n\nNext steps:\n- Show it in the cart too"],
  ["Sort orders by day in the customer's time zone", "Orders are sorted by the customer's day now. It was the server's before."],
  ["Why does the import of prices take an hour?", "Each price was written in a transaction of its own. One transaction for a thousand of them takes 40 s."],
];

await play(async (stage) => {
  const { shop } = await demo(stage.daemon);
  // Some more days, so that there is something to look back on.
  const day = 86_400_000;
  for (let ago = 7; ago < 150; ago += 1) {
    const work = (ago * 7919) % 11;
    if (work < 4) continue;
    const session = new Session(stage.daemon, shop, `earlier-${ago}`, Date.now() - ago * day, { branch: "main" });
    await session.start();
    for (let n = 0; n < work - 3; n += 1) {
      await session.prompt(WORK[(ago + n) % WORK.length][0]);
      await session.edit(`src/${["cart", "orders", "stock", "mail"][(ago + n) % 4]}.rs`, "before", `after ${ago} ${n}`);
      await session.stop(WORK[(ago + n) % WORK.length][1]);
    }
    await session.end();
  }
  await stage.daemon.settle();
  const conversations = (await stage.daemon.get("/api/viewer/conversations?sessions=300")).conversations;
  const story = conversations.find(({ sessions }) => sessions.some(({ agent_session_id: id }) => id === "c44e-invoice")).sessions[0].id;
  const sizes = {};
  const take = async (page, name) => {
    await ready(page);
    await page.mouse.move(0, 0);
    const { length } = await page.screenshot({ path: join(stage.given.folder, `${name}.png`), animations: "disabled" });
    sizes[name] = length;
  };
  const open = async (options) => {
    const page = await stage.visitor({ viewport: { width: 1200, height: 720 }, ...options });
    await page.getByLabel(/^(Project|项目)$/).selectOption({ label: "shop" });
    await ready(page);
    return page;
  };

  const light = await open({ colorScheme: "light" });
  const chosen = (await rows(light)).find(({ title, id }) => id.startsWith("o") && title.includes("carts")) ?? (await rows(light)).find(({ id }) => id.startsWith("o"));
  await take(light, "feed");
  await stage.go(light, "#/search?q=cents&kind=observation");
  await take(light, "search");
  await stage.go(light, "#/timeline");
  await take(light, "timeline-days");
  await stage.go(light, "#/timeline?by=talk");
  await take(light, "timeline-conversations");
  await stage.go(light, `#/session?id=${story}`);
  await light.locator("details[data-key]").nth(1).evaluate((one) => { one.open = true; });
  await take(light, "session");
  await stage.go(light, "#/next");
  await light.locator("button.bline").nth(3).click();
  await take(light, "next-session");
  await stage.go(light, "#/health");
  await take(light, "health");
  await stage.go(light, "#/spend");
  await take(light, "spend");
  await stage.go(light, "#/settings");
  await take(light, "settings");
  await stage.go(light, `#/feed?row=${chosen.id}`);
  await light.locator(".side-panel details.event").first().waitFor();
  await light.keyboard.press("e");
  await light.locator("dialog[open]").waitFor();
  await light.evaluate(() => document.activeElement.blur());
  await take(light, "edit");

  const dark = await open({ colorScheme: "dark" });
  await stage.go(dark, `#/feed?row=${chosen.id}`);
  await dark.locator(".side-panel details.event summary").first().click();
  await take(dark, "row-dark");
  await stage.go(dark, "#/timeline?by=talk");
  await take(dark, "timeline-dark");
  await stage.go(dark, "#/next");
  await take(dark, "next-session-dark");
  await stage.go(dark, "#/spend");
  await take(dark, "spend-dark");
  await stage.go(dark, "#/health");
  await take(dark, "health-dark");

  const chinese = await open({ colorScheme: "light", locale: "zh-CN" });
  await stage.go(chinese, "#/search?q=%E5%8F%91%E7%A5%A8");
  await take(chinese, "search-zh");

  const phone = await open({ ...PHONE, colorScheme: "light" });
  await take(phone, "phone-feed");
  await stage.go(phone, `#/feed?row=${chosen.id}`);
  await phone.locator(".side-panel details.event").first().waitFor();
  await take(phone, "phone-row");

  const nobody = await stage.profile({ viewport: { width: 1200, height: 720 } });
  const gate = await nobody.newPage();
  await gate.goto(stage.base);
  await gate.locator(".gate").waitFor();
  await gate.screenshot({ path: join(stage.given.folder, "sign-in.png") });
  stage.forgive(/status of 401/);
  return { sizes };
});
