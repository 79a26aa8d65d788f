// One row of a list.
import { hrefWith } from "../app/router.js";
import { h } from "../ui/dom.js";
import { rowIcon } from "../ui/icons.js";
import { clock, full } from "../ui/time.js";
import { marked } from "../ui/mark.js";
import { wordOf } from "./words.js";

/** Pixels of a row and of a day's heading, as in list.css. */
export const ROW_HEIGHT = 58;
export const DAY_HEIGHT = 38;

/** The link of a row. `notes` are the small lines at its end. */
export function entryLink(entry, { current, chosen, fresh, notes }) {
  const title = entry.highlight?.title?.length ? marked(entry.highlight.title) : entry.title || "—";
  const snippet = entry.highlight?.snippet?.length ? marked(entry.highlight.snippet) : entry.snippet;
  const under = [
    h("span", { class: "word" }, wordOf(entry)), " · ", h("span", { class: "mono" }, entry.id),
    snippet?.length ? [" · ", snippet] : null,
  ];
  return h("a", {
    class: `entry${fresh ? " fresh" : ""}`,
    href: hrefWith({ row: entry.id }),
    "aria-current": current ? "true" : null,
    data: { chosen, row: entry.id },
    title: full(entry.created_at),
  },
  h("span", { class: "kind" }, rowIcon(entry.kind, entry.label)),
  h("span", { class: "lines" }, h("span", { class: "title", dir: "auto" }, title), h("span", { class: "under" }, under)),
  h("span", { class: "side-notes" }, notes.map((note) => h("span", {}, note))));
}

/** The usual notes: when, and where it belongs unless that is plain. */
export function usualNotes(entry, withProject) {
  return [clock(entry.created_at), withProject ? entry.project : null].filter(Boolean);
}
