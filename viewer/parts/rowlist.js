// A long list of rows with everything that can be done in it: read on, follow live events, move,
// open, choose, forget, merge.
import { go, hrefWith, onPlace, place } from "../app/router.js";
import { listen } from "../app/signals.js";
import { state } from "../app/state.js";
import { t } from "../i18n/index.js";
import { h, put } from "../ui/dom.js";
import { empty, failed, loading } from "../ui/empty.js";
import { icon } from "../ui/icons.js";
import { VirtualList } from "../ui/list.js";
import { announce } from "../ui/say.js";
import { dayKey, dayName } from "../ui/time.js";
import { DAY_HEIGHT, ROW_HEIGHT, entryLink, usualNotes } from "./entry.js";
import { forget } from "./forget.js";
import { openMerge } from "./merge.js";
import { isPending } from "./pending.js";

/** A session of one turn says what its turn says: one of the two is enough to look at. */
function isTwin(above, entry) {
  return above?.kind === "summary" && entry.kind === "summary" && entry.label === "turn" && above.label === "session"
    && above.session_id === entry.session_id && above.title === entry.title && above.created_at === entry.created_at;
}

/**
 * `page(cursor, signal)` gives `{ entries, next, total }`. `wants(entry)` says whether a new row
 * belongs here; without it the list does not follow. `days` puts headings between days. `nothing()`
 * makes what stands in an empty list.
 */
export class RowList {
  constructor({ label, page, wants, days = true, nothing, notes, onTotal }) {
    Object.assign(this, { page, wants, days, nothing, onTotal });
    this.notes = notes ?? ((entry) => usualNotes(entry, !state.projectId));
    this.entries = [];
    this.made = new Map();
    this.chosen = new Set();
    this.fresh = new Set();
    this.unseen = 0;
    this.list = new VirtualList({
      label,
      render: (item) => this.#element(item),
      key: (item) => item.key,
      height: (item) => (item.type === "day" ? DAY_HEIGHT : ROW_HEIGHT),
      isRow: (item) => item.type === "row",
      near: () => this.more(),
    });
    this.pill = h("button", { class: "button pill", type: "button", hidden: true, on: { click: () => this.#showNew() } });
    this.bar = h("div", { class: "chosen-bar", role: "toolbar", "aria-label": t("choose.n", { n: "" }), hidden: true });
    this.message = h("div", { class: "grow", hidden: true });
    this.element = h("div", { class: "page" }, this.pill, this.message, this.list.element, this.bar);
    this.list.element.addEventListener("scroll", () => this.list.isAtTop() && this.#seen(), { passive: true });
    this.stops = [
      listen("live", (message) => this.take(message)),
      listen("pending", () => this.#rebuild()),
      onPlace(({ before, here }) => this.#mark(before.params.row, here.params.row)),
    ];
  }

  destroy() {
    this.loading?.abort();
    this.stops.forEach((stop) => stop());
    this.list.destroy();
  }

  /**
   * Reads from the beginning. What is shown stays until the answer is there; with `keep`, what was
   * read on from there stays as well, for events tell what became of it.
   */
  async load({ keep = false } = {}) {
    this.loading?.abort();
    this.loading = new AbortController();
    const before = keep ? this.next : undefined;
    this.next = undefined;
    this.busy = false;
    if (!this.entries.length) this.#show(loading());
    await this.#read(true, keep, before);
  }

  /** Reads on. */
  async more() {
    if (!this.next || this.busy) return;
    await this.#read(false);
  }

  async #read(first, keep = false, before = undefined) {
    const { signal } = this.loading;
    this.busy = true;
    try {
      const answer = await this.page(first ? undefined : this.next, signal);
      if (signal.aborted) return;
      const known = new Set(first ? [] : this.entries.map((entry) => entry.id));
      const added = answer.entries.filter((entry) => !known.has(entry.id));
      const rest = keep ? this.#readOnFrom(added) : null;
      this.entries = first ? [...added, ...(rest ?? [])] : [...this.entries, ...added];
      this.next = rest ? before : answer.next;
      this.total = answer.total;
      this.busy = false;
      this.#rebuild();
      // A page may be empty where rows of the kinds asked for are rare.
      if (this.next && !added.length) await this.more();
    } catch (error) {
      if (signal.aborted) return;
      this.busy = false;
      if (first) this.next = before;
      if (!this.entries.length) this.#show(failed(error, () => this.load()));
    }
  }

  /** What was read behind the last of these rows; none where that is not known. */
  #readOnFrom(rows) {
    const last = rows.at(-1)?.id;
    const at = this.entries.findIndex((entry) => entry.id === last);
    if (at < 0 || at + 1 === this.entries.length) return null;
    const read = new Set(rows.map((row) => row.id));
    return this.entries.slice(at + 1).filter((entry) => !read.has(entry.id));
  }

  #show(content) {
    this.message.hidden = !content;
    this.list.element.hidden = Boolean(content);
    if (content) put(this.message, content);
  }

  #rebuild() {
    const items = [];
    let day = null;
    let last = null;
    for (const entry of this.entries) {
      if (isPending(entry.id) || (this.days && isTwin(last, entry))) continue;
      last = entry;
      const key = dayKey(entry.created_at);
      if (this.days && key !== day) {
        day = key;
        items.push(this.#item(`day ${key}`, { type: "day", day: key }));
      }
      items.push(this.#item(entry.id, { type: "row", entry }));
    }
    const any = items.length > 0;
    if (any && this.entries.length > 20) items.push({ type: "more", key: `more ${Boolean(this.next)}` });
    this.#show(any ? null : this.nothing());
    this.list.set(items);
    this.onTotal?.(this.total ?? 0, this.entries.length);
    this.#drawBar();
  }

  /** The same object for what has not changed, so that its element stays. */
  #item(key, made) {
    const known = this.made.get(key);
    if (known && known.entry === made.entry) return known;
    made.key = key;
    this.made.set(key, made);
    return made;
  }

  #element(item) {
    if (item.type === "day") return h("div", { class: "day" }, dayName(item.day));
    if (item.type === "more") return h("div", { class: "more" }, this.next ? t("feed.loading") : t("feed.end"));
    const { entry } = item;
    const chosen = this.chosen.has(entry.id);
    const choose = h("button", { class: "choose", type: "button", tabindex: "-1", "aria-pressed": String(chosen), "aria-label": t("choose.row", { id: entry.id }), on: { click: () => this.#choose(entry.id) } }, icon("check"));
    return [choose, entryLink(entry, {
      current: place().params.row === entry.id,
      chosen,
      fresh: this.fresh.delete(entry.id),
      notes: this.notes(entry),
    })];
  }

  /** A live event. */
  take(message) {
    const gone = message.ids;
    if (gone) {
      const before = this.entries.length;
      this.entries = this.entries.filter((entry) => !gone.includes(entry.id));
      gone.forEach((id) => this.chosen.delete(id));
      if (this.entries.length !== before) {
        this.total = Math.max((this.total ?? before) - (before - this.entries.length), 0);
        this.#rebuild();
      }
      return;
    }
    const { entry } = message;
    if (!entry) return;
    const at = this.entries.findIndex((known) => known.id === entry.id);
    if (at >= 0) {
      const { highlight } = this.entries[at];
      this.entries = this.entries.with(at, { ...entry, highlight: highlight && undefined });
      this.#rebuild();
    } else if (this.wants?.(entry) && message.type !== "row_changed") {
      this.#insert(entry);
    }
  }

  #insert(entry) {
    const at = this.entries.findIndex((known) => known.created_at <= entry.created_at);
    // It belongs behind what was read so far.
    if (at < 0 && this.next) return;
    this.entries = this.entries.toSpliced(at < 0 ? this.entries.length : at, 0, entry);
    this.total = (this.total ?? 0) + 1;
    this.fresh.add(entry.id);
    const atTop = this.list.isAtTop();
    this.#rebuild();
    if (atTop) return;
    this.unseen += 1;
    put(this.pill, icon("up"), t("feed.new", { n: this.unseen }));
    this.pill.hidden = false;
  }

  #showNew() {
    this.list.toTop();
    this.#seen();
  }

  #seen() {
    this.unseen = 0;
    this.pill.hidden = true;
  }

  #mark(before, here) {
    if (before !== here) this.list.refresh(new Set([before, here]));
  }

  // Choosing.

  #choose(id) {
    if (!this.chosen.delete(id)) this.chosen.add(id);
    this.list.refresh(new Set([id]));
    this.#drawBar();
    announce(t("choose.n", { n: this.chosen.size }));
  }

  #clear() {
    const were = new Set(this.chosen);
    this.chosen.clear();
    this.list.refresh(were);
    this.#drawBar();
  }

  #chosenEntries() {
    return this.entries.filter((entry) => this.chosen.has(entry.id) && !isPending(entry.id));
  }

  #drawBar() {
    const n = this.#chosenEntries().length;
    this.bar.hidden = n === 0;
    if (!n) return;
    const button = (name, label, act, extra = "") => h("button", { class: `button ${extra}`, type: "button", on: { click: act } }, icon(name), label);
    put(this.bar,
      h("strong", {}, t("choose.n", { n })),
      button("merge", t("choose.merge"), () => this.#merge()),
      button("forget", t("choose.forget"), () => this.#forgetChosen(), "bad"),
      button("close", t("choose.clear"), () => this.#clear(), "plain"));
  }

  #forgetChosen() {
    const ids = this.#chosenEntries().map((entry) => entry.id);
    this.#clear();
    forget(ids);
  }

  #merge() {
    openMerge(this.#chosenEntries(), () => this.#clear());
  }

  /** What a key means here; whether it was taken. */
  key(meaning) {
    const row = this.list.item()?.entry;
    if (meaning === "down") this.list.move(1);
    else if (meaning === "up") this.list.move(-1);
    else if (meaning === "open" && row) go(hrefWith({ row: row.id }));
    else if (meaning === "choose" && row) this.#choose(row.id);
    else if (meaning === "merge" && this.chosen.size > 1) this.#merge();
    else if (meaning === "forget" && this.chosen.size) this.#forgetChosen();
    else if (meaning === "forget" && row && !place().params.row) forget([row.id]);
    else if (meaning === "close" && this.chosen.size && !place().params.row) this.#clear();
    else return false;
    return true;
  }

  /** What stands where nothing is remembered at all. */
  static nothingAtAll() {
    return empty("memory", t("feed.empty"), t("feed.empty.how"), h("code", {}, "afterword install"));
  }
}
