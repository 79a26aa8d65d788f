// Light, dark, or as the system is.
import { keep, kept } from "./kept.js";

export const THEMES = ["system", "light", "dark"];

export function theme() {
  return THEMES.includes(kept("theme")) ? kept("theme") : "system";
}

export function setTheme(next) {
  keep("theme", next === "system" ? "" : next);
  applyTheme();
}

export function applyTheme() {
  const chosen = theme();
  if (chosen === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = chosen;
}
