// The words of the page, in the language of the browser or the one that was chosen.
import en from "./en.js";
import zh from "./zh.js";
import { kept, keep } from "../app/kept.js";

const WORDS = { en, zh };
const TAGS = { en: "en", zh: "zh-CN" };

let current = first();

function first() {
  const chosen = kept("language");
  if (chosen in WORDS) return chosen;
  const wanted = (navigator.languages ?? [navigator.language]).find((tag) => /^(en|zh)/i.test(tag));
  return wanted?.toLowerCase().startsWith("zh") ? "zh" : "en";
}

/** The language: `en` or `zh`. */
export function language() {
  return current;
}

/** The language as browsers name it. */
export function languageTag() {
  return TAGS[current];
}

/** Chooses a language for this browser. */
export function setLanguage(next) {
  if (!(next in WORDS)) return;
  current = next;
  keep("language", next);
  mark();
}

/** Says in the page what language it is in. */
export function mark() {
  document.documentElement.lang = languageTag();
  document.title = t("app.name");
}

/** The text of a key, with `{name}` put in; `.one` behind the key is the text for a single one. */
export function t(key, values = {}) {
  const one = String(values.n) === "1" ? WORDS[current][`${key}.one`] : undefined;
  const text = one ?? WORDS[current][key] ?? en[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** The text of a key where there is one, else another text. */
export function tOr(key, otherwise) {
  return key in en ? t(key) : otherwise;
}
