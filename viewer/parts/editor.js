// Changing what a row says, and telling something new.
import { projectOf, state } from "../app/state.js";
import { t, tOr } from "../i18n/index.js";
import { api } from "../net/api.js";
import { field, openDialog, textArea, textLine } from "../ui/dialog.js";
import { h } from "../ui/dom.js";
import { toast } from "../ui/say.js";

const TYPES = ["decision", "bugfix", "feature", "refactor", "change", "discovery"];
const SUMMARY = ["request", "completed", "learned", "investigated", "next_steps", "notes"];

export function canEdit(row) {
  return ["observation", "summary", "memory"].includes(row.kind);
}

const lines = (text) => text.split("\n").map((line) => line.trim()).filter(Boolean);

/** The content of a row as it is asked for and sent. */
export function contentOf(row) {
  const { fields } = row;
  if (row.kind === "memory") return { title: fields.title, text: fields.text, files: fields.files };
  const names = row.kind === "summary"
    ? [...SUMMARY, "files_read", "files_modified"]
    : ["type", "title", "subtitle", "narrative", "facts", "concepts", "files_read", "files_modified"];
  return { [row.kind]: Object.fromEntries(names.map((name) => [name, fields[name]])) };
}

function memoryForm({ title, text, files }) {
  const controls = { title: textLine(title), text: textArea(text, 5), files: textArea(files.join("\n"), 2) };
  const body = [
    field(t("field.title"), controls.title),
    field(t("field.text"), controls.text),
    field(t("field.files"), controls.files),
  ];
  const read = () => ({ title: controls.title.value, text: controls.text.value, files: lines(controls.files.value) });
  return { body, read };
}

function observationForm({ observation }) {
  const known = TYPES.includes(observation.type) ? TYPES : [observation.type, ...TYPES];
  const type = h("select", { class: "field" }, known.map((word) => h("option", { value: word }, tOr(`type.${word}`, word))));
  type.value = observation.type;
  const texts = {
    title: textLine(observation.title),
    subtitle: textLine(observation.subtitle),
    narrative: textArea(observation.narrative, 4),
  };
  const names = ["facts", "concepts", "files_modified", "files_read"];
  const lists = Object.fromEntries(names.map((name) => [name, textArea(observation[name].join("\n"), 2)]));
  const body = [
    field(t("field.type"), type),
    Object.entries(texts).map(([name, control]) => field(t(`field.${name}`), control)),
    names.map((name) => field(t(`field.${name}`), lists[name])),
  ];
  const read = () => {
    const value = { type: type.value };
    for (const [name, control] of Object.entries(texts)) value[name] = control.value;
    for (const name of names) value[name] = lines(lists[name].value);
    return { observation: value };
  };
  return { body, read };
}

function summaryForm({ summary }) {
  const controls = Object.fromEntries(SUMMARY.map((name) => [name, textArea(summary[name], 2)]));
  const body = SUMMARY.map((name) => field(t(`field.${name}`), controls[name]));
  const read = () => {
    const value = { ...summary };
    for (const name of SUMMARY) value[name] = controls[name].value;
    return { summary: value };
  };
  return { body, read };
}

const FORMS = { memory: memoryForm, observation: observationForm, summary: summaryForm };

/** Opens the form of a row. `saved(row)` is given the row as it is then. */
export function openEditor(row, saved) {
  const before = contentOf(row);
  const { body, read } = FORMS[row.kind](before);
  openDialog({
    title: t("edit.title", { id: row.id }),
    body: [body, h("p", { class: "dim small" }, t("edit.why"))],
    action: t("edit.save"),
    submit: async () => {
      const after = await api.post("/api/viewer/revise", { id: row.id, content: read() });
      saved(after);
      toast(t("edit.saved", { id: row.id }), [[t("forget.undo"), () => restore(row.id, before, saved)]]);
    },
  });
}

/** Puts an earlier content back. */
export async function restore(id, content, saved) {
  try {
    saved(await api.post("/api/viewer/revise", { id, content }));
    toast(t("edit.undone", { id }));
  } catch (error) {
    toast(error.kind === "offline" ? t("error.offline") : error.message);
  }
}

/** Asks for something to remember. */
export function openRemember() {
  const chosen = state.projectId ?? state.projects[0]?.id;
  const options = state.projects.map((project) => h("option", { value: project.id }, project.name));
  const project = h("select", { class: "field" }, options);
  if (chosen) project.value = chosen;
  const text = textArea("", 5);
  const title = textLine("");
  openDialog({
    title: t("remember.title"),
    body: [
      field(t("field.text"), text),
      field(t("field.title"), title),
      field(t("project.label"), project),
      h("p", { class: "dim small" }, t("remember.why")),
    ],
    action: t("remember.save"),
    submit: async () => {
      const { keys, name } = projectOf(Number(project.value)) ?? { keys: [], name: "unknown" };
      const request = { text: text.value, title: title.value, project: { keys, name } };
      const { id } = await api.post("/api/memories", request);
      toast(t("remember.saved", { id }));
    },
  });
  text.focus();
}
