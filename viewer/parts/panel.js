// One row whole, beside the page: what it says, what is behind it, and what can be done with it.
import { go, href, hrefWith, place } from "../app/router.js";
import { listen } from "../app/signals.js";
import { t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { h, put } from "../ui/dom.js";
import { empty, failed, loading } from "../ui/empty.js";
import { icon, rowIcon } from "../ui/icons.js";
import { toast } from "../ui/say.js";
import { full } from "../ui/time.js";
import { canEdit, openEditor, restore } from "./editor.js";
import { wholeEvent } from "./evidence.js";
import { forget } from "./forget.js";
import { isPending } from "./pending.js";
import { rowBody } from "./rowbody.js";
import { sourceWord, wordOf } from "./words.js";

export class Panel {
  constructor(id) {
    this.id = id;
    this.head = h("header", {});
    this.inside = h("div", { class: "inside", tabindex: "0" });
    this.element = h("aside", { class: "side-panel", "aria-label": t("row.details", { id }) }, this.head, this.inside);
    this.stops = [
      listen("live", (message) => this.#take(message)),
      listen("pending", () => isPending(this.id) && this.close()),
      listen("back", () => this.load()),
    ];
    this.#drawHead();
    this.load();
  }

  destroy() {
    this.stops.forEach((stop) => stop());
    this.reading?.abort();
  }

  close() {
    if (place().params.row === this.id) go(hrefWith({ row: null }));
  }

  async load() {
    this.reading?.abort();
    this.reading = new AbortController();
    const { signal } = this.reading;
    if (!this.row) put(this.inside, loading());
    try {
      const answer = await api.post("/api/rows", { ids: [this.id] }, { signal });
      if (answer.rows.length) this.#show(answer.rows[0]);
      else this.#gone();
    } catch (error) {
      if (signal.aborted) return;
      // An id that cannot be one is refused; what is shown already stays while nobody answers.
      if (error.kind === "refused") this.#gone();
      else if (!this.row && error.kind !== "signed-out") put(this.inside, failed(error, () => this.load()));
    }
  }

  #take(message) {
    if (message.ids?.includes(this.id)) this.#gone();
    else if (message.entry?.id === this.id) this.load();
  }

  #gone() {
    this.row = null;
    this.#drawHead();
    put(this.inside, empty("forget", t("row.gone", { id: this.id }), t("row.gone.how")));
  }

  #drawHead() {
    const button = (name, label, act, extra = "") => h("button", { class: `button plain square ${extra}`, type: "button", "aria-label": label, title: label, on: { click: act } }, icon(name));
    const { row } = this;
    put(this.head,
      row ? rowIcon(row.kind, row.label) : null,
      h("span", { class: "grow small" }, row ? `${wordOf(row)} ` : "", h("span", { class: "dim mono" }, this.id)),
      row && canEdit(row) && button("edit", t("row.edit"), () => this.edit()),
      row && button("forget", t("row.forget"), () => forget([this.id]), "bad"),
      row && button("copy", t("row.copy"), () => this.#copy()),
      button("close", t("row.close"), () => this.close()));
  }

  async #copy() {
    try {
      await navigator.clipboard.writeText(this.id);
      toast(t("row.copied", { id: this.id }));
    } catch {
      toast(this.id);
    }
  }

  edit() {
    if (this.row && canEdit(this.row)) openEditor(this.row, (row) => this.#show(row));
  }

  #show(row) {
    const open = new Set([...this.inside.querySelectorAll("details[open]")].map((one) => one.dataset.part));
    this.row = row;
    this.#drawHead();
    put(this.inside,
      h("h2", { class: "title", dir: "auto" }, row.title || "—"),
      rowBody(row),
      this.#about(row),
      row.kind === "observation" && this.#lazy("evidence", t("row.evidence"), () => this.#evidence()),
      canEdit(row) && this.#lazy("history", t("row.history"), () => this.#history()));
    for (const one of this.inside.querySelectorAll("details[data-part]")) one.open = open.has(one.dataset.part) || one.dataset.part === "evidence";
  }

  #about(row) {
    const pair = (name, value) => value && [h("dt", {}, name), h("dd", {}, value)];
    const { fields } = row;
    return h("dl", { class: "pairs" },
      pair(t("row.made"), full(row.created_at)),
      fields.updated_at && fields.updated_at !== fields.created_at && pair(t("row.changed"), full(fields.updated_at)),
      pair(t("row.project"), row.project),
      fields.session_id && pair(t("row.session"), h("a", { class: "link", href: href("session", { id: fields.session_id, row: row.id }) }, t("row.open.story"))),
      pair(t("row.source"), sourceWord(fields.source)),
      pair(t("row.agent.sub"), fields.subagent),
      pair(t("row.uid"), h("span", { class: "mono dim" }, row.uid)));
  }

  /** A part that is read when it is opened. */
  #lazy(name, title, read) {
    const content = h("div", { class: "part" });
    const details = h("details", { data: { part: name } }, h("summary", { class: "dim small" }, title), content);
    let begun = false;
    details.addEventListener("toggle", async () => {
      if (!details.open || begun) return;
      begun = true;
      put(content, loading());
      try {
        put(content, await read());
      } catch (error) {
        begun = false;
        put(content, failed(error, () => { details.open = false; details.open = true; }));
      }
    });
    return details;
  }

  async #evidence() {
    const { events, cut } = await api.get("/api/viewer/evidence", { id: this.id });
    if (!events.length) return h("p", { class: "dim small" }, t("row.evidence.none"));
    return [
      h("p", { class: "dim small" }, t("row.evidence.n", { n: events.length })),
      h("div", {}, events.map(wholeEvent)),
      cut && h("p", { class: "dim small" }, t("row.evidence.cut", { n: events.length })),
    ];
  }

  async #history() {
    const { revisions } = await api.get("/api/viewer/revisions", { id: this.id });
    if (!revisions.length) return h("p", { class: "dim small" }, "—");
    return revisions.map((revision) => this.#revision(revision));
  }

  #revision({ change, before, at }) {
    const { took_in: tookIn, ...content } = before;
    const what = change === "merged" ? t("row.history.merged", { ids: (tookIn ?? []).map((row) => row.id).join(", ") }) : t("row.history.edited");
    const said = content.title || content.request || content.text || content.narrative || "—";
    const put_back = this.row.kind === "memory" ? content : { [this.row.kind]: content };
    return h("div", { class: "card" },
      h("div", { class: "row between" }, h("strong", { class: "small" }, what), h("span", { class: "dim small" }, full(at))),
      h("p", { class: "prose small", dir: "auto" }, said),
      tookIn?.map((row) => h("p", { class: "prose small dim", dir: "auto" }, `${row.id}: ${row.title || row.text || row.narrative || ""}`)),
      h("div", { class: "row end" }, h("button", { class: "button tiny", type: "button", on: { click: () => restore(this.id, put_back, (row) => this.#show(row)) } }, icon("history"), t("row.history.restore"))));
  }

  key(meaning) {
    if (meaning === "close") this.close();
    else if (meaning === "edit") this.edit();
    else if (meaning === "forget" && this.row) forget([this.id]);
    else return false;
    return true;
  }
}
