// What every script stands on: a real browser before a real daemon, and the line to the test.
//
// A script says what it saw; the test judges it. What no page may ever do is watched here: errors
// on the console, requests to anybody but the daemon.
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { Daemon } from "./seed.mjs";

/** Bounds a broken run; nothing that works comes near it. */
export const PATIENCE_MS = 60_000;

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

async function hear() {
  const { value, done } = await lines.next();
  if (done) throw new Error("the test has gone");
  return JSON.parse(value);
}

function say(value) {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

/** Runs a script: `act(stage)` gives what it saw. */
export async function play(act) {
  const given = await hear();
  const require = createRequire(`${given.modules}/`);
  const { chromium } = require("playwright-core");
  const browser = await chromium.launch({
    executablePath: given.chromium,
    chromiumSandbox: given.sandboxed,
    args: ["--disable-dev-shm-usage", "--font-render-hinting=none"],
  });
  try {
    const stage = new Stage(browser, given, require);
    const saw = await act(stage);
    await stage.rest();
    say({ saw: { ...saw, errors: stage.errors, elsewhere: stage.elsewhere } });
  } finally {
    await browser.close();
  }
  process.stdin.destroy();
}

class Stage {
  constructor(browser, given, require) {
    Object.assign(this, { browser, given, require, errors: [], elsewhere: [], contexts: [] });
    this.base = `http://127.0.0.1:${given.port}`;
    this.daemon = new Daemon(given.port, given.token);
  }

  /** Has the test do something and gives its answer. */
  async ask(what, more = {}) {
    say({ ask: { what, ...more } });
    return hear();
  }

  /** A browser profile of its own. */
  async profile(options = {}) {
    const context = await this.browser.newContext({
      viewport: { width: 1360, height: 860 }, locale: "en-GB", timezoneId: "UTC", reducedMotion: "reduce", ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(countQuestions);
    this.contexts.push(context);
    context.on("console", (message) => message.type() === "error" && this.errors.push(message.text()));
    context.on("weberror", (error) => this.errors.push(`thrown: ${error.error().stack}`));
    context.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(`${this.base}/`)) this.elsewhere.push(url);
    });
    return context;
  }

  /** A page that has come in by a link and shows its first rows, or says that there are none. */
  async visitor(options = {}) {
    const context = await this.profile(options);
    const page = await context.newPage();
    await page.goto(await this.ask("link"));
    await ready(page);
    return page;
  }

  /** Goes to another page of the viewer and waits until it is read. */
  async go(page, address) {
    await page.evaluate((hash) => new Promise((done) => {
      if (location.hash === hash) done();
      window.addEventListener("hashchange", () => setTimeout(done), { once: true });
      location.hash = hash;
    }), address);
    await ready(page);
  }

  /** The browser itself notes a refusal that was provoked: takes such notes away and counts them. */
  forgive(pattern) {
    const before = this.errors.length;
    this.errors = this.errors.filter((text) => !pattern.test(text));
    return before - this.errors.length;
  }

  async rest() {
    for (const context of this.contexts) await context.close();
  }
}

/** Runs in every page: what it has asked and not been told yet. */
function countQuestions() {
  window.asking = 0;
  const ask = window.fetch;
  window.fetch = async (...question) => {
    window.asking += 1;
    try {
      const answer = await ask(...question);
      await answer.clone().arrayBuffer();
      return answer;
    } finally {
      // What comes of it is drawn first.
      setTimeout(() => { window.asking -= 1; }, 30);
    }
  };
}

/** Waits until a page is there and nothing in it is still being read. */
export async function ready(page) {
  await page.waitForFunction(() => {
    if (window.asking > 0) return false;
    const main = document.querySelector("#main .page");
    const reading = [...document.querySelectorAll("#app p.empty[role=status]")].some((one) => one.checkVisibility());
    return main && !reading && main.childElementCount > 0;
  });
}

/** The rows that a list shows, from the top. */
export async function rows(page) {
  const found = await page.locator("#main .entry").evaluateAll((all) => all.map((row) => ({
    id: row.dataset.row,
    top: row.closest("li").getBoundingClientRect().top,
    title: row.querySelector(".title").textContent,
    word: row.querySelector(".word").textContent,
    marks: [...row.querySelectorAll("mark")].map((mark) => mark.textContent),
  })));
  return found.sort((a, b) => a.top - b.top).map(({ top, ...row }) => row);
}

/** One row of the list. */
export function row(page, id) {
  return page.locator(`#main .entry[data-row="${id}"]`);
}
