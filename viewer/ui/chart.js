// Small charts. Each says in words what it shows.
import { t } from "../i18n/index.js";
import { h, s } from "./dom.js";
import { dayShort, number, shortNumber } from "./time.js";

const WIDE = 320;
const HIGH = 120;
const LEFT = 30;
const BOTTOM = 18;
const TOP = 8;

/** A number at or above another that is easy to read. */
function roof(most) {
  if (most <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return [1, 2, 2.5, 5, 10].map((step) => step * power).find((value) => value >= most);
}

function frame({ title, days, values, most, always = false }, marks) {
  const total = values.reduce((sum, value) => sum + value, 0);
  if (total === 0 && !always) return h("p", { class: "nothing dim small" }, t("spend.chart.nothing"));
  const peak = values.indexOf(Math.max(...values));
  const words = { title, from: dayShort(days[0]), to: dayShort(days.at(-1)), total: number(total), most: number(values[peak]), day: dayShort(days[peak]) };
  const said = total > 0 ? t("spend.chart.say", words) : t("spend.chart.none", { title });
  const y = (value) => TOP + (HIGH - TOP - BOTTOM) * (1 - value / most);
  const lines = [0, most / 2, most].map((value) => [
    s("line", { class: "grid", x1: LEFT, x2: WIDE, y1: y(value), y2: y(value) }),
    s("text", { x: LEFT - 5, y: y(value) + 3, "text-anchor": "end" }, shortNumber(value)),
  ]);
  const ends = [
    s("text", { x: LEFT, y: HIGH - 4 }, dayShort(days[0])),
    s("text", { x: WIDE, y: HIGH - 4, "text-anchor": "end" }, dayShort(days.at(-1))),
  ];
  return s("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, role: "img", "aria-label": said }, lines, ends, marks(y));
}

/** Bars by day; `series` are `{ name, style, values }` that stand on each other; `cap` is a line. */
export function bars({ title, days, series, cap }) {
  const sums = days.map((_, at) => series.reduce((sum, one) => sum + one.values[at], 0));
  const highest = Math.max(...sums, 0);
  // A cap far above what is spent would flatten everything.
  const most = roof(cap && cap < highest * 4 ? Math.max(highest, cap) : highest);
  const step = (WIDE - LEFT) / days.length;
  const chart = frame({ title, days, values: sums, most }, (y) => {
    const marks = days.flatMap((day, at) => {
      let below = 0;
      return series.map((one) => {
        const from = y(below);
        below += one.values[at];
        const to = y(below);
        if (from - to < 0.1) return null;
        const bar = s("rect", { class: one.style, x: LEFT + at * step + step * 0.14, y: to, width: step * 0.72, height: from - to, rx: Math.min(1.5, step / 5) });
        bar.append(s("title", {}, `${dayShort(day)}: ${number(one.values[at])} ${one.name}`));
        return bar;
      });
    });
    if (cap && cap <= most) marks.push(s("line", { class: "cap", x1: LEFT, x2: WIDE, y1: y(cap), y2: y(cap) }));
    return marks;
  });
  const names = series.length > 1 && highest > 0 && h("p", { class: "legend" }, series.map((one) => h("span", {}, h("i", { class: one.style }), one.name)));
  return h("figure", { class: "card chart" }, h("h3", {}, title), chart, names);
}

/** A line that grows day by day. */
export function growth({ title, days, values }) {
  const most = roof(Math.max(...values));
  const step = (WIDE - LEFT) / Math.max(days.length - 1, 1);
  const added = values.map((value, at) => (at ? value - values[at - 1] : 0));
  const chart = frame({ title, days, values: added, most, always: values.at(-1) > 0 }, (y) => {
    const line = values.map((value, at) => `${at ? "L" : "M"}${(LEFT + at * step).toFixed(1)} ${y(value).toFixed(1)}`).join("");
    return [s("path", { class: "area", d: `${line}L${WIDE} ${y(0)}L${LEFT} ${y(0)}z` }), s("path", { class: "edge", d: line })];
  });
  return h("figure", { class: "card chart" }, h("h3", {}, title, " ", h("span", { class: "dim number" }, number(values.at(-1)))), chart);
}

/** How much of something is used. */
export function meter(used, of, label, style = "b1") {
  const share = of > 0 ? Math.min(used / of, 1) : 0;
  const bar = s("rect", { class: used > of ? "over" : style, x: 0, y: 0, width: (share * 100).toFixed(2), height: 8 });
  return h("div", { class: "meter" }, s("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", role: "img", "aria-label": label }, bar));
}
