// Making one row of several.
import { t } from "../i18n/index.js";
import { api } from "../net/api.js";
import { field, openDialog, textArea, textLine } from "../ui/dialog.js";
import { h } from "../ui/dom.js";
import { toast } from "../ui/say.js";
import { later } from "./pending.js";

/** Asks which row stays and what it says; merging begins after a while in which it can be undone. */
export async function openMerge(entries, begun) {
  const kinds = new Set(entries.map((entry) => entry.kind));
  const projects = new Set(entries.map((entry) => entry.project_id));
  const [kind] = kinds;
  if (entries.length < 2 || kinds.size > 1 || projects.size > 1 || !["observation", "memory"].includes(kind)) {
    toast(t("choose.same"));
    return;
  }
  let rows;
  try {
    rows = (await api.post("/api/rows", { ids: entries.map((entry) => entry.id) })).rows;
  } catch (error) {
    toast(t("merge.failed", { why: error.message }));
    return;
  }
  // The oldest one has been known for longest.
  rows.sort((a, b) => a.created_at.localeCompare(b.created_at));
  const into = h("select", { class: "field" }, rows.map((row) => h("option", { value: row.id }, `${row.id} · ${row.title}`)));
  const title = textLine(rows[0].title);
  const told = rows.map((row) => (kind === "memory" ? row.text : row.fields.narrative || row.title));
  const text = textArea([...new Set(told.map((part) => part.trim()).filter(Boolean))].join("\n"), 6);
  openDialog({
    title: t("merge.title", { n: rows.length }),
    body: [
      h("p", { class: "dim small" }, t("merge.why")),
      field(t("merge.into"), into),
      field(t("field.title"), title),
      field(kind === "memory" ? t("field.text") : t("field.narrative"), text),
    ],
    action: t("merge.save"),
    submit: async () => {
      const stays = into.value;
      const others = rows.filter((row) => row.id !== stays);
      const content = kind === "memory"
        ? { title: title.value, text: text.value, files: union(rows.map((row) => row.files)) }
        : { observation: joined(rows, stays, title.value, text.value) };
      begun();
      later({
        ids: others.map((row) => row.id),
        say: t("merge.soon", { n: rows.length, id: stays }),
        commit: (options) => api.post("/api/viewer/merge", { into: stays, ids: others.map((row) => row.id), content }, options),
        done: () => toast(t("merge.done", { id: stays })),
        failed: (why) => toast(t("merge.failed", { why })),
      });
    },
  });
}

function union(lists) {
  return [...new Set(lists.flat())];
}

function joined(rows, stays, title, narrative) {
  const all = (name) => union(rows.map((row) => row.fields[name] ?? []));
  const { type, subtitle } = rows.find((row) => row.id === stays).fields;
  const files_modified = all("files_modified");
  const files_read = all("files_read").filter((file) => !files_modified.includes(file));
  return { type, title, subtitle, narrative, facts: all("facts"), concepts: all("concepts"), files_read, files_modified };
}
