// Everything without a mouse: what has the focus is read as a screen reader would.
import { play, ready, row, rows } from "./stage.mjs";
import { demo } from "./seed.mjs";

await play(async (stage) => {
  const { shop } = await demo(stage.daemon);
  const { id } = await stage.daemon.remember("Edited by keys alone", shop);
  const page = await stage.visitor();
  const focus = () => page.evaluate(() => {
    const one = document.activeElement;
    return { row: one.dataset?.row ?? null, name: one.getAttribute("aria-label") ?? one.textContent.slice(0, 40), tag: one.tagName };
  });
  const press = async (key, times = 1) => { for (let n = 0; n < times; n += 1) await page.keyboard.press(key); };
  /** Tabs on until something has the focus; none where it is not reached. */
  const tabTo = async (wanted, most = 60) => {
    for (let n = 0; n < most; n += 1) {
      await press("Tab");
      if (wanted(await focus())) return n + 1;
    }
    return null;
  };

  // The first stop goes past the side.
  await press("Tab");
  const skip = (await focus()).name;
  await press("Enter");
  const content = (await focus()).name;
  // By Tab alone into the list, and one row is one stop.
  const steps = await tabTo(({ row }) => row !== null);
  const first = (await focus()).row;
  await press("ArrowDown");
  const second = (await focus()).row;
  await press("k");
  const back = (await focus()).row;

  // Open, edit, save.
  await press("Enter");
  await page.locator(".side-panel .prose").waitFor();
  const opened = await page.locator(".side-panel").getAttribute("aria-label");
  await press("e");
  await page.locator("dialog[open]").waitFor();
  const inside = await page.evaluate(() => document.querySelector("dialog").contains(document.activeElement));
  await tabTo(({ tag }) => tag === "TEXTAREA");
  await press("Control+A");
  await page.keyboard.type("Written by keys alone");
  await press("Control+Enter");
  await page.locator(".toast", { hasText: `${id} saved` }).waitFor();
  await page.locator(".side-panel .prose", { hasText: "Written by keys alone" }).waitFor();
  // The way to the panel's buttons by Tab, and out of it to the row it came from.
  const closed = await tabTo(({ name }) => name === "Close");
  await press("Escape");
  await page.locator(".side-panel").waitFor({ state: "detached" });
  const returned = (await focus()).row;

  // Forget and take back; the focus stays in the list.
  await press("#");
  await row(page, id).waitFor({ state: "detached" });
  const said = await page.locator('.unseen[role=status]').evaluate((voice) => new Promise((done) => { const look = () => (voice.textContent ? done(voice.textContent) : requestAnimationFrame(look)); look(); }));
  const went_to = (await focus()).row;
  await press("u");
  await row(page, id).waitFor();
  const restored = (await rows(page)).some((one) => one.id === id);

  // The same from the row that is open beside the list.
  await row(page, id).focus();
  await press("o");
  await page.locator(".side-panel .prose").waitFor();
  await press("#");
  await page.locator(".side-panel").waitFor({ state: "detached" });
  const went_from_panel = (await focus()).row;
  await press("u");
  await row(page, id).waitFor();

  // Choose two and leave it; the list of keys; pages by number.
  await row(page, id).focus();
  await press("x");
  await press("j");
  await press("x");
  const chosen = await page.locator(".chosen-bar strong").innerText();
  await press("Escape");
  const cleared = await page.locator(".chosen-bar").isHidden();
  await press("?");
  const keys = await page.locator("dialog[open]").innerText();
  await press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  const titles = [];
  for (const key of "1234567") {
    await press(key);
    await ready(page);
    titles.push(await page.locator("h1").innerText());
    // The search has put one into its field, where figures are figures.
    await press("Escape");
  }
  // In a field letters are letters.
  await press("/");
  await ready(page);
  await page.keyboard.type("jkexm#1");
  const typed = await page.getByRole("searchbox").inputValue();
  const title = await page.locator("h1").innerText();
  // Switched off, single keys do nothing.
  await press("Escape");
  await press("7");
  await ready(page);
  await page.getByRole("switch", { name: "Keyboard shortcuts with single keys" }).focus();
  await press("Space");
  await page.locator("h1").evaluate((one) => one.focus());
  await press("1");
  const off = await page.locator("h1").innerText();
  return { skip, content, steps, first, id, second, back, opened, inside, closed, returned, said, went_to, went_from_panel, restored, chosen, cleared, keys, titles, typed, title, off };
});
