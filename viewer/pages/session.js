// One session, from prompt to evidence.
import { href, hrefWith } from "../app/router.js";
import { listen } from "../app/signals.js";
import { t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { briefEvent } from "../parts/evidence.js";
import { isPending } from "../parts/pending.js";
import { rowBody } from "../parts/rowbody.js";
import { wordOf } from "../parts/words.js";
import { h, put, scroller } from "../ui/dom.js";
import { empty, failed, loading } from "../ui/empty.js";
import { icon, rowIcon } from "../ui/icons.js";
import { clock, full } from "../ui/time.js";

export class SessionPage {
  title = t("session.title");

  constructor(params) {
    this.id = params.id;
    this.column = h("div", { class: "column" });
    this.scroll = scroller(this.title, this.column);
    this.element = h("div", { class: "page" }, this.scroll);
    this.bar = [h("a", { class: "button plain", href: href("timeline", { by: "talk" }) }, icon("back"), t("timeline.title"))];
    this.stops = [
      listen("live", (message) => this.#heard(message)),
      listen("pending", () => this.story && this.#show(this.story)),
    ];
    put(this.column, loading());
    this.reload();
  }

  update(params) {
    if (params.id === this.id) return;
    this.id = params.id;
    this.scroll.scrollTop = 0;
    this.reload();
  }

  async reload() {
    const asked = this.id;
    try {
      const story = await api.get("/api/viewer/story", { session: asked });
      if (asked === this.id) this.#show(story);
    } catch (error) {
      if (asked !== this.id || error.kind === "signed-out") return;
      if (error.kind === "refused") put(this.column, empty("session", t("session.unknown"), t("session.unknown.how")));
      else if (!this.story) put(this.column, failed(error, () => this.reload()));
    }
  }

  #heard(message) {
    const session = this.story?.session;
    if (!session) return;
    const mine = message.sessionDbId === session.id || message.entry?.session_id === session.id || message.ids?.length;
    if (!mine) return;
    // Several come at once when a turn is distilled.
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.reload(), 300);
  }

  #show(story) {
    this.story = story;
    const opened = new Set([...this.column.querySelectorAll("details[open]")].map((one) => one.dataset.key));
    put(this.column,
      h("section", {}, this.#about(story)),
      story.cut && h("p", { class: "chip warn" }, t("session.cut")),
      story.summary && !isPending(story.summary.id) && h("section", {}, h("h2", {}, t("session.summary")), foundCard(story.summary)),
      h("section", {}, story.turns.map((turn) => this.#turn(turn))));
    for (const one of this.column.querySelectorAll("details[data-key]")) one.open = opened.has(one.dataset.key);
  }

  #about({ session, conversation }) {
    const pair = (name, value) => value && [h("dt", {}, name), h("dd", {}, value)];
    const active = session.status === "active";
    return h("div", { class: "card" },
      h("div", { class: "row between" },
        h("h2", { class: "wrap-any", dir: "auto" }, session.first_prompt || t("timeline.untitled")),
        h("span", { class: `chip ${active ? "good" : ""}` }, active ? t("session.active") : t("session.completed"))),
      h("dl", { class: "pairs" },
        pair(t("row.project"), session.project),
        pair(t("session.agent"), session.agent),
        pair(t("session.branch"), session.branch),
        pair(t("session.worktree"), session.worktree),
        pair(t("session.began"), full(session.started_at)),
        pair(t("session.ended"), full(session.completed_at)),
        pair(t("session.reason"), session.end_reason),
        pair(t("session.id"), h("span", { class: "mono dim" }, session.agent_session_id))),
      conversation.length > 1 && h("nav", { class: "row", "aria-label": t("session.conversation") },
        h("span", { class: "dim small" }, t("session.conversation")),
        conversation.map((one, at) => h("a", { class: "button tiny", href: href("session", { id: one.id }), "aria-current": one.id === session.id ? "page" : null, title: full(one.started_at) }, t("session.part", { n: at + 1 })))));
  }

  #turn(turn) {
    const { number, prompt, summary, observations, snapshots, events } = turn;
    const at = prompt?.created_at ?? events[0]?.at;
    const shown = (rows) => rows.filter((row) => !isPending(row.id));
    const tools = events.filter((event) => event.kind === "tool-use");
    const counts = new Map();
    tools.forEach((event) => counts.set(event.tool, (counts.get(event.tool) ?? 0) + 1));
    const tally = [...counts].map(([tool, n]) => (n > 1 ? `${tool} ×${n}` : tool)).slice(0, 6).join(", ");
    return h("article", { class: "turn", "aria-label": number ? t("session.turn", { n: number }) : t("session.before") },
      h("header", {}, h("h2", {}, number ? t("session.turn", { n: number }) : t("session.before")), at && h("time", { class: "dim small", datetime: at, title: full(at) }, clock(at))),
      number > 0 && (prompt && !isPending(prompt.id)
        ? h("a", { class: "asked prose found", dir: "auto", href: hrefWith({ row: prompt.id }) }, prompt.text)
        : h("p", { class: "asked dim" }, t("session.no.prompt"))),
      events.length > 0 && h("details", { data: { key: `events ${number}` } },
        h("summary", { class: "dim small" }, t("session.events", { n: events.length }), tally ? ` · ${tally}` : ""),
        h("div", {}, events.map(briefEvent))),
      shown(observations).length > 0 && h("div", { class: "part" }, h("h3", {}, t("session.observations")), shown(observations).map(foundCard)),
      shown(snapshots).length > 0 && h("div", { class: "part" }, h("h3", {}, t("session.snapshots")), shown(snapshots).map(foundCard)),
      summary && !isPending(summary.id) && h("div", { class: "part" }, h("h3", {}, t("session.turn.summary")), foundCard(summary)));
  }

  key() {
    return false;
  }

  destroy() {
    clearTimeout(this.soon);
    this.stops.forEach((stop) => stop());
  }
}

/** A row that opens beside the page. */
function foundCard(row) {
  return h("a", { class: "card found", href: hrefWith({ row: row.id }) },
    h("span", { class: "head" }, rowIcon(row.kind, row.label), h("span", { class: "grow title", dir: "auto" }, row.title || "—"), h("span", { class: "dim small nowrap" }, `${wordOf(row)} · ${row.id}`)),
    row.kind === "observation"
      ? [row.fields.narrative && h("span", { class: "prose small dim", dir: "auto" }, row.fields.narrative), row.files.length > 0 && h("span", { class: "chips" }, row.files.map((file) => h("span", { class: "chip mono" }, file)))]
      : rowBody(row).flat(2).filter(Boolean).slice(row.kind === "summary" ? 1 : 0));
}
