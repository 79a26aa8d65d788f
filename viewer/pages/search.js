// Search as one types.
import { go, hrefWith, place } from "../app/router.js";
import { projectRef, state } from "../app/state.js";
import { t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { RowList } from "../parts/rowlist.js";
import { h, put } from "../ui/dom.js";
import { empty } from "../ui/empty.js";
import { icon } from "../ui/icons.js";
import { dayKey, dayShort, number } from "../ui/time.js";
import { KINDS } from "./feed.js";

/** How long one pauses before what was typed is looked for. */
const PAUSE_MS = 130;
const MOST = 100;
const FILTERS = ["kind", "file", "agent", "since", "until"];

export class SearchPage {
  title = t("search.title");

  constructor(params) {
    this.count = h("p", { class: "dim small number", role: "status" });
    this.input = h("input", { class: "field", type: "search", placeholder: t("search.placeholder"), "aria-label": t("search.placeholder"), autocomplete: "off", spellcheck: "false", enterkeyhint: "search" });
    this.input.value = params.q ?? "";
    this.input.addEventListener("input", () => this.#typed());
    this.input.addEventListener("keydown", (event) => event.key === "Enter" && this.rows.key("down"));
    this.filters = h("div", { class: "row", id: "search-filters" });
    this.toggle = h("button", { class: "button", type: "button", "aria-expanded": "false", "aria-controls": "search-filters", on: { click: () => this.#showFilters(this.filters.hidden) } }, icon("settings"), t("search.filters"));
    this.rows = new RowList({
      label: t("search.list"),
      days: false,
      page: (_, signal) => this.#ask(signal),
      nothing: () => (this.#asks() ? empty("search", t("search.none"), t("search.none.how")) : RowList.nothingAtAll()),
      notes: (entry) => [dayShort(dayKey(entry.created_at)), state.projectId ? null : entry.project].filter(Boolean),
      onTotal: (total, shown) => this.#tellCount(total, shown),
    });
    this.bar = [
      h("div", { class: "search" }, icon("search"), this.input, h("kbd", { "aria-hidden": "true" }, "/")),
      this.toggle, this.count,
      this.filters,
    ];
    this.element = this.rows.element;
    this.#drawFilters(params);
    this.#showFilters(FILTERS.some((name) => params[name]));
    this.rows.load();
  }

  /** What the person came for. */
  focus() {
    this.input.focus();
  }

  #asks() {
    const { params } = place();
    return Boolean(params.q?.trim()) || FILTERS.some((name) => params[name]);
  }

  #typed() {
    clearTimeout(this.pause);
    this.pause = setTimeout(() => go(hrefWith({ q: this.input.value }), { replace: true }), PAUSE_MS);
  }

  #showFilters(shown) {
    this.filters.hidden = !shown;
    this.toggle.setAttribute("aria-expanded", String(shown));
  }

  #drawFilters(params) {
    const set = (name) => (event) => go(hrefWith({ [name]: event.target.value }), { replace: true });
    const choice = (name, label, options) => {
      const select = h("select", { "aria-label": label, on: { change: set(name) } }, options.map(([value, text]) => h("option", { value }, text)));
      select.value = params[name] ?? "";
      return select;
    };
    const line = (name, label, props) => {
      const input = h("input", { class: "field", ...props, on: { change: set(name) } });
      input.value = params[name] ?? "";
      return h("label", { class: "label beside" }, label, input);
    };
    const agents = (state.boot?.agents ?? []).map((agent) => [agent, agent]);
    put(this.filters,
      choice("kind", t("search.kind"), [["", t("kinds.all")], ...KINDS.map((kind) => [kind, t(`kinds.${kind}`)])]),
      choice("agent", t("search.agent"), [["", t("search.agent.all")], ...agents]),
      line("file", t("search.file"), { type: "text", placeholder: t("search.file.hint") }),
      line("since", t("search.since"), { type: "date" }),
      line("until", t("search.until"), { type: "date" }),
      h("button", { class: "button plain", type: "button", on: { click: () => this.#clear() } }, t("search.clear")));
  }

  #clear() {
    go(hrefWith(Object.fromEntries(FILTERS.map((name) => [name, null]))), { replace: true });
    this.#drawFilters({});
  }

  async #ask(signal) {
    const { params } = place();
    const given = (name) => params[name]?.trim() || undefined;
    return api.post("/api/viewer/search", {
      query: params.q ?? "",
      project: projectRef(),
      kind: given("kind"),
      file: given("file"),
      agent: given("agent"),
      since: given("since"),
      // The day that is named counts itself.
      until: given("until") && new Date(Date.parse(given("until")) + 86_400_000).toISOString(),
      limit: MOST,
    }, { signal });
  }

  #tellCount(total, shown) {
    if (!this.#asks()) put(this.count, "");
    else put(this.count, total > shown ? t("search.shown", { shown: number(shown), n: number(total) }) : t("search.found", { n: number(total) }));
  }

  update(params) {
    const asked = JSON.stringify([params.q, FILTERS.map((name) => params[name])]);
    if (asked === this.asked) return;
    this.asked = asked;
    if (document.activeElement !== this.input) this.input.value = params.q ?? "";
    this.rows.load().then(() => this.rows.list.toTop());
  }

  reload() {
    this.rows.load();
  }

  key(meaning) {
    if (meaning === "search") this.input.select();
    return this.rows.key(meaning) || meaning === "search";
  }

  destroy() {
    clearTimeout(this.pause);
    this.rows.destroy();
  }
}
