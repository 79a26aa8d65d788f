// Speaking to the person: lines that pass, and what a screen reader says.
import { listen } from "../app/signals.js";
import { t } from "../i18n/index.js";
import { h } from "./dom.js";

const STAYS_MS = 5_000;

export const toasts = h("div", { class: "toasts", role: "region" });
const voice = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
export const speaker = voice;

/** Has a screen reader say something. */
export function announce(text) {
  // The same words a second time are said only when they change in between.
  voice.textContent = "";
  setTimeout(() => (voice.textContent = text), 50);
}

/**
 * Shows a line for a while, with actions as `[label, callback]`; gives back how to take it away. A
 * line that `stays` waits for that.
 */
export function toast(text, actions = [], { stays = false } = {}) {
  const close = () => {
    clearTimeout(timer);
    line.remove();
  };
  const button = ([label, act]) => h("button", { type: "button", on: { click: () => { close(); act(); } } }, label);
  const line = h("div", { class: "toast", role: "group", "aria-label": text }, h("span", { class: "grow" }, text), actions.map(button));
  toasts.append(line);
  announce(text);
  const timer = stays ? 0 : setTimeout(close, STAYS_MS + (actions.length ? 4_000 : 0));
  return close;
}

const name = () => toasts.setAttribute("aria-label", t("app.messages"));
name();
listen("redraw", name);
listen("signed-out", () => toasts.replaceChildren());
