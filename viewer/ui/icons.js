// Small drawings, one path each on a grid of 16.
import { s } from "./dom.js";

const PATHS = {
  feed: "M2.5 4h11M2.5 8h11M2.5 12h7",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.7 10.7 14 14",
  timeline: "M4 2v12M4 4.5h5M4 8h8.5M4 11.5h6.5",
  next: "M2.5 8h9M8 4.5 11.5 8 8 11.5M14 3v10",
  health: "M1.5 8.5h3l1.7-5 3.2 9 1.8-4h3.3",
  spend: "M3 13.5V9M6.4 13.5V5M9.7 13.5V7.5M13 13.5V2.5",
  settings: "M2.5 4.5h6M11.5 4.5h2M10 3v3M2.5 11.5h2M7.5 11.5h6M6 10v3",
  prompt: "M2.5 3.5h11v7.5h-6L4.5 13.5V11h-2z",
  observation: "M1.5 8s2.4-4.5 6.5-4.5S14.5 8 14.5 8 12.1 12.5 8 12.5 1.5 8 1.5 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z",
  summary: "M3.5 2h9v12h-9zM6 5.2h4M6 8h4M6 10.8h2.5",
  memory: "M4.5 2h7v12L8 11.2 4.5 14z",
  snapshot: "M2 5h3l1-1.7h4L11 5h3v8H2zM8 11a2.2 2.2 0 1 0 0-4.4A2.2 2.2 0 0 0 8 11z",
  decision: "M8 2v12M3 13.9h10M3 4.5h10M3 4.5 1.4 9h3.2zM13 4.5 11.4 9h3.2z",
  bugfix: "M8 14a3.5 3.5 0 0 0 3.5-3.5v-3a3.5 3.5 0 1 0-7 0v3A3.5 3.5 0 0 0 8 14zM8 8v6M4.5 9H2M14 9h-2.5M4.8 12 3 13.5M11.2 12l1.8 1.5M5 6 3.3 4.5M11 6l1.7-1.5",
  feature: "M8 2l1.6 4.4L14 8l-4.4 1.6L8 14l-1.6-4.4L2 8l4.4-1.6z",
  refactor: "M3 6.5a5 5 0 0 1 9-1.5M13 2.5V5.5h-3M13 9.5a5 5 0 0 1-9 1.5M3 13.5v-3h3",
  change: "M10.5 2.5l3 3L6 13H3v-3z",
  discovery: "M8 10.5a4 4 0 1 0-2.5-.9V12h5V9.6A4 4 0 0 0 8 10.5zM6 14h4",
  session: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5",
  branch: "M4.5 5.5v5M4.5 5.5a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM4.5 13.9a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM11.5 5.5a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4zM11.5 5.5c0 3-3 3-7 5",
  close: "M4 4l8 8M12 4l-8 8",
  back: "M13 8H3M7 4 3 8l4 4",
  edit: "M10.5 2.5l3 3L6 13H3v-3z",
  forget: "M2.5 4h11M6 4V2.5h4V4M4 4l.7 9.5h6.6L12 4M6.6 6.8v4M9.4 6.8v4",
  merge: "M4 2.5v3C4 8 8 8 8 10.5v3M12 2.5v3C12 8 8 8 8 10.5M6 12l2 2 2-2",
  copy: "M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3",
  plus: "M8 3v10M3 8h10",
  check: "M3 8.5 6.5 12 13 4.5",
  warn: "M8 2.2 14.5 13.5h-13zM8 6.5v3.2M8 11.6v.2",
  offline: "M2 2l12 12M4.6 6.6A6.5 6.5 0 0 1 6.6 5.4M1.8 5.4a10 10 0 0 1 2-1.4M8 4.6a8.4 8.4 0 0 1 6.2.8M11.4 6.6a6.4 6.4 0 0 0-1.6-1M6 9.3a3 3 0 0 1 2-.8M8 12.2v.1",
  theme: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 2v12M8 4.5h3.6M8 8h6M8 11.5h3.6",
  language: "M2 4h6.5M5.2 2.5V4M7 4c-.5 3-2.2 5-4.8 6.2M3.7 6c.8 1.8 2 3.2 3.8 4M8.2 13.8l2.8-7 2.8 7M9.2 11.5h3.7",
  help: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM6.2 6.2a1.9 1.9 0 1 1 2.6 1.7c-.6.3-.8.6-.8 1.3M8 11.2v.2",
  up: "M8 13V3M4 7l4-4 4 4",
  down: "M4 6l4 4 4-4",
  pause: "M5.5 3v10M10.5 3v10",
  out: "M9.5 2.5h4v11h-4M2.5 8h7M6.5 4.5 10 8l-3.5 3.5",
  history: "M2.5 8a5.5 5.5 0 1 0 1.6-3.9L2.5 5.7M2.5 2.5v3.2h3.2M8 5v3.2l2 1.3",
};

/** A drawing that says nothing by itself. */
export function icon(name, extra = "") {
  const path = s("path", { d: PATHS[name] ?? PATHS.observation, fill: "none", stroke: "currentColor", "stroke-width": "1.4", "stroke-linecap": "round", "stroke-linejoin": "round" });
  return s("svg", { class: `icon ${extra}`.trim(), viewBox: "0 0 16 16", "aria-hidden": "true", focusable: "false" }, path);
}

/** The drawing of a row, in the colour of what it is. */
export function rowIcon(kind, label) {
  const typed = kind === "observation" && label in PATHS;
  const known = /^[a-z]+$/.test(label ?? "") ? label : "";
  return icon(typed ? label : kind, `k-${kind}${known ? ` t-${known}` : ""}`);
}

/** The mark of the program. */
export function seal() {
  const box = s("rect", { x: "1", y: "1", width: "30", height: "30", rx: "7", fill: "#a33a28" });
  const sign = s("path", { d: "M9 8.5h14M9 8.5v9.2c0 2.6-.8 4.6-2 6.3M13 14h10M13.5 18.5h8.5v5.5h-8.5z", fill: "none", stroke: "#fff", "stroke-width": "2.3", "stroke-linecap": "round", "stroke-linejoin": "round" });
  return s("svg", { class: "seal", viewBox: "0 0 32 32", "aria-hidden": "true" }, box, sign);
}
