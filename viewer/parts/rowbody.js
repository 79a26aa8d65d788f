// Everything that a row says.
import { t } from "../i18n/index.js";
import { h } from "../ui/dom.js";

function part(title, ...content) {
  return h("div", { class: "part" }, title && h("h3", {}, title), content);
}

function text(title, value) {
  return value?.trim() ? part(title, h("p", { class: "prose", dir: "auto" }, value)) : null;
}

function chips(title, items, extra = "") {
  return items?.length ? part(title, h("div", { class: "chips" }, items.map((item) => h("span", { class: `chip ${extra}` }, item)))) : null;
}

function facts(items) {
  return items?.length ? part(t("row.facts"), h("ul", { class: "facts" }, items.map((item) => h("li", { class: "wrap-any", dir: "auto" }, item)))) : null;
}

const SUMMARY = ["request", "completed", "learned", "investigated", "next_steps", "notes"];

/** The parts of a row below its title. */
export function rowBody(row) {
  const { fields } = row;
  switch (row.kind) {
    case "observation":
      return [
        fields.subtitle && h("p", { class: "dim wrap-any", dir: "auto" }, fields.subtitle),
        text(null, fields.narrative),
        facts(fields.facts),
        chips(t("row.files.modified"), fields.files_modified, "mono"),
        chips(t("row.files.read"), fields.files_read, "mono"),
        chips(t("row.concepts"), fields.concepts),
      ];
    case "summary":
      return [
        SUMMARY.map((name) => text(t(`field.${name}`), fields[name])),
        chips(t("row.files.modified"), fields.files_modified, "mono"),
        chips(t("row.files.read"), fields.files_read, "mono"),
      ];
    case "snapshot":
      return [text(null, fields.text), text(t("field.agent_summary"), fields.agent_summary)];
    case "memory":
      return [text(null, fields.text), chips(t("row.files"), fields.files, "mono")];
    default:
      return [text(null, fields.text ?? row.text)];
  }
}
