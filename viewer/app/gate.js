// What stands in front of the page while nobody is signed in.
import { t } from "../i18n/index.js";
import { h } from "../ui/dom.js";
import { seal } from "../ui/icons.js";

/** How often it is looked whether somebody has signed in meanwhile, in another page of this browser. */
const LOOK_MS = 2_000;

/** `why`: `used` where a link brought us here, `ended` after signing out. */
export function gate(why, goOn) {
  const look = setInterval(async () => {
    const answer = await fetch("/api/viewer").catch(() => null);
    if (!answer?.ok) return;
    clearInterval(look);
    goOn();
  }, LOOK_MS);
  const words = { used: "gate.used", ended: "gate.ended" };
  return h("main", { class: "gate" }, h("div", { class: "card", role: "status" },
    seal(),
    h("h1", {}, t("gate.title")),
    h("p", { class: "dim" }, t(words[why] ?? "gate.how")),
    h("p", { class: "empty" }, h("code", {}, "afterword open")),
    h("p", { class: "dim small" }, t("gate.waiting"))));
}
