// Which transactions wait for which: a graph, and the same as a table.
import { h, fill, table, number } from "./dom.js";
import { rows, state } from "./api.js";

const svg = (tag, attributes, ...children) => {
  const e = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) e.setAttribute(name, value);
  e.append(...children);
  return e;
};
const maxDrawn = 60; // transactions

// waits shows the open transactions and who waits for whom.
export async function waits(into, signal) {
  const title = h("h2", {}, "Transactions and locks");
  if (!state.session.process) { fill(into, title, h("p", { class: "soft" }, "Transactions and locks are shown to accounts with the privilege PROCESS.")); return; }
  const [open, edges] = await Promise.all([
    rows("SELECT trx_id, trx_state, trx_started, trx_wait_started, trx_mysql_thread_id, trx_rows_locked, trx_rows_modified, trx_query FROM information_schema.INNODB_TRX ORDER BY trx_wait_started IS NULL, trx_started", { signal, rows: 200 }),
    rows("SELECT requesting_trx_id, blocking_trx_id FROM information_schema.INNODB_LOCK_WAITS", { signal, rows: 1000 })]);
  const of = new Map(open.map((t) => [t[0], t])), known = edges.filter(([a, b]) => of.has(a) && of.has(b));
  fill(into, title, !state.session.locks && h("p", { class: "soft" }, "This store has no row locks, so nobody waits for one: of two writers of a row, the one that finishes later fails and may try again."),
    known.length > 0 && [h("div", { class: "scroll graph" }, graph(of, known)), table([{ name: "Session", n: true, of: ([a]) => of.get(a)[4] }, { name: "waits for session", n: true, of: ([, b]) => of.get(b)[4] },
      { name: "since", of: ([a]) => of.get(a)[3] }, { name: "with", mono: true, of: ([a]) => of.get(a)[7] || "" }, { name: "while that one", mono: true, of: ([, b]) => doing(of.get(b)) }], known, { label: "Who waits for whom" })],
    open.length ? table(["Transaction", "State", "Since", "Waits since", "Session", "Rows locked", "Rows changed", "Statement"].map((name, i) => ({ name, n: i > 3 && i < 7, mono: i === 7 })), open, { label: "Transactions" })
      : h("p", { class: "soft" }, "No transaction is open."));
}

const doing = (t) => (t[1] === "LOCK WAIT" ? "waits itself" : t[7] ? "runs " + t[7] : "runs nothing");

// depths are how many others a transaction waits behind: those that wait for nobody are at 0. There is no circle, which
// would be a deadlock; one that a transaction closes while this is read ends at the number of transactions.
function depths(names, edges) {
  const depth = new Map(names.map((n) => [n, 0]));
  for (let round = 0; round < names.length; round++) {
    let moved = false;
    for (const [a, b] of edges) if (depth.get(a) <= depth.get(b) && depth.get(b) < names.length) { depth.set(a, depth.get(b) + 1); moved = true; }
    if (!moved) break;
  }
  return depth;
}

// graph draws the transactions that wait, or are waited for, in columns: an arrow leads from the one that waits.
function graph(of, all) {
  const names = [...new Set(all.flat())].slice(0, maxDrawn), edges = all.filter(([a, b]) => names.includes(a) && names.includes(b));
  const depth = depths(names, edges), wide = 196, high = 44, gap = 60, at = new Map(), filled = [];
  for (const n of names) {
    const column = depth.get(n), row = filled[column] || 0;
    filled[column] = row + 1;
    at.set(n, [column * (wide + gap), row * (high + 16)]);
  }
  const width = Math.max(...[...at.values()].map(([x]) => x)) + wide + 4, height = Math.max(...[...at.values()].map(([, y]) => y)) + high + 4;
  const text = edges.map(([a, b]) => "session " + of.get(a)[4] + " waits for session " + of.get(b)[4]).join("; ");
  return svg("svg", { class: "locks", role: "img", "aria-label": "Lock waits: " + text, viewBox: "-2 -2 " + width + " " + height, width, height },
    svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 8, refY: 4, markerWidth: 8, markerHeight: 8, orient: "auto" }, svg("path", { d: "M0 0 8 4 0 8z" }))),
    ...edges.map(([a, b]) => arrow(a, b, at.get(a), at.get(b), wide, high)), ...names.map((n) => node(of.get(n), at.get(n), wide, high)));
}

function arrow(a, b, [x1, y1], [x2, y2], wide, high) {
  const fromX = x1, toX = x2 + wide, y = y1 + high / 2, to = y2 + high / 2, bend = (fromX + toX) / 2;
  return svg("path", { class: "wait", "data-waiter": a, "data-holder": b, "marker-end": "url(#arrow)", d: "M" + fromX + " " + y + "C" + bend + " " + y + " " + bend + " " + to + " " + toX + " " + to });
}

function node(t, [x, y], wide, high) {
  const held = number(Number(t[5])) + (Number(t[5]) === 1 ? " row locked" : " rows locked"), what = String(t[7] || "runs nothing");
  return svg("g", { class: t[1] === "LOCK WAIT" ? "waits" : "holds", "data-session": t[4], transform: "translate(" + x + " " + y + ")" }, svg("title", {}, what),
    svg("rect", { width: wide, height: high, rx: 6 }), svg("text", { x: 9, y: 18 }, "Session " + t[4] + " · " + held), svg("text", { x: 9, y: 35, class: "what" }, what.length > 24 ? what.slice(0, 23) + "…" : what));
}
