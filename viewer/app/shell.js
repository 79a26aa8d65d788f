// The frame of the page: the side, the page that is looked at, and the row beside it.
import { t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { openRemember } from "../parts/editor.js";
import { Panel } from "../parts/panel.js";
import { undoLast } from "../parts/pending.js";
import { FeedPage } from "../pages/feed.js";
import { HealthPage } from "../pages/health.js";
import { NextPage } from "../pages/next.js";
import { SearchPage } from "../pages/search.js";
import { SessionPage } from "../pages/session.js";
import { SettingsPage } from "../pages/settings.js";
import { SpendPage } from "../pages/spend.js";
import { TimelinePage } from "../pages/timeline.js";
import { h, put } from "../ui/dom.js";
import { empty } from "../ui/empty.js";
import { icon } from "../ui/icons.js";
import { announce, toast } from "../ui/say.js";
import { openHelp } from "./help.js";
import { go, href, onPlace, place } from "./router.js";
import { Side } from "./side.js";
import { listen, tell } from "./signals.js";
import { loadProjects, state } from "./state.js";

const PAGES = {
  feed: FeedPage, search: SearchPage, timeline: TimelinePage, next: NextPage,
  health: HealthPage, spend: SpendPage, settings: SettingsPage, session: SessionPage,
};

/** How often trouble is looked for. */
const TROUBLES_MS = 60_000;

export class Shell {
  constructor(root) {
    this.root = root;
    this.pages = Object.keys(PAGES).filter((page) => state.boot.pages.includes(page));
    this.heading = h("h1", { tabindex: "-1" });
    this.bar = h("div", { class: "bar" });
    this.notice = h("div", { class: "notice", role: "status", hidden: true });
    this.hold = h("div", { class: "page" });
    this.main = h("main", { class: "main", id: "main" }, this.notice, this.bar, this.hold);
    this.side = new Side(this.pages);
    put(root, h("a", { class: "skip", href: "#main", on: { click: (event) => { event.preventDefault(); this.heading.focus(); } } }, t("app.skip")), this.side.element, this.main);
    this.stops = [
      onPlace(({ before, here }) => this.#moved(before, here)),
      listen("project", () => this.#renew()),
      listen("key", (meaning) => this.#key(meaning)),
      listen("connection", (connection) => this.#connection(connection)),
      listen("back", () => this.#back()),
      listen("missed", () => { toast(t("notice.missed")); this.page?.reload(); }),
      listen("clock-moved", () => { toast(t("notice.clock")); this.page?.reload({ keep: true }); }),
      listen("live", (message) => this.#heard(message)),
    ];
    this.#mount();
    this.#panel(place().params.row);
    this.#troubles();
    this.looking = setInterval(() => this.#troubles(), TROUBLES_MS);
  }

  destroy() {
    clearInterval(this.looking);
    this.stops.forEach((stop) => stop());
    this.page?.destroy();
    this.panel?.destroy();
    this.side.destroy();
  }

  #mount() {
    const { page, params } = place();
    const Page = this.pages.includes(page) || page === "session" ? PAGES[page] : null;
    this.page?.destroy();
    this.page = Page ? new Page(params) : unknownPage();
    this.name = page;
    put(this.heading, this.page.title);
    put(this.bar, this.heading, this.page.bar);
    put(this.hold, this.page.element);
    document.title = `${this.page.title} · ${t("app.name")}`;
  }

  #moved(before, here) {
    if (here.page !== this.name) {
      this.#mount();
      announce(this.page.title);
      if (this.page.focus) this.page.focus();
      else this.heading.focus({ preventScroll: true });
    } else {
      this.page.update(here.params);
    }
    if (before.params.row !== here.params.row) this.#panel(here.params.row);
  }

  #panel(id) {
    const had = this.panel;
    if (had?.id === id) return;
    had?.destroy();
    had?.element.remove();
    this.panel = id ? new Panel(id) : null;
    if (this.panel) {
      this.root.append(this.panel.element);
      // Where it covers the page, it is where one is.
      if (matchMedia("(max-width: 1100px)").matches) this.panel.inside.focus({ preventScroll: true });
    } else if (had) {
      this.page.rows?.list.goTo(had.id);
    }
  }

  /** Another project is looked at. */
  #renew() {
    if (this.name === "session") go(href("timeline", { by: "talk" }));
    else this.#mount();
  }

  #key(meaning) {
    if (meaning.startsWith("page-")) {
      const page = this.pages[Number(meaning.slice(5)) - 1];
      if (page) go(href(page));
    } else if (meaning === "undo") undoLast();
    else if (meaning === "help") openHelp();
    else if (meaning === "remember") openRemember();
    else if (this.panel?.key(meaning)) return;
    else if (this.page.key(meaning)) return;
    else if (meaning === "search") go(href("search"));
    else if (meaning === "edit" && this.page.rows?.list.item()?.entry) {
      go(href(this.name, { ...place().params, row: this.page.rows.list.item().entry.id }));
    }
  }

  #connection(connection) {
    const away = connection === "offline";
    if (away) {
      this.notice.hidden = false;
      this.notice.className = "notice bad";
      put(this.notice, icon("offline"), t("notice.offline"));
    } else if (connection === "live" && this.notice.classList.contains("bad")) {
      this.notice.hidden = true;
    }
  }

  /** The server was away and answers again: what happened meanwhile comes by itself. */
  async #back() {
    this.notice.hidden = true;
    toast(t("notice.back"));
    const boot = await api.get("/api/viewer").catch(() => null);
    if (boot && boot.version !== state.boot.version) {
      this.notice.hidden = false;
      this.notice.className = "notice";
      put(this.notice, t("notice.release"), h("button", { class: "button tiny", type: "button", on: { click: () => location.reload() } }, t("notice.reload")));
    }
    this.page.reload({ keep: true });
    this.#troubles();
  }

  #heard(message) {
    if (message.projectId && !state.projects.some(({ id }) => id === message.projectId)) loadProjects().catch(() => {});
    else if (message.entry && !state.projects.some(({ id }) => id === message.entry.project_id)) loadProjects().catch(() => {});
  }

  async #troubles() {
    const answer = await api.get("/api/troubles").catch(() => null);
    if (answer) tell("troubles", answer.troubles.length);
  }
}

function unknownPage() {
  return {
    title: t("app.name"), bar: [], element: empty("warn", t("unknown.title"), t("unknown.how"), h("a", { class: "button", href: href("feed") }, t("nav.feed"))),
    update() {}, reload() {}, destroy() {}, key: () => false,
  };
}
