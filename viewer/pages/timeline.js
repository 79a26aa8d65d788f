// A project by day and by conversation.
import { go, href, hrefWith } from "../app/router.js";
import { listen } from "../app/signals.js";
import { state } from "../app/state.js";
import { t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { RowList } from "../parts/rowlist.js";
import { h, put, s, scroller } from "../ui/dom.js";
import { empty, failed, loading } from "../ui/empty.js";
import { icon } from "../ui/icons.js";
import { clock, dayKey, dayName, dayShort, full, monthShort, number } from "../ui/time.js";
import { belongs, feedPage, kindsOf, kindToggles } from "./feed.js";

const DAYS = 364;
const SESSIONS = 100;

export class TimelinePage {
  title = t("timeline.title");

  constructor(params) {
    this.bar = h("div", { class: "row grow" });
    this.element = h("div", { class: "page" });
    this.update(params);
    this.stops = [listen("live", (message) => this.#heard(message))];
  }

  update(params) {
    const view = params.by === "talk" ? "talk" : "day";
    const asked = JSON.stringify([view, params.day, params.kinds]);
    if (asked === this.asked) return;
    const other = view !== this.view;
    this.asked = asked;
    this.view = view;
    this.params = params;
    this.#drawBar();
    if (view === "talk") {
      if (other) this.#talks();
    } else {
      this.#days(other);
    }
  }

  #drawBar() {
    const tab = (by, label) => h("button", { class: "toggle", type: "button", "aria-pressed": String(this.view === by), on: { click: () => go(hrefWith({ by: by === "day" ? null : by })) } }, label);
    const day = h("input", { class: "field", type: "date", "aria-label": t("timeline.goto"), title: t("timeline.goto"), max: dayKey(Date.now()), on: { change: () => go(hrefWith({ day: day.value })) } });
    day.value = this.params.day ?? "";
    put(this.bar,
      h("div", { class: "toggles" }, tab("day", t("timeline.by.day")), tab("talk", t("timeline.by.talk"))),
      this.view === "day" && [h("label", { class: "label" }, day), this.params.day && h("button", { class: "button plain", type: "button", on: { click: () => go(hrefWith({ day: null })) } }, t("timeline.newest"))],
      this.view === "day" && kindToggles(kindsOf(this.params)));
  }

  // By day.

  #days(other) {
    if (other || !this.rows) {
      this.rows?.destroy();
      this.strip = h("div", { class: "strip" });
      this.rows = new RowList({
        label: t("feed.list"),
        page: (before, signal) => feedPage(kindsOf(this.params), this.params.day)(before, signal),
        wants: (entry) => !this.params.day && belongs(entry, kindsOf(this.params)),
        nothing: () => empty("timeline", t("feed.none"), t("feed.none.how")),
      });
      put(this.element, this.strip, this.rows.element);
      this.#heat();
    } else {
      this.#markDay();
    }
    this.rows.load().then(() => this.rows.list.toTop());
  }

  /** The last days as squares that are the darker the more came of them; a column is a week. */
  async #heat() {
    let growth;
    try {
      growth = await api.get("/api/viewer/growth", { days: DAYS, project_id: state.projectId });
    } catch {
      return;
    }
    const sums = growth.days.map(({ rows }) => Object.values(rows).reduce((sum, n) => sum + n, 0));
    const most = Math.max(...sums, 1);
    const level = (n) => (n === 0 ? 0 : Math.min(4, 1 + Math.floor((n / most) * 3.99)));
    const first = (new Date(`${growth.days[0].day}T12:00:00`).getDay() + 6) % 7;
    const squares = growth.days.map(({ day }, at) => {
      const place = at + first;
      const box = s("rect", { x: Math.floor(place / 7) * 13, y: (place % 7) * 13, width: 10, height: 10, rx: 2, "data-level": level(sums[at]) });
      const words = t("timeline.heat.day", { day: dayShort(day), n: number(sums[at]) });
      box.append(s("title", {}, words));
      return sums[at] ? s("a", { href: hrefWith({ day }), "aria-label": words, "data-day": day }, box) : box;
    });
    const wide = Math.ceil((growth.days.length + first) / 7) * 13 - 3;
    // Each month stands over the column of its first day.
    const months = growth.days.flatMap(({ day }, at) => (day.endsWith("-01") && (at + first) / 7 < wide / 13 - 2 ? s("text", { x: Math.floor((at + first) / 7) * 13, y: -5 }, monthShort(day)) : []));
    const drawing = s("svg", { class: "heat", viewBox: `0 -15 ${wide} 106`, width: wide, height: 106, role: "group", "aria-label": t("timeline.heat", { n: DAYS }) }, months, squares);
    const key = s("svg", { viewBox: "0 0 62 10", width: 62, height: 10, class: "heat", "aria-hidden": "true" }, [0, 1, 2, 3, 4].map((one) => s("rect", { x: one * 13, y: 0, width: 10, height: 10, rx: 2, "data-level": one })));
    const scroll = h("div", { class: "table-wrap" }, drawing);
    put(this.strip, scroll, h("p", { class: "row dim small" }, t("timeline.heat", { n: DAYS }), h("span", { class: "grow" }), t("timeline.less"), key, t("timeline.more.word")));
    scroll.scrollLeft = wide;
    this.#markDay();
  }

  #markDay() {
    for (const link of this.strip.querySelectorAll("a")) {
      if (link.dataset.day === this.params.day) link.setAttribute("aria-current", "date");
      else link.removeAttribute("aria-current");
      link.setAttribute("href", hrefWith({ day: link.dataset.day, row: null }));
    }
  }

  // By conversation.

  async #talks(sessions = SESSIONS) {
    this.rows?.destroy();
    this.rows = null;
    this.sessions = sessions;
    if (!this.element.querySelector(".talk")) put(this.element, loading());
    try {
      const answer = await api.get("/api/viewer/conversations", { project_id: state.projectId, sessions });
      if (this.view === "talk") this.#showTalks(answer);
    } catch (error) {
      put(this.element, failed(error, () => this.#talks(sessions)));
    }
  }

  #showTalks({ conversations, more }) {
    if (!conversations.length) {
      put(this.element, empty("timeline", t("timeline.none"), t("timeline.none.how")));
      return;
    }
    const top = this.element.querySelector(".scroll")?.scrollTop ?? 0;
    let day = null;
    const cards = conversations.map((talk) => {
      const last = talk.sessions.reduce((newest, one) => (one.last_event_at > newest ? one.last_event_at : newest), "");
      const key = dayKey(last);
      const heading = key !== day && h("h2", { class: "dim" }, dayName((day = key)));
      return [heading, talkCard(talk)];
    });
    const button = more && h("button", { class: "button", type: "button", on: { click: () => this.#talks(this.sessions * 4) } }, t("timeline.more"));
    const scroll = scroller(this.title, h("div", { class: "column" }, h("section", {}, cards, button)));
    put(this.element, scroll);
    scroll.scrollTop = top;
  }

  #heard(message) {
    if (this.view !== "talk" || !["session_started", "session_completed", "new_prompt"].includes(message.type)) return;
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.#talks(this.sessions), 400);
  }

  reload(options) {
    if (this.view === "talk") {
      this.#talks(this.sessions);
    } else {
      this.#heat();
      this.rows.load(options);
    }
  }

  key(meaning) {
    return this.rows?.key(meaning) ?? false;
  }

  destroy() {
    clearTimeout(this.soon);
    this.stops.forEach((stop) => stop());
    this.rows?.destroy();
  }
}

function talkCard({ title, sessions }) {
  const [{ project, branch }] = sessions;
  return h("article", { class: "card talk" },
    h("h3", { dir: "auto" }, title || t("timeline.untitled")),
    h("p", { class: "dim small" }, [state.projectId ? null : project, branch, sessions.length > 1 && t("timeline.sessions", { n: sessions.length })].filter(Boolean).join(" · ")),
    h("div", { class: "sessions" }, sessions.map((session) => sessionLine(session, title))));
}

function sessionLine(session, title) {
  const active = session.status === "active";
  const line = [session.agent, t("session.prompts", { n: session.prompt_counter }), session.worktree, session.first_prompt !== title && session.first_prompt].filter(Boolean).join(" · ");
  return h("a", { class: "session", href: href("session", { id: session.id }), title: full(session.started_at) },
    icon("session", active ? "t-discovery" : "k-snapshot"),
    h("span", { class: "line" }, line),
    h("span", { class: "dim small nowrap" }, active ? h("span", { class: "chip good" }, t("session.active")) : "", ` ${dayShort(dayKey(session.started_at))}, ${clock(session.started_at)}`));
}
