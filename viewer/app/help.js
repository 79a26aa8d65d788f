// The list of keys.
import { t } from "../i18n/index.js";
import { openDialog } from "../ui/dialog.js";
import { h } from "../ui/dom.js";

const KEYS = [
  [["1", "–", "7"], "keys.pages"], [["/"], "keys.search"], [["j", "k"], "keys.move"],
  [["o", "Enter"], "keys.open"], [["Esc"], "keys.close"], [["e"], "keys.edit"],
  [["#", "Delete"], "keys.forget"], [["x"], "keys.choose"], [["m"], "keys.merge"],
  [["u"], "keys.undo"], [["n"], "keys.remember"], [["?"], "keys.help"],
];

export function openHelp() {
  const line = ([keys, meaning]) => [
    h("dt", {}, keys.map((key) => (key === "–" ? " – " : [h("kbd", {}, key), " "]))),
    h("dd", {}, t(meaning)),
  ];
  openDialog({
    title: t("keys.title"),
    body: [h("dl", { class: "keys" }, KEYS.map(line)), h("p", { class: "dim small" }, t("keys.off"))],
  });
}
