// How everything stands.
import { listen } from "../app/signals.js";
import { t, tOr } from "../i18n/index.js";
import { api } from "../net/api.js";
import { h, put, scroller } from "../ui/dom.js";
import { failed, loading } from "../ui/empty.js";
import { icon } from "../ui/icons.js";
import { toast } from "../ui/say.js";
import { full, number, size } from "../ui/time.js";

export class HealthPage {
  title = t("health.title");

  constructor() {
    this.column = h("div", { class: "column" });
    this.element = h("div", { class: "page" }, scroller(this.title, this.column));
    this.bar = [];
    this.stops = [listen("live", () => this.#soon()), listen("waiting", () => this.#soon())];
    put(this.column, loading());
    this.reload();
  }

  update() {}

  #soon() {
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.reload(), 800);
  }

  async reload() {
    try {
      const [status, { troubles }, jobs] = await Promise.all([api.get("/api/stats"), api.get("/api/troubles"), api.get("/api/jobs")]);
      this.known = true;
      this.#show(status, troubles, jobs);
    } catch (error) {
      if (!this.known && error.kind !== "signed-out") put(this.column, failed(error, () => this.reload()));
    }
  }

  #show(status, troubles, jobs) {
    put(this.column,
      h("section", {}, troubles.length
        ? troubles.map((trouble) => h("p", { class: "card stage alarm" }, h("span", { class: "row" }, icon("warn", "t-bugfix"), h("span", { class: "grow" }, trouble))))
        : h("p", { class: "row" }, icon("check", "t-discovery"), t("health.well"))),
      h("section", {}, h("h2", {}, t("health.events")), this.#events(status), h("p", { class: "dim small" }, t("health.sum")), this.#beside(status)),
      h("section", {}, h("h2", {}, t("health.memory")), this.#memory(status)),
      h("section", {}, h("h2", {}, t("health.model")), this.#model(status)),
      h("section", {}, h("h2", {}, t("health.jobs")), this.#jobs(jobs)));
  }

  #events(status) {
    return h("div", { class: "stages" },
      stage(t("health.received"), status.received),
      stage(t("health.spooled"), status.spooled),
      stage(t("health.stored"), status.stored),
      stage(t("health.distilled"), status.distilled),
      stage(t("health.waiting"), status.waiting),
      stage(t("health.parked"), status.parked, { alarm: status.parked > 0 }),
      status.spool_bad > 0 && stage(t("health.bad"), status.spool_bad, { alarm: true }));
  }

  #beside(status) {
    const skipped = Object.entries(status.skipped).map(([why, n]) => `${tOr(`health.skipped.${why}`, why)} ${number(n)}`).join(", ");
    const all = Object.values(status.skipped).reduce((sum, n) => sum + n, 0);
    return pairs([
      [t("health.duplicates"), number(status.duplicates)],
      [t("health.skipped"), skipped ? `${number(all)} (${skipped})` : number(all)],
      [t("health.last.stored"), full(status.last_stored_at) || t("health.never")],
      [t("health.last.distilled"), full(status.last_distilled_at) || t("health.never")],
    ]);
  }

  #memory(status) {
    const { embeddings } = status;
    return [
      h("div", { class: "stages" },
        ["prompt", "observation", "summary", "memory", "snapshot"].map((kind) => stage(t(`kinds.${kind}`), status.rows[kind]))),
      pairs([
        [t("health.projects"), number(status.projects)],
        [t("health.sessions"), number(status.sessions)],
        [t("health.indexed"), number(status.indexed)],
        [t("health.embedded"), embeddings.model ? `${number(embeddings.embedded)} · ${embeddings.model}` : t("health.no.model")],
        embeddings.model && [t("health.embedding"), number(embeddings.waiting)],
        [t("health.database"), size(status.database_bytes)],
      ]),
      embeddings.problem && h("p", { class: "chip warn" }, embeddings.problem),
    ];
  }

  #model({ model, spend }) {
    const any = model.waiting + model.parked + model.done > 0;
    return [
      any
        ? h("div", { class: "stages" }, stage(t("health.model.read"), model.done), stage(t("health.waiting"), model.waiting), stage(t("health.parked"), model.parked, { alarm: model.parked > 0 }))
        : h("p", { class: "dim" }, t("health.model.none")),
      model.held && h("p", { class: "chip warn" }, model.held),
      spend.stopped && h("p", { class: "chip warn" }, [spend.stopped.why, spend.stopped.remedy].filter(Boolean).join(" ")),
    ];
  }

  #jobs({ jobs }) {
    if (!jobs.length) return h("p", { class: "dim" }, t("health.jobs.none"));
    const act = async (path, ids) => {
      try {
        await api.post(path, { ids });
      } catch (error) {
        toast(error.message);
      }
      this.reload();
    };
    const row = (job) => h("tr", {},
      h("td", {}, h("span", { class: "mono" }, job.id), h("br"), h("span", { class: "dim" }, `${job.project} · ${job.of === "turn" ? t("health.jobs.turn", { n: job.prompt_number }) : t("health.jobs.session")}`)),
      h("td", {}, h("span", { class: `chip ${job.state === "parked" ? "bad" : ""}` }, tOr(`job.${job.state}`, job.state))),
      h("td", { class: "wrap-any" }, job.error ?? "—"),
      h("td", { class: "nowrap" }, full(job.due)),
      h("td", {}, h("span", { class: "row" },
        h("button", { class: "button tiny", type: "button", on: { click: () => act("/api/jobs/retry", [job.id]) } }, t("health.jobs.retry")),
        job.state === "parked" && h("button", { class: "button tiny bad", type: "button", on: { click: () => act("/api/jobs/drop", [job.id]) } }, t("health.jobs.drop")))));
    const heads = [t("health.jobs.of"), t("health.jobs.state"), t("health.jobs.error"), t("health.jobs.due")];
    return h("div", { class: "table-wrap", tabindex: "0", role: "region", "aria-label": t("health.jobs") }, h("table", {},
      h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)), h("td", {}))),
      h("tbody", {}, jobs.slice(0, 100).map(row))));
  }

  key() {
    return false;
  }

  destroy() {
    clearTimeout(this.soon);
    this.stops.forEach((stop) => stop());
  }
}

function pairs(list) {
  return h("dl", { class: "pairs" }, list.filter(Boolean).map(([name, value]) => [h("dt", {}, name), h("dd", {}, value)]));
}

function stage(name, n, { alarm = false, note = "" } = {}) {
  return h("div", { class: `card stage${alarm ? " alarm" : ""}` }, h("span", { class: "dim small" }, name), h("span", { class: "figure" }, number(n)), note && h("span", { class: "dim small wrap-any" }, note));
}
