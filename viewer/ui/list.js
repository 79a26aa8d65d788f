// A list of any length, of which only what is seen stands in the page.
import { h } from "./dom.js";

/** Items above and below what is seen that stand ready. */
const READY = 8;
/** Items from the end at which more is asked for. */
const NEAR = 40;

/**
 * `render(item)` makes the element of an item, `key(item)` names it, `height(item)` is its height in
 * pixels, `isRow(item)` says whether one can move to it. `near()` is called close to the end.
 */
export class VirtualList {
  constructor({ label, render, key, height, isRow, near, open }) {
    Object.assign(this, { render, key, height, isRow, near, open });
    this.items = [];
    this.offsets = [0];
    this.places = new Map();
    this.slots = new Map();
    this.current = null;
    this.space = h("ul", { class: "space", role: "list", "aria-label": label });
    this.element = h("div", { class: "scroll list" }, this.space);
    this.element.addEventListener("scroll", () => this.#later(), { passive: true });
    this.space.addEventListener("focusin", (event) => this.#focused(event));
    this.resized = new ResizeObserver(() => this.#later());
    this.resized.observe(this.element);
  }

  destroy() {
    this.resized.disconnect();
    cancelAnimationFrame(this.frame);
  }

  /** Puts other items in place of those there are. What is seen stays where it is. */
  set(items) {
    const anchor = this.element.scrollTop > 4 ? this.#firstSeen() : null;
    const focused = this.#held() != null;
    const stood = this.places.get(this.current);
    this.items = items;
    this.offsets = [0];
    this.places = new Map();
    items.forEach((item, at) => {
      this.places.set(this.key(item), at);
      this.offsets.push(this.offsets[at] + this.height(item));
    });
    this.space.style.height = `${this.offsets.at(-1)}px`;
    const place = anchor && this.places.get(anchor.key);
    if (place != null) this.element.scrollTop = this.offsets[place] + anchor.shift;
    if (this.current != null && !this.places.has(this.current)) {
      // Who was on a row that has gone is on the one that took its place.
      this.current = this.#rowNear(stood);
      if (focused) this.refocus = this.current;
    }
    this.#draw();
  }

  /** The key of the row at a place, or of the next one, or of the last before it. */
  #rowNear(place) {
    const isRow = (item) => this.isRow(item);
    const found = this.items.slice(place).find(isRow) ?? this.items.slice(0, place).findLast(isRow);
    return found ? this.key(found) : null;
  }

  /** Makes the elements of some items anew: of all where none are named. */
  refresh(keys) {
    for (const [key, slot] of this.slots) {
      if (keys && !keys.has(key)) continue;
      const focused = slot.element.contains(document.activeElement);
      slot.element.remove();
      this.slots.delete(key);
      if (focused) this.refocus = key;
    }
    this.#draw();
  }

  #firstSeen() {
    const at = this.#at(this.element.scrollTop);
    const item = this.items[at];
    return item && { key: this.key(item), shift: this.element.scrollTop - this.offsets[at] };
  }

  /** The place of the item at a height. */
  #at(top) {
    let low = 0;
    let high = this.items.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.offsets[middle] <= top) low = middle;
      else high = middle - 1;
    }
    return Math.max(low, 0);
  }

  #later() {
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      this.#draw();
    });
  }

  #draw() {
    const { scrollTop, clientHeight } = this.element;
    const from = Math.max(this.#at(scrollTop) - READY, 0);
    const to = Math.min(this.#at(scrollTop + clientHeight) + READY, this.items.length - 1);
    const wanted = [];
    for (let at = from; at <= to; at += 1) wanted.push(at);
    // Who is on a row stays on it, wherever it has been scrolled to.
    const held = this.#held();
    if (held != null && (held < from || held > to)) wanted.push(held);
    wanted.sort((a, b) => a - b);
    const keys = new Set(wanted.map((at) => this.key(this.items[at])));
    for (const [key, slot] of this.slots) {
      if (!keys.has(key)) {
        slot.element.remove();
        this.slots.delete(key);
      }
    }
    const slots = wanted.map((at) => this.#slot(at));
    let before = this.space.firstElementChild;
    for (const slot of slots) {
      if (slot === before) before = before.nextElementSibling;
      else this.space.insertBefore(slot, before);
    }
    this.#rove();
    if (this.refocus != null) {
      this.slots.get(this.refocus)?.element.querySelector("a")?.focus({ preventScroll: true });
      this.refocus = null;
    }
    if (to >= this.items.length - NEAR) this.near?.();
  }

  #held() {
    const slot = document.activeElement?.closest?.("li");
    return slot && slot.parentElement === this.space ? this.places.get(slot.dataset.key) : null;
  }

  #slot(at) {
    const item = this.items[at];
    const key = this.key(item);
    let slot = this.slots.get(key);
    if (!slot || slot.item !== item) {
      const focused = slot?.element.contains(document.activeElement);
      const element = h("li", { class: "slot", data: { key } }, this.render(item));
      slot?.element.replaceWith(element);
      slot = { item, element };
      this.slots.set(key, slot);
      if (focused) this.refocus = key;
    }
    slot.element.style.transform = `translateY(${this.offsets[at]}px)`;
    slot.element.setAttribute("aria-setsize", this.items.length);
    slot.element.setAttribute("aria-posinset", at + 1);
    return slot.element;
  }

  /** One row at a time is reached by Tab. */
  #rove() {
    let reachable = this.current;
    if (reachable == null || !this.slots.has(reachable)) {
      const first = this.items[this.#at(this.element.scrollTop)];
      const seen = [...this.slots.keys()].find((key) => this.isRow(this.items[this.places.get(key)]));
      reachable = first && this.isRow(first) ? this.key(first) : seen;
    }
    for (const [key, { element }] of this.slots) {
      element.querySelector("a")?.setAttribute("tabindex", key === reachable ? "0" : "-1");
    }
  }

  #focused(event) {
    const slot = event.target.closest("li");
    if (slot) this.current = slot.dataset.key;
    this.#rove();
  }

  /** The item that one is on. */
  item() {
    const at = this.current == null ? null : this.places?.get(this.current);
    return at == null ? null : this.items[at];
  }

  /** Moves to the next row, or the one before, from where one is or from the first that is seen. */
  move(step) {
    let at = this.current == null ? null : this.places.get(this.current);
    if (at == null) at = this.#at(this.element.scrollTop) - (step > 0 ? 1 : -1) * (this.isRow(this.items[this.#at(this.element.scrollTop)] ?? {}) ? 1 : 0);
    do at += step;
    while (this.items[at] && !this.isRow(this.items[at]));
    if (this.items[at]) this.goTo(this.key(this.items[at]));
  }

  /** Moves to a row; where it has gone, to the one that took its place. */
  goTo(wanted) {
    const key = this.places.has(wanted) ? wanted : this.current;
    const at = this.places.get(key);
    if (at == null) return;
    this.current = key;
    const [top, bottom] = [this.offsets[at], this.offsets[at + 1]];
    const view = this.element;
    if (top < view.scrollTop + 40) view.scrollTop = top - 40;
    else if (bottom > view.scrollTop + view.clientHeight - 8) view.scrollTop = bottom - view.clientHeight + 8;
    this.#draw();
    this.slots.get(key)?.element.querySelector("a")?.focus({ preventScroll: true });
  }

  toTop() {
    this.element.scrollTop = 0;
    this.#draw();
  }

  isAtTop() {
    return this.element.scrollTop < 60;
  }
}
