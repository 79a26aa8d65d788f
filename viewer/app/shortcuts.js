// Keys. Single letters do nothing while somebody types, in a dialog, or where they are switched off.
import { isTyping } from "../ui/dom.js";
import { keep, kept } from "./kept.js";
import { tell } from "./signals.js";

/** What a key means. */
const MEANINGS = {
  "/": "search", j: "down", ArrowDown: "down", k: "up", ArrowUp: "up", o: "open",
  e: "edit", "#": "forget", Delete: "forget", x: "choose", m: "merge", u: "undo", n: "remember", "?": "help",
};

export function keysOn() {
  return kept("keys") !== "off";
}

export function setKeys(on) {
  keep("keys", on ? "" : "off");
}

/** Listens to the keyboard and tells what is meant. */
export function startShortcuts() {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const inDialog = document.querySelector("dialog[open]");
    if (inDialog) return;
    if (event.key === "Escape") {
      if (isTyping(event.target)) event.target.blur();
      else tell("key", "close");
      return;
    }
    if (isTyping(event.target) && !(event.key === "ArrowDown" && event.target.type === "search")) return;
    const arrow = event.key.startsWith("Arrow");
    // Arrows scroll where there is no list to move in.
    if (arrow && !event.target.closest?.(".list, .search")) return;
    if (!arrow && !keysOn()) return;
    const meaning = /^[1-7]$/.test(event.key) ? `page-${event.key}` : MEANINGS[event.key];
    if (!meaning) return;
    event.preventDefault();
    tell("key", meaning);
  });
}
