// Times as people read them, by the server's clock.
import { now } from "../app/state.js";
import { languageTag, t } from "../i18n/index.js";

const formats = new Map();

function format(name, options) {
  const key = `${languageTag()} ${name}`;
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(languageTag(), options));
  return formats.get(key);
}

/** `14:05` */
export function clock(iso) {
  return format("clock", { hour: "2-digit", minute: "2-digit", hour12: false }).format(new Date(iso));
}

/** `14:05:12` */
export function clockSeconds(iso) {
  return format("seconds", { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false }).format(new Date(iso));
}

/** The day in this time zone, `2026-11-30`: what rows are grouped by. */
export function dayKey(iso) {
  const date = new Date(iso);
  const two = (n) => String(n).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** `Today`, `Yesterday` or `Monday, 30 November 2026`. */
export function dayName(key) {
  if (key === dayKey(now())) return t("time.today");
  if (key === dayKey(now() - 86_400_000)) return t("time.yesterday");
  return format("day", { weekday: "long", day: "numeric", month: "long", year: "numeric" }).format(new Date(`${key}T12:00:00`));
}

/** `30 Nov` */
export function dayShort(key) {
  return format("short", { day: "numeric", month: "short" }).format(new Date(`${key}T12:00:00`));
}

/** `Nov` */
export function monthShort(key) {
  return format("month", { month: "short" }).format(new Date(`${key}T12:00:00`));
}

/** `30 Nov 2026, 14:05` */
export function full(iso) {
  if (!iso) return "";
  return format("full", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit", hour12: false }).format(new Date(iso));
}

/** `12,345` */
export function number(n) {
  return new Intl.NumberFormat(languageTag()).format(n ?? 0);
}

/** `12K`: for axes. */
export function shortNumber(n) {
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(n ?? 0);
}

/** `$1.25` of millionths. */
export function money(micros) {
  const value = (micros ?? 0) / 1e6;
  const digits = value !== 0 && Math.abs(value) < 0.01 ? 4 : 2;
  return `$${value.toFixed(digits)}`;
}

/** `4.2 MB` */
export function size(bytes) {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1_048_576) return `${(bytes / 1024).toFixed(1)} KB`;
  return `${(bytes / 1_048_576).toFixed(1)} MB`;
}
