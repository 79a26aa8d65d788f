// Settings that can be changed safely, and where the others are changed.
import { keysOn, setKeys } from "../app/shortcuts.js";
import { tell } from "../app/signals.js";
import { setTheme, THEMES, theme } from "../app/theme.js";
import { language, setLanguage, t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { h, put, scroller } from "../ui/dom.js";
import { failed, loading } from "../ui/empty.js";
import { icon } from "../ui/icons.js";
import { toast } from "../ui/say.js";

export class SettingsPage {
  title = t("settings.title");

  constructor() {
    this.column = h("div", { class: "column" });
    this.element = h("div", { class: "page" }, scroller(this.title, this.column));
    this.bar = [];
    put(this.column, loading());
    this.reload();
  }

  update() {}

  async reload() {
    try {
      this.#show(await api.get("/api/viewer/settings"));
    } catch (error) {
      if (!this.known && error.kind !== "signed-out") put(this.column, failed(error, () => this.reload()));
    }
  }

  #show(settings) {
    this.known = true;
    const focused = document.activeElement?.dataset?.setting;
    put(this.column, this.#browser(), this.#memory(settings), this.#projects(settings), this.#others(settings));
    if (focused) this.column.querySelector(`[data-setting="${CSS.escape(focused)}"]`)?.focus();
  }

  #browser() {
    const choice = (label, value, options, act) => {
      const select = h("select", { "aria-label": label, on: { change: (event) => act(event.target.value) } }, options.map(([name, text]) => h("option", { value: name }, text)));
      select.value = value;
      return line(label, "", select);
    };
    const keys = toggle("keys", t("settings.keys"), keysOn(), (on) => setKeys(on));
    return h("section", {}, h("h2", {}, t("settings.here")), h("div", { class: "card" },
      choice(t("settings.language"), language(), [["en", "English"], ["zh", "中文"]], (next) => { setLanguage(next); tell("redraw"); }),
      choice(t("settings.theme"), theme(), THEMES.map((name) => [name, t(`theme.${name}`)]), (next) => { setTheme(next); tell("theme"); }),
      line(t("settings.keys"), "", keys),
      line(t("settings.signed.in"), t("settings.signed.in.how"), h("button", { class: "button", type: "button", on: { click: signOut } }, icon("out"), t("tool.out")))));
  }

  async #send(path, body, said) {
    try {
      await api.post(path, body);
      toast(said);
    } catch (error) {
      toast(error.kind === "offline" ? t("error.offline") : error.message);
    }
    await this.reload();
  }

  #memory({ paused, prompt_recall: recall, settings }) {
    const fixed = settings.find(({ name }) => name === "recall.prompt_recall")?.changeable !== "here";
    const everywhere = toggle("all", t("settings.pause.all"), !paused, (on) =>
      this.#send("/api/viewer/pause", { paused: !on }, t(on ? "settings.resumed" : "settings.paused", { name: t("settings.everywhere") })));
    const prompts = toggle("prompt-recall", t("settings.prompt"), recall, (on) => this.#send("/api/viewer/prompt-recall", { on }, t("settings.saved")), fixed);
    return h("section", {}, h("h2", {}, t("settings.memory")), h("div", { class: "card" },
      line(t("settings.pause.all"), t("settings.pause.all.how"), everywhere),
      line(t("settings.prompt"), fixed ? t("settings.prompt.variable") : t("settings.prompt.how"), prompts)));
  }

  #projects({ projects, paused: all }) {
    if (!projects.length) return null;
    const row = ({ id, name, root, paused, pausable }) => line(name, pausable ? root ?? "" : t("settings.unpausable"),
      toggle(`project-${id}`, name, !paused, (on) => this.#send("/api/viewer/pause", { project_id: id, paused: !on }, t(on ? "settings.resumed" : "settings.paused", { name })), !pausable || all));
    return h("section", {}, h("h2", {}, t("settings.projects")), h("p", { class: "dim small" }, t("settings.projects.how")), h("div", { class: "card" }, projects.map(row)));
  }

  #others({ settings }) {
    const where = ({ variable, changeable }) => (changeable === "in-variable" ? h("span", { class: "mono" }, variable) : [t("settings.in.file"), variable && h("span", { class: "dim mono" }, ` / ${variable}`)]);
    const row = (setting) => h("tr", {},
      h("td", { class: "mono wrap-any" }, setting.name),
      h("td", { class: "wrap-any" }, setting.value || h("span", { class: "dim" }, t("settings.unset"))),
      h("td", { class: "wrap-any small" }, where(setting)));
    const heads = [t("settings.name"), t("settings.value"), t("settings.where")];
    const shown = settings.filter(({ changeable }) => changeable !== "here");
    return h("section", {}, h("h2", {}, t("settings.others")), h("p", { class: "dim small" }, t("settings.others.how")),
      h("div", { class: "table-wrap card", tabindex: "0", role: "region", "aria-label": t("settings.others") }, h("table", {}, h("thead", {}, h("tr", {}, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", {}, shown.map(row)))));
  }

  key() {
    return false;
  }

  destroy() {}
}

async function signOut() {
  await api.post("/api/sign-out", {}).catch(() => {});
  tell("signed-out", "ended");
}

function line(label, how, control) {
  return h("div", { class: "setting" }, h("div", { class: "grow" }, h("div", { class: "wrap-any" }, label), how && h("div", { class: "dim small wrap-any" }, how)), control);
}

function toggle(name, label, on, act, disabled = false) {
  const box = h("input", { class: "switch", type: "checkbox", role: "switch", "aria-label": label, disabled, data: { setting: name }, on: { change: () => act(box.checked) } });
  box.checked = on;
  return box;
}
