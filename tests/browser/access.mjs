// Every page under axe: light and dark, English and Chinese, wide and as narrow as a phone.
import { readFileSync } from "node:fs";
import { play, ready, row, rows } from "./stage.mjs";
import { demo } from "./seed.mjs";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

await play(async (stage) => {
  await demo(stage.daemon);
  const axe = readFileSync(stage.require.resolve("axe-core/axe.min.js"), "utf8");
  const conversations = (await stage.daemon.get("/api/viewer/conversations")).conversations;
  const story = conversations.find(({ sessions }) => sessions.length > 1).sessions[0].id;
  const found = [];
  let scans = 0;
  for (const locale of ["en-GB", "zh-CN"]) {
    for (const colorScheme of ["light", "dark"]) {
      for (const [width, size] of [["wide", {}], ["phone", PHONE]]) {
        // As narrow as a phone, colours and words are the same as where it is wide.
        if (width === "phone" && (locale === "en-GB") !== (colorScheme === "light")) continue;
        const page = await stage.visitor({ locale, colorScheme, ...size });
        const where = `${locale} ${colorScheme} ${width}`;
        const scan = async (name) => {
          await ready(page);
          scans += 1;
          await page.evaluate(axe);
          const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
          for (const { id, help, nodes } of violations) {
            found.push(`${where} ${name}: ${id} (${help}): ${nodes.slice(0, 3).map((node) => `${node.target.join(" ")} ${node.any[0]?.message ?? ""}`).join(" | ")}`);
          }
          const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
          if (wide > 0) found.push(`${where} ${name}: ${wide} px too wide`);
        };
        await scan("feed");
        const observation = (await rows(page)).find(({ id }) => id.startsWith("o")).id;
        for (const address of ["#/search?q=cents&kind=observation", "#/search?q=nothingatall", "#/timeline", "#/timeline?by=talk", `#/session?id=${story}`, "#/next", "#/health", "#/spend?days=90&by=day", "#/settings", "#/nowhere"]) {
          await stage.go(page, address);
          if (address.startsWith("#/session")) await page.evaluate(() => { for (const one of document.querySelectorAll("details")) one.open = true; });
          if (address === "#/next") await page.locator("button.bline").first().click();
          await scan(address);
        }
        await stage.go(page, `#/feed?row=${observation}`);
        await page.locator(".side-panel details.event").first().waitFor();
        await page.evaluate(() => { for (const one of document.querySelectorAll(".side-panel details")) one.open = true; });
        await scan("row");
        await page.keyboard.press("e");
        await page.locator("dialog[open]").waitFor();
        await scan("editor");
        await page.keyboard.press("Escape");
        await page.locator("dialog").waitFor({ state: "detached" });
        await stage.go(page, "#/feed?row=o99999");
        await scan("no such row");
        await stage.go(page, "#/feed");
        await page.keyboard.press("?");
        await page.locator("dialog[open]").waitFor();
        await scan("keys");
        await page.keyboard.press("Escape");
        await page.locator("dialog").waitFor({ state: "detached" });
        await row(page, observation).focus();
        await page.keyboard.press("x");
        await page.keyboard.press("j");
        await page.keyboard.press("#");
        await page.locator(".toast").waitFor();
        await scan("choosing and forgetting");
        await page.keyboard.press("u");
        await page.evaluate(() => fetch("/api/sign-out", { method: "POST" }));
        await page.reload();
        await page.locator(".gate").waitFor();
        scans += 1;
        await page.evaluate(axe);
        const { violations } = await page.evaluate(() => globalThis.axe.run(document));
        found.push(...violations.map(({ id, nodes }) => `${where} gate: ${id}: ${nodes[0].target.join(" ")}`));
        await page.context().close();
        stage.contexts.pop();
      }
    }
  }
  stage.forgive(/status of 40[14]/);
  return { found, scans };
});
