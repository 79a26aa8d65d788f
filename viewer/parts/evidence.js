// The events behind rows.
import { t, tOr } from "../i18n/index.js";
import { h } from "../ui/dom.js";
import { clockSeconds, full } from "../ui/time.js";

function chipOf(event) {
  const word = event.tool || tOr(`event.${event.kind}`, event.kind);
  return h("span", { class: `chip${event.failed ? " bad" : ""}` }, word, event.failed ? ` · ${t("event.failed")}` : "");
}

function shown(label, text) {
  if (!text) return null;
  return h("div", { class: "part" }, h("p", { class: "dim small" }, label), h("pre", { class: "output", tabindex: "0", dir: "auto" }, text));
}

function asText(value) {
  if (value == null) return "";
  if (typeof value === "string") return value;
  const entries = Object.entries(value);
  const plain = entries.every(([, item]) => typeof item !== "object" || item === null);
  if (!plain || Array.isArray(value)) return JSON.stringify(value, null, 2);
  return entries.map(([name, item]) => (String(item).includes("\n") ? `${name}:\n${item}` : `${name}: ${item}`)).join("\n");
}

/** A raw event that opens to what was asked and answered. */
export function wholeEvent(event) {
  return h("details", { class: "event" },
    h("summary", {}, chipOf(event), h("span", { class: "what" }, event.line), h("time", { class: "dim small nowrap", datetime: event.at, title: full(event.at) }, clockSeconds(event.at))),
    h("div", { class: "inner" },
      shown(t("event.input"), asText(event.input)),
      shown(event.tool ? t("event.output") : tOr(`event.${event.kind}`, event.kind), event.output),
      event.cwd && h("p", { class: "dim small mono wrap-any" }, event.cwd)));
}

/** An event in brief, which opens to its digest. */
export function briefEvent(event) {
  const what = event.command || event.paths?.join(", ") || event.detail?.split("\n")[0] || "";
  return h("details", { class: "event" },
    h("summary", {}, chipOf(event), event.subagent && h("span", { class: "chip" }, t("session.subagent")), h("span", { class: "what" }, what), h("time", { class: "dim small nowrap", datetime: event.at, title: full(event.at) }, clockSeconds(event.at))),
    h("div", { class: "inner" },
      shown(t("row.files"), event.command ? event.paths?.join("\n") : ""),
      shown(t("event.input"), event.command || event.detail),
      event.command && shown(tOr(`event.${event.kind}`, event.kind), event.detail),
      shown(t("event.outcome"), event.outcome)));
}
