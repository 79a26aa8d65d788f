// What stands where there is nothing to show.
import { t } from "../i18n/index.js";
import { h } from "./dom.js";
import { icon } from "./icons.js";

export function empty(name, title, how, ...more) {
  return h("div", { class: "empty" }, icon(name), h("h2", {}, title), how && h("p", {}, how), more);
}

/** Why something could not be read, and how to try again. */
export function failed(error, again) {
  const why = error.kind === "offline" ? t("error.offline") : [error.message, error.hint].filter(Boolean).join("; ");
  return empty("warn", t("error.title"), why, h("button", { class: "button", type: "button", on: { click: again } }, t("error.again")));
}

export function loading() {
  return h("p", { class: "empty", role: "status" }, t("loading"));
}
