// Addresses: `#/page?name=value`. The row that is looked at is a part of the address.
import { listen, tell } from "./signals.js";

let here = read();

function read() {
  const text = location.hash.replace(/^#\/?/, "");
  const [page, query = ""] = text.split("?");
  return { page: page || "feed", params: Object.fromEntries(new URLSearchParams(query)) };
}

/** Where we are: `{ page, params }`. */
export function place() {
  return here;
}

/** The address of a page. */
export function href(page, params = {}) {
  const given = Object.entries(params).filter(([, value]) => value != null && value !== "");
  const query = new URLSearchParams(given).toString();
  return `#/${page}${query ? `?${query}` : ""}`;
}

/** The address of this page with other parameters; null takes one away. */
export function hrefWith(changes) {
  return href(here.page, { ...here.params, ...changes });
}

/** Goes to an address; in the place of the one before where `replace`. */
export function go(address, { replace = false } = {}) {
  if (address === location.hash) return;
  if (replace) {
    history.replaceState(null, "", address);
    changed();
  } else {
    location.hash = address;
  }
}

function changed() {
  const before = here;
  here = read();
  tell("place", { before, here });
}

window.addEventListener("hashchange", changed);

/** Calls back whenever the address changes. */
export function onPlace(listener) {
  return listen("place", listener);
}
