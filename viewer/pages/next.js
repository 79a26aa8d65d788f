// What the next session is given, exactly, and why.
import { go, hrefWith } from "../app/router.js";
import { listen } from "../app/signals.js";
import { state } from "../app/state.js";
import { t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { meter } from "../ui/chart.js";
import { h, put, scroller } from "../ui/dom.js";
import { empty, failed, loading } from "../ui/empty.js";
import { icon, rowIcon } from "../ui/icons.js";
import { toast } from "../ui/say.js";
import { number } from "../ui/time.js";

export class NextPage {
  title = t("next.title");

  constructor() {
    this.column = h("div", { class: "column wide" });
    this.element = h("div", { class: "page" }, scroller(this.title, this.column));
    this.bar = [];
    this.stops = [
      listen("live", (message) => (message.entry || message.ids) && this.#soon()),
      listen("projects", () => this.shown === undefined && this.reload()),
    ];
    this.reload();
  }

  update() {}

  #soon() {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.reload(), 500);
  }

  async reload() {
    // Without a choice, the project that was worked on last.
    const project = state.projectId ?? state.projects[0]?.id;
    if (!project) {
      put(this.column, state.boot ? empty("next", t("next.choose"), t("next.choose.how")) : loading());
      return;
    }
    if (this.shown !== project) put(this.column, loading());
    try {
      const explained = await api.get("/api/viewer/context", { project_id: project });
      this.shown = project;
      this.#show(project, explained);
    } catch (error) {
      if (error.kind !== "signed-out") put(this.column, failed(error, () => this.reload()));
    }
  }

  #show(project, explained) {
    const name = state.projects.find((one) => one.id === project)?.name ?? "";
    if (!explained.text) {
      put(this.column, empty("next", t("next.empty"), explained.switched_off ? t("next.off") : t("next.empty.how")));
      return;
    }
    const words = { used: number(explained.used), budget: number(explained.budget), tokens: number(explained.tokens) };
    const used = t("next.used", words);
    const chips = [
      h("span", { class: "chip accent" }, name),
      explained.branch && h("span", { class: "chip" }, icon("branch"), t("next.branch", { branch: explained.branch })),
      explained.changed_files.length > 0 && h("span", { class: "chip", title: explained.changed_files.join("\n") }, t("next.changed", { n: explained.changed_files.length })),
    ];
    const copy = h("button", { class: "button", type: "button", on: { click: () => copyText(explained.text) } }, icon("copy"), t("next.copy"));
    put(this.column,
      h("section", {},
        h("p", { class: "dim" }, t("next.intro")),
        explained.switched_off && h("p", { class: "chip warn" }, t("next.off")),
        h("div", { class: "row" }, chips),
        meter(explained.used, explained.budget, used, "b3"),
        h("div", { class: "row between" }, h("span", { class: "dim small number" }, used), copy)),
      h("div", { class: "split" },
        h("section", {}, h("p", { class: "dim small" }, t("next.hint")), this.#block(explained)),
        h("section", {}, this.#leftOut(explained))));
  }

  /** The block line by line; a line that shows a row opens to its reasons. */
  #block({ text, items }) {
    let at = 0;
    const lines = text.split("\n").map((line) => {
      const item = items[at]?.line === line ? items[at++] : null;
      if (!item) {
        const style = line.startsWith("#") ? "heading" : line.startsWith("- ") ? "" : "frame";
        return h("span", { class: `bline ${style}` }, line || " ");
      }
      return this.#reasoned(line, item);
    });
    return h("div", { class: "block", role: "group", "aria-label": t("next.block") }, lines);
  }

  #reasoned(line, item) {
    const reason = h("div", { class: "reason", hidden: true },
      h("span", { class: "dim small" }, t("next.why")),
      item.why.map((why) => h("span", { class: "chip accent" }, t(`why.${why}`))),
      h("a", { class: "button tiny", href: hrefWith({ row: item.id }) }, t("next.open", { id: item.id })));
    const button = h("button", { class: "bline", type: "button", "aria-expanded": "false", on: { click: () => {
      const open = reason.hidden;
      for (const other of this.column.querySelectorAll(".reason")) other.hidden = true;
      for (const other of this.column.querySelectorAll(".bline[aria-expanded]")) other.setAttribute("aria-expanded", "false");
      reason.hidden = !open;
      button.setAttribute("aria-expanded", String(open));
    } } }, line);
    return [button, reason];
  }

  #leftOut({ left_out: rows, ...block }) {
    const total = Math.max(block.items.length ? leftCount(block) : 0, rows.length);
    const kinds = { m: "memory", s: "summary", o: "observation" };
    const line = (row) => h("a", { class: "setting", href: hrefWith({ row: row.id }) },
      rowIcon(kinds[row.id[0]], ""),
      h("span", { class: "grow" },
        h("span", { class: "title wrap-any", dir: "auto" }, row.title), h("br"),
        h("span", { class: "dim mono small" }, row.id, " "), h("span", { class: "chip" }, t(`left.${row.why}`))));
    return [
      h("h2", {}, t("next.left")),
      h("p", { class: "dim small" }, total ? t("next.left.n", { n: number(total) }) : t("next.left.none")),
      h("div", {}, rows.map(line)),
    ];
  }

  key() {
    return false;
  }

  destroy() {
    clearTimeout(this.soon);
    this.stops.forEach((stop) => stop());
  }
}

/** The block itself counts what is kept and not shown. */
function leftCount({ text }) {
  return Number(/\n(\d+) more rows? of this project/.exec(text)?.[1] ?? 0);
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    toast(t("next.copied"));
  } catch {
    go(hrefWith({}));
  }
}
