// What rows are called.
import { t, tOr } from "../i18n/index.js";

/** The word for a row: its type where it has one, else its kind. */
export function wordOf({ kind, label }) {
  if (kind === "observation") return label ? tOr(`type.${label}`, label) : t("kind.observation");
  if (kind === "summary" && label) return `${t("kind.summary")} · ${tOr(`label.${label}`, label)}`;
  if (kind === "memory" && label && label !== "told") return `${t("kind.memory")} · ${tOr(`label.${label}`, label)}`;
  return t(`kind.${kind}`);
}

/** How a row was made. */
export function sourceWord(source) {
  return source ? tOr(`source.${source}`, source) : "";
}
