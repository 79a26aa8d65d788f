// What models cost, what sessions were handed for it, and how the memory grows.
import { go, hrefWith } from "../app/router.js";
import { listen } from "../app/signals.js";
import { state } from "../app/state.js";
import { t, tOr } from "../i18n/index.js";
import { api } from "../net/api.js";
import { bars, growth as growthChart, meter } from "../ui/chart.js";
import { h, put, scroller } from "../ui/dom.js";
import { failed, loading } from "../ui/empty.js";
import { money, number } from "../ui/time.js";

const SPANS = ["7", "30", "90"];
const BY = ["day", "project", "provider", "model", "purpose"];

export class SpendPage {
  title = t("spend.title");

  constructor(params) {
    this.column = h("div", { class: "column" });
    this.element = h("div", { class: "page" }, scroller(this.title, this.column));
    this.bar = h("div", { class: "row grow" });
    this.stops = [listen("live", () => this.#soon())];
    put(this.column, loading());
    this.update(params);
  }

  update(params) {
    const days = SPANS.includes(params.days) ? params.days : "30";
    const by = BY.includes(params.by) ? params.by : "project";
    if (days === this.days && by === this.by) return;
    this.days = days;
    this.by = by;
    put(this.bar, h("div", { class: "toggles", role: "group", "aria-label": t("spend.days", { n: "" }) }, SPANS.map((span) =>
      h("button", { class: "toggle", type: "button", "aria-pressed": String(span === days), on: { click: () => go(hrefWith({ days: span }), { replace: true }) } }, t("spend.days", { n: span })))));
    this.reload();
  }

  #soon() {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.reload(), 2_000);
  }

  async reload() {
    const { days, by } = this;
    try {
      const [status, byDay, table, grown] = await Promise.all([
        api.get("/api/stats"),
        api.get("/api/spend", { days, by: "day" }),
        api.get("/api/spend", { days, by }),
        api.get("/api/viewer/growth", { days, project_id: state.projectId }),
      ]);
      if (days !== this.days || by !== this.by) return;
      this.known = true;
      put(this.column,
        h("section", {}, h("h2", {}, t("spend.today")), today(status.spend)),
        h("section", {}, h("h2", {}, t("spend.days", { n: days })), charts(byDay, grown)),
        h("section", {}, this.#choices(), lines(table)));
    } catch (error) {
      if (!this.known && error.kind !== "signed-out") put(this.column, failed(error, () => this.reload()));
    }
  }

  #choices() {
    return h("div", { class: "row" }, h("span", { class: "dim small" }, t("spend.by")), h("div", { class: "toggles", role: "group", "aria-label": t("spend.by") }, BY.map((by) =>
      h("button", { class: "toggle", type: "button", "aria-pressed": String(by === this.by), on: { click: () => go(hrefWith({ by }), { replace: true }) } }, t(`spend.by.${by}`)))));
  }

  key() {
    return false;
  }

  destroy() {
    clearTimeout(this.soon);
    this.stops.forEach((stop) => stop());
  }
}

function today(spend) {
  const of = (n, cap) => (cap == null ? `${n} · ${t("spend.no.cap")}` : t("spend.of", { n, cap }));
  const card = (title, figure, note, bar) => h("div", { class: "card stage" }, h("span", { class: "dim small" }, title), h("span", { class: "figure" }, figure), bar, h("span", { class: "dim small" }, note));
  const tokens = of(number(spend.tokens_today), spend.daily_token_cap == null ? null : number(spend.daily_token_cap));
  const cost = of(money(spend.cost_today_micros), spend.daily_cost_cap_micros == null ? null : money(spend.daily_cost_cap_micros));
  return [
    spend.stopped && h("p", { class: "chip warn" }, [t("spend.stopped"), spend.stopped.why, spend.stopped.remedy].filter(Boolean).join(" · ")),
    h("div", { class: "stages" },
      card(t("spend.tokens"), number(spend.tokens_today), tokens, spend.daily_token_cap != null && meter(spend.tokens_today, spend.daily_token_cap, `${t("spend.tokens")}: ${tokens}`)),
      card(t("spend.cost"), money(spend.cost_today_micros), spend.unpriced_tokens ? `${cost}, ${t("spend.unpriced", { n: number(spend.unpriced_tokens) })}` : cost, spend.daily_cost_cap_micros != null && meter(spend.cost_today_micros, spend.daily_cost_cap_micros, `${t("spend.cost")}: ${cost}`)),
      card(t("spend.handed"), number(spend.injected_tokens), t("spend.blocks", { n: number(spend.injected_blocks) }))),
  ];
}

function charts(report, grown) {
  const byName = new Map(report.lines.map((line) => [line.name, line]));
  const days = grown.days.map(({ day }) => day);
  const of = (name) => days.map((day) => byName.get(day)?.[name] ?? 0);
  const added = grown.days.map(({ rows }) => Object.values(rows).reduce((sum, n) => sum + n, 0));
  let sum = grown.elsewhere;
  const grownTo = added.map((n) => (sum += n));
  return h("div", { class: "charts" },
    bars({
      title: t("spend.chart.tokens"),
      days,
      cap: report.daily_token_cap,
      series: [
        { name: t("spend.input"), style: "b1", values: of("input_tokens") },
        { name: t("spend.output"), style: "b2", values: of("output_tokens") },
      ],
    }),
    bars({ title: t("spend.chart.handed"), days, series: [{ name: t("spend.tokens"), style: "b3", values: of("injected_tokens") }] }),
    growthChart({ title: t("spend.chart.growth"), days, values: grownTo }));
}

function lines(report) {
  const shown = report.lines.filter((line) => line.calls || line.injected_tokens);
  if (!shown.length) return h("p", { class: "dim" }, t("spend.none"));
  const handed = ["day", "project"].includes(report.by);
  const cost = (line) => (line.cost_micros === 0 && line.unpriced_tokens > 0 ? t("spend.unknown") : `${line.unpriced_tokens > 0 ? "> " : ""}${money(line.cost_micros)}`);
  const heads = [t("spend.calls"), t("spend.input"), t("spend.output"), t("spend.cost"), handed && t("spend.handed")].filter(Boolean);
  const row = (line, name) => h("tr", {},
    h("td", { class: "wrap-any" }, name),
    [number(line.calls), number(line.input_tokens), number(line.output_tokens), cost(line), handed && number(line.injected_tokens)].filter(Boolean).map((text) => h("td", { class: "number" }, text)));
  const nameOf = (line) => line.name || t("spend.no.project");
  return h("div", { class: "table-wrap", tabindex: "0", role: "region", "aria-label": t("spend.by") }, h("table", {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, tOr(`spend.by.${report.by}`, report.by)), heads.map((head) => h("th", { scope: "col", class: "number" }, head)))),
    h("tbody", {}, shown.map((line) => row(line, nameOf(line))))));
}
