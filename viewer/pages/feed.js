// What happens: every row, newest first.
import { go, hrefWith } from "../app/router.js";
import { state } from "../app/state.js";
import { t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { openRemember } from "../parts/editor.js";
import { RowList } from "../parts/rowlist.js";
import { h, put } from "../ui/dom.js";
import { empty } from "../ui/empty.js";
import { icon } from "../ui/icons.js";
import { number } from "../ui/time.js";

export const KINDS = ["prompt", "observation", "summary", "memory", "snapshot"];
const PAGE = 100;

/** Buttons that say which kinds are shown; none pressed are all. */
export function kindToggles(chosen) {
  const press = (kind) => {
    const next = chosen.includes(kind) ? chosen.filter((one) => one !== kind) : [...chosen, kind];
    go(hrefWith({ kinds: next.join(",") }), { replace: true });
  };
  return h("div", { class: "toggles", role: "group", "aria-label": t("kinds.label") }, KINDS.map((kind) =>
    h("button", { class: "toggle", type: "button", "aria-pressed": String(chosen.includes(kind)), on: { click: () => press(kind) } }, icon(kind, `k-${kind}`), t(`kinds.${kind}`))));
}

export function kindsOf(params) {
  return (params.kinds ?? "").split(",").filter((kind) => KINDS.includes(kind));
}

/** A page of the feed of the chosen project. */
export function feedPage(kinds, until) {
  return (before, signal) => api.get("/api/viewer/feed", { project_id: state.projectId, kinds: kinds.join(","), before, until: before ? null : until, limit: PAGE }, { signal });
}

/** Whether a new row belongs to the chosen project and kinds. */
export function belongs(entry, kinds) {
  return (!state.projectId || entry.project_id === state.projectId) && (!kinds.length || kinds.includes(entry.kind));
}

export class FeedPage {
  title = t("feed.title");

  constructor(params) {
    this.kinds = kindsOf(params);
    this.count = h("span", { class: "dim small number" });
    this.tools = h("div", { class: "row" });
    this.rows = new RowList({
      label: t("feed.list"),
      page: (before, signal) => feedPage(this.kinds)(before, signal),
      wants: (entry) => belongs(entry, this.kinds),
      nothing: () => (this.kinds.length || state.projectId ? empty("feed", t("feed.none"), t("feed.none.how")) : RowList.nothingAtAll()),
      onTotal: (total) => put(this.count, total ? t("feed.total", { n: number(total) }) : ""),
    });
    const remember = h("button", { class: "button", type: "button", on: { click: openRemember } }, icon("plus"), t("feed.remember"));
    this.bar = [this.tools, this.count, h("span", { class: "grow" }), remember];
    this.element = this.rows.element;
    put(this.tools, kindToggles(this.kinds));
    this.rows.load();
  }

  update(params) {
    const kinds = kindsOf(params);
    if (kinds.join() === this.kinds.join()) return;
    this.kinds = kinds;
    put(this.tools, kindToggles(kinds));
    this.rows.load();
  }

  reload(options) {
    this.rows.load(options);
  }

  key(meaning) {
    return this.rows.key(meaning);
  }

  destroy() {
    this.rows.destroy();
  }
}
