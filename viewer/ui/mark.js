// Texts with what was looked for in them.
import { h } from "./dom.js";

/** Parts as a search gives them: the marked ones stand out. */
export function marked(parts) {
  return parts.map((part) => (part.match ? h("mark", {}, part.text) : part.text));
}
