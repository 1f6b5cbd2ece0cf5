// The steps of EXPLAIN ANALYZE FORMAT=JSON as a tree, each beside a box as wide as its time.
import { h, bytes, number, duration } from "./dom.js";

// tree shows a plan. A step's time has those of the steps below it in it, so that their boxes lie within its own.
export function tree(plan) {
  const root = plan.query_block, whole = Math.max(plan.time_ms || 0, time(root)) || 1, steps = [];
  add(steps, { operation: "The whole statement", actual: { time_ms: plan.time_ms }, inputs: [root] }, 0, whole, 0, ""); // values of its rows are computed above all steps
  return h("div", { class: "plan" }, h("p", { class: "soft" }, "A box is as wide as the step's time, with the steps below it, of " + duration(whole / 1000) + " in all."),
    h("ul", { class: "steps" }, steps));
}

const time = (s) => (s.actual && s.actual.time_ms) || 0;

// add adds a step that begins at a time of the whole, and those below it.
function add(to, s, begin, whole, depth, kind) {
  const a = s.actual || {}, ms = time(s);
  const about = h("div", { class: "about" }, kind && h("span", { class: "soft" }, kind + ": "), h("b", {}, s.operation), h("div", { class: "figures" }, figures(a, ms)), details(s));
  about.style.paddingLeft = Math.min(depth, 12) * 18 + "px";
  to.push(h("li", { class: "step" }, about, h("div", { class: "lane" }, ms > 0 && box(begin, Math.min(ms, whole), whole))));
  for (const [under, of] of [...(s.inputs || []).map((i) => [i, ""]), ...(s.subqueries || []).map((i) => [i, "subquery"])]) {
    add(to, under, begin, whole, depth + 1, of);
    begin += time(under);
  }
}

function box(begin, ms, whole) {
  const e = h("div", { class: "took", "data-ms": ms, title: duration(ms / 1000) });
  e.style.marginLeft = 100 * Math.min(begin, whole - ms) / whole + "%";
  e.style.width = 100 * ms / whole + "%";
  return e;
}

function figures(a, ms) {
  const all = [[a.rows, "rows"], [a.cells, "cells"], [a.seeks, "seeks"], [a.requests, "requests"], [a.partitions, "partitions"]].filter(([n]) => n != null).map(([n, name]) => number(n) + " " + (n === 1 ? name.slice(0, -1) : name));
  if (a.bytes != null) all.push(bytes(a.bytes) + " received");
  if (a.memory_bytes) all.push("at most " + bytes(a.memory_bytes));
  return [h("span", { class: "ms" }, ms ? duration(ms / 1000) : "time in the step above"), ...all.map((f) => h("span", {}, f))];
}

function details(s) {
  const all = Object.entries(s.details || {}).map(([name, value]) => name + ": " + value);
  if (s.table && s.table.access) all.unshift(s.table.access);
  return all.length > 0 && h("details", {}, h("summary", {}, "how"), all.map((d) => h("div", { class: "mono" }, d)));
}
