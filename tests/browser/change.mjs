// Editing, merging, forgetting, and taking it back.
import { play, row, rows } from "./stage.mjs";
import { demo, project } from "./seed.mjs";

await play(async (stage) => {
  const { shop } = await demo(stage.daemon);
  const { id: twin } = await stage.daemon.remember("Deploys go out on Tuesdays and on Thursdays", shop, { files: ["deploy.sh"] });
  const { id: spare } = await stage.daemon.remember("To be forgotten soon", shop);
  const { id: kept } = await stage.daemon.remember("To be forgotten and kept", shop);
  const page = await stage.visitor();
  const toast = (text) => page.locator(".toast", { hasText: text });
  const whole = async (id) => (await stage.daemon.post("/api/rows", { ids: [id] })).rows[0] ?? null;

  await stage.go(page, "#/feed?kinds=memory");
  // A memory says something else, and what it said before comes back.
  await row(page, "m1").click();
  const panel = page.locator(".side-panel");
  await panel.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Text", { exact: true }).fill("Deploys go out on Tuesdays only\nand never at night");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await toast("m1 saved").waitFor();
  await panel.getByText("never at night").waitFor();
  const edited = await whole("m1");
  const history = panel.locator("details[data-part=history]");
  await history.locator("summary").click();
  await history.locator(".card").waitFor();
  const past = await history.innerText();
  await toast("m1 saved").getByRole("button", { name: "Undo" }).click();
  await toast("m1 is as it was before").waitFor();
  const undone = await whole("m1");

  // What cannot be saved says why and keeps what was typed.
  await panel.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Text", { exact: true }).fill("   ");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  const refused = page.getByRole("dialog").getByRole("alert");
  await page.waitForFunction(() => document.querySelector("dialog [role=alert]").textContent !== "");
  const why = await refused.innerText();
  stage.forgive(/status of 400/);
  await page.keyboard.press("Escape");
  await panel.getByRole("button", { name: "Close" }).click();

  // An observation's type and facts.
  await stage.go(page, "#/feed?kinds=observation");
  const observation = (await rows(page)).find(({ id }) => id.startsWith("o")).id;
  await row(page, observation).click();
  await panel.getByRole("button", { name: "Edit" }).click();
  await page.getByRole("dialog").getByLabel("Type").selectOption("decision");
  await page.getByRole("dialog").getByLabel("Facts, one a line").fill("One fact\n\n  Another fact  ");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await toast(`${observation} saved`).waitFor();
  const judged = (await whole(observation)).fields;
  await panel.getByRole("button", { name: "Close" }).click();

  // Two memories become one.
  await stage.go(page, "#/feed?kinds=memory");
  for (const id of [twin, "m1"]) {
    await row(page, id).hover();
    await page.getByRole("button", { name: `Choose ${id}`, exact: true }).click();
  }
  await page.getByRole("toolbar").getByRole("button", { name: "Merge" }).click();
  const offered = await page.getByRole("dialog").getByLabel("Text", { exact: true }).inputValue();
  await page.getByRole("dialog").getByRole("button", { name: "Merge" }).click();
  await row(page, twin).waitFor({ state: "detached" });
  await toast("will become m1").getByRole("button", { name: "Now" }).click();
  await toast("Merged into m1").waitFor();
  const merged = await whole("m1");
  const gone = await whole(twin);

  // Forgotten, and taken back in time: nothing was sent.
  let forgets = 0;
  page.on("request", (request) => { if (request.url().endsWith("/api/forget")) forgets += 1; });
  await row(page, kept).focus();
  await page.keyboard.press("#");
  await row(page, kept).waitFor({ state: "detached" });
  await page.keyboard.press("u");
  await row(page, kept).waitFor();
  const sent_before_undo = forgets;
  const still = await whole(kept);

  // Forgotten for good, by the time that passes.
  await row(page, spare).focus();
  await page.keyboard.press("Delete");
  await toast(`${spare} forgotten`).waitFor();
  const forgotten = await whole(spare);
  const seen = (await rows(page)).map(({ id }) => id);

  // Something told by hand.
  await page.getByRole("button", { name: "Remember" }).click();
  await page.getByRole("dialog").getByLabel("Text", { exact: true }).fill("Told by hand in a page");
  await page.getByRole("dialog").getByLabel("Project").selectOption({ label: "field-notes" });
  await page.keyboard.press("Control+Enter");
  await page.locator("#main .entry", { hasText: "Told by hand in a page" }).waitFor();
  const told = (await rows(page)).find(({ title }) => title === "Told by hand in a page").id;
  return { edited, past, undone, why, judged, offered, merged, gone, sent_before_undo, still, forgotten, seen, spare, kept, told: await whole(told) };
});
