// The side: where one can go, which project is looked at, and how the server stands.
import { language, setLanguage, t, tOr } from "../i18n/index.js";
import { api } from "../net/api.js";
import { h, put } from "../ui/dom.js";
import { icon, seal } from "../ui/icons.js";
import { number } from "../ui/time.js";
import { openHelp } from "./help.js";
import { href, place } from "./router.js";
import { listen, tell } from "./signals.js";
import { chooseProject, state } from "./state.js";
import { setTheme, THEMES, theme } from "./theme.js";

export class Side {
  constructor(pages) {
    this.pages = pages;
    this.select = h("select", { "aria-label": t("project.label"), on: { change: () => chooseProject(Number(this.select.value) || null) } });
    this.nav = h("nav", { class: "nav", "aria-label": t("app.nav") });
    this.stand = h("p", { class: "state", role: "status" });
    this.tools = h("div", { class: "tools", role: "toolbar", "aria-label": t("app.menu") });
    this.element = h("header", { class: "side" },
      h("a", { class: "brand", href: href("feed") }, seal(), h("span", {}, "afterword ", h("span", { class: "han", lang: "zh-CN" }, "后记"))),
      h("div", { class: "pick" }, this.select),
      this.nav,
      h("div", { class: "foot" }, this.stand, this.tools));
    this.stops = [
      listen("projects", () => this.#drawProjects()),
      listen("project", () => this.#drawProjects()),
      listen("place", () => this.#drawNav()),
      listen("connection", () => this.#drawState()),
      listen("waiting", () => this.#drawState()),
      listen("troubles", (n) => { this.troubles = n; this.#drawNav(); }),
      listen("theme", () => this.#drawTools()),
    ];
    this.#drawProjects();
    this.#drawNav();
    this.#drawState();
    this.#drawTools();
  }

  destroy() {
    this.stops.forEach((stop) => stop());
  }

  #drawProjects() {
    const names = new Map();
    state.projects.forEach(({ name }) => names.set(name, (names.get(name) ?? 0) + 1));
    // Two projects of one name are told apart by their folders.
    const label = ({ name, root }) => (names.get(name) > 1 && root ? `${name} (${root})` : name);
    put(this.select, h("option", { value: "" }, t("project.all")), state.projects.map((project) => h("option", { value: project.id }, label(project))));
    this.select.value = state.projectId ?? "";
  }

  #drawNav() {
    const here = place().page === "session" ? "timeline" : place().page;
    put(this.nav, this.pages.map((page, at) => h("a", { href: href(page), "aria-current": page === here ? "page" : null },
      icon(page),
      h("span", { class: "long" }, t(`nav.${page}`)),
      h("span", { class: "short" }, tOr(`nav.short.${page}`, t(`nav.${page}`))),
      page === "health" && this.troubles > 0 && h("span", { class: "badge" }, number(this.troubles)),
      h("kbd", { "aria-hidden": "true" }, String(at + 1)))));
  }

  #drawState() {
    const { connection, waiting } = state;
    this.stand.dataset.state = connection;
    const words = connection === "working" ? t("state.working", { n: number(waiting) }) : t(`state.${connection}`);
    put(this.stand, h("span", { class: "dot" }), words);
  }

  #drawTools() {
    const button = (name, label, act) => h("button", { class: "button plain square", type: "button", "aria-label": label, title: label, on: { click: act } }, icon(name));
    const next = THEMES[(THEMES.indexOf(theme()) + 1) % THEMES.length];
    put(this.tools,
      button("theme", t("tool.theme", { theme: t(`theme.${theme()}`) }), () => { setTheme(next); tell("theme"); }),
      button("language", t("tool.language"), () => { setLanguage(language() === "en" ? "zh" : "en"); tell("redraw"); }),
      button("help", t("tool.help"), openHelp),
      button("out", t("tool.out"), async () => { await api.post("/api/sign-out", {}).catch(() => {}); tell("signed-out", "ended"); }));
  }
}
