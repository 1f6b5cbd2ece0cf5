import { h, fill, say, bytes, number, short, printable, fromBase64, choice, literal, table } from "./dom.js";
import { ask, state, rows } from "./api.js";
import { prepare, heat, colour } from "./chart.js";
import { go } from "./app.js";

const measures = { reads: ["Reads", (c) => c[2], short], writes: ["Writes", (c) => c[3], short], both: ["Reads and writes", (c) => c[2] + c[3], short],
  readBytes: ["Bytes read", (c) => c[4], bytes], writtenBytes: ["Bytes written", (c) => c[5], bytes] };
const spans = [["900000", "15 minutes"], ["3600000", "an hour"], ["21600000", "6 hours"], ["86400000", "a day"], ["604800000", "a week"]];

export async function show(main, parameters, signal) {
  let map = null, measure = parameters.get("measure") || "both", span = parameters.get("span") || "3600000", only = parameters.get("table") || "";
  let zoom = null, drag = null, cursor = null, spots = [];
  const canvas = h("canvas", { id: "heat", tabindex: 0, role: "img" });
  const tip = h("div", { class: "tip", hidden: true, role: "status" });
  const about = h("p", { class: "soft" }), hot = h("section", { "aria-label": "Hot spots" });
  const out = h("button", { id: "zoom-out", hidden: true, onclick: () => { zoom = null; draw(); } }, "Zoom out");
  const filter = h("input", { placeholder: "database.table", value: only, size: 22, list: "heat-tables", onchange: () => { only = filter.value.trim(); load(); } });
  const known = h("datalist", { id: "heat-tables" });
  fill(main, h("h1", {}, "Keys over time"), h("div", { class: "bar" },
    choice("Show", Object.entries(measures).map(([k, v]) => [k, v[0]]), measure, (v) => { measure = v; draw(); }),
    choice("of the last", spans, span, (v) => { span = v; zoom = null; load(); }), h("label", {}, "of", filter, known), out),
  about, h("div", { class: "panel map" }, canvas, tip), hot);

  async function load() {
    const [database, ...name] = only.split(".");
    try {
      map = await ask("keys", { from: Date.now() - Number(span), to: 0, database: only ? database : "", table: name.join(".") }, signal);
      map.rows.forEach((r, i) => { r.cut = together(r, map.rows[i - 1]) || together(r, map.rows[i + 1]); }); // a range within a partition
      draw();
    } catch (e) { if (!signal.aborted) about.textContent = e.message; }
  }

  // cut gives the shown part: rows and columns from and to.
  const cut = () => zoom || { r0: 0, r1: map.rows.length, c0: 0, c1: map.times.length };
  const geometry = () => { const z = cut(), w = canvas.clientWidth, left = Math.min(190, w * 0.28), height = Math.max(220, Math.min(560, (z.r1 - z.r0) * 18 + 30));
    return { z, left, right: w - 4, top: 4, bottom: height - 22, height }; };

  function draw() {
    if (!map) return;
    out.hidden = !zoom;
    if (known.childElementCount === 0) fill(known, [...new Set(map.rows.map((r) => r.database + "." + r.table))].map((t) => h("option", { value: t })));
    about.textContent = !map.counted ? "This store does not count what is asked of its partitions."
      : !map.rows.length ? "Nothing has been read or written in this time, of tables that you may read" + (map.begun ? ", since recording began at " + new Date(map.begun).toLocaleTimeString() + "." : ".")
        : map.rows.length + " ranges, a column is " + Math.round(map.step / 60000) + " min, recorded since " + new Date(map.begun).toLocaleString() + ". Bytes are cells times the mean size of a cell of the partition. Drag to zoom.";
    const { z, left, right, top, bottom, height } = geometry(), [g] = prepare(canvas, height), of = measures[measure][1];
    const cells = map.cells.filter((c) => c[0] >= z.r0 && c[0] < z.r1 && c[1] >= z.c0 && c[1] < z.c1);
    const most = Math.max(1, ...cells.map(of)), cw = (right - left) / Math.max(1, z.c1 - z.c0), ch = (bottom - top) / Math.max(1, z.r1 - z.r0);
    g.fillStyle = heat(0); g.fillRect(left, top, right - left, bottom - top);
    for (const c of cells) {
      const v = of(c);
      if (!v) continue;
      g.fillStyle = heat(0.12 + 0.88 * Math.log1p(v) / Math.log1p(most));
      g.fillRect(left + (c[1] - z.c0) * cw, top + (c[0] - z.r0) * ch, Math.max(cw, 1.5) + 0.4, Math.max(ch, 1) - (ch > 6 ? 1 : 0));
    }
    g.fillStyle = colour("soft"); g.textAlign = "right";
    let last = -20;
    for (let r = z.r0; r < z.r1; r++) {
      const y = top + (r - z.r0 + 0.5) * ch;
      if (y - last < 13) continue;
      last = y;
      g.fillText(fit(g, label(map.rows[r]), left - 8), left - 6, y + 4);
    }
    g.textAlign = "left"; g.fillText(clock(map.times[z.c0]), left, height - 6);
    g.textAlign = "right"; g.fillText(clock(map.times[z.c1 - 1] + map.step), right, height - 6);
    canvas.setAttribute("aria-label", "Heat map of " + map.rows.length + " key ranges over time; arrows move over it, and the hot spots are listed below");
    showSpots(of);
  }

  // showSpots lists the ranges that have had the most in the newest columns.
  function showSpots(of) {
    const from = Math.max(0, map.times.length - Math.max(2, Math.ceil(300000 / map.step))), sums = new Map();
    let all = 0;
    for (const c of map.cells) if (c[1] >= from) {
      all += of(c);
      const s = sums.get(c[0]) || [0, 0, 0];
      sums.set(c[0], [s[0] + of(c), s[1] + c[2], s[2] + c[3]]);
    }
    spots = [...sums].filter(([, s]) => s[0] > 0).sort((a, b) => b[1][0] - a[1][0]).slice(0, 6);
    const next = spots.length ? [h("h2", {}, "Hot spots of the last minutes"), table([
      { name: "Range", of: ([r]) => label(map.rows[r]) }, { name: "From", mono: true, of: ([r]) => bound(map.rows[r].start, "the first key") },
      { name: "To", mono: true, of: ([r]) => bound(map.rows[r].end, "the last key") }, { name: "Share", n: true, of: ([, s]) => (100 * s[0] / all).toFixed(0) + " %" },
      { name: "By", of: ([r, s]) => askers(map, map.rows[r], s) },
      { name: "", of: ([r]) => h("span", { class: "time" }, h("button", { class: "small advise", onclick: (e) => advise(map.rows[r], e.target) }, "Advise"),
        h("button", { class: "small", onclick: () => go("tables", { database: map.rows[r].database, table: map.rows[r].table }) }, "Table"),
        h("button", { class: "small", onclick: () => go("rows", { database: map.rows[r].database, table: map.rows[r].table, from: map.rows[r].start || "" }) }, "Rows")) },
    ], spots, { label: "Hot spots", row: ([r]) => ({ "data-table": map.rows[r].table, "data-partition": map.rows[r].partition }) })] : [];
    const kept = hot.querySelector(".advice");
    fill(hot, next, kept);
  }

  async function advise(range, button) {
    button.disabled = true;
    try {
      const a = await ask("advise", { database: range.database, table: range.table }, signal);
      const running = state.session.process ? await rows("SELECT ID, INFO FROM information_schema.PROCESSLIST WHERE INFO LIKE " + literal(new TextEncoder().encode("%" + range.table.replace(/[%_\\]/g, "\\$&") + "%")), { rows: 20 }).catch(() => []) : [];
      const old = hot.querySelector(".advice");
      if (old) old.remove();
      hot.append(h("div", { class: "panel advice" }, h("h2", {}, "What hbasekv advise says of " + range.database + "." + range.table),
        a.warnings.length ? h("ul", {}, a.warnings.map((w) => h("li", {}, w))) : h("p", {}, "Nothing to change."),
        running.length > 1 && h("div", {}, h("p", { class: "soft" }, "Running now:"), running.map((r) => h("pre", {}, String(r[1] || "")))),
        h("details", {}, h("summary", {}, "The whole report"), h("pre", {}, a.report))));
    } catch (e) { say(e.message); }
    button.disabled = false;
  }

  function at(e) {
    const box = canvas.getBoundingClientRect(), { z, left, right, top, bottom } = geometry(), x = e.clientX - box.left, y = e.clientY - box.top;
    if (!map || !map.rows.length || x < left || x > right || y < top || y > bottom) return null;
    return { x, y, r: Math.min(z.r1 - 1, z.r0 + Math.floor((y - top) / (bottom - top) * (z.r1 - z.r0))), c: Math.min(z.c1 - 1, z.c0 + Math.floor((x - left) / (right - left) * (z.c1 - z.c0))) };
  }
  canvas.addEventListener("pointermove", (e) => { cursor = null; point(at(e)); });
  function point(p) {
    tip.hidden = !p;
    if (!p) return;
    const row = map.rows[p.r], c = map.cells.find((c) => c[0] === p.r && c[1] === p.c) || [0, 0, 0, 0, 0, 0];
    fill(tip, h("b", {}, label(row)), h("div", {}, bound(row.start, "the first key") + " … " + bound(row.end, "the last key")), h("div", {}, clock(map.times[p.c])),
      h("div", {}, number(c[2]) + " cells read, " + bytes(c[4])), h("div", {}, number(c[3]) + " written, " + bytes(c[5])));
    tip.style.left = Math.max(0, Math.min(p.x + 16, canvas.clientWidth - 220)) + "px";
    tip.style.top = p.y + 16 + "px";
  }

  // The arrows move a cursor over the map, which Enter zooms in around.
  const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  function walk(key) {
    const { z, left, right, top, bottom } = geometry(), [dr, dc] = steps[key], within = (n, from, to) => Math.max(from, Math.min(to - 1, n));
    cursor = cursor ? [within(cursor[0] + dr, z.r0, z.r1), within(cursor[1] + dc, z.c0, z.c1)] : [z.r0, z.c1 - 1];
    const [r, c] = cursor;
    point({ r, c, x: left + (c - z.c0 + 0.5) / (z.c1 - z.c0) * (right - left), y: top + (r - z.r0 + 0.5) / (z.r1 - z.r0) * (bottom - top) });
  }
  function approach() {
    const z = cut(), half = (from, to, at, least) => { const n = Math.max(Math.min(least, to - from), Math.ceil((to - from) / 2)), begin = Math.max(from, Math.min(to - n, at - (n >> 1))); return [begin, begin + n]; };
    const [r0, r1] = half(z.r0, z.r1, cursor[0], 1), [c0, c1] = half(z.c0, z.c1, cursor[1], 5);
    zoom = { r0, r1, c0, c1 };
    draw();
  }
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("pointerdown", (e) => { drag = at(e); });
  canvas.addEventListener("pointerup", (e) => {
    const to = at(e);
    if (drag && to && (Math.abs(to.x - drag.x) > 8 || Math.abs(to.y - drag.y) > 8)) {
      zoom = { r0: Math.min(drag.r, to.r), r1: Math.max(drag.r, to.r) + 1, c0: Math.min(drag.c, to.c), c1: Math.max(drag.c, to.c) + 1 };
      draw();
    }
    drag = null;
  });
  canvas.addEventListener("keydown", (e) => {
    if (!map || !map.rows.length) return;
    if (steps[e.key]) { e.preventDefault(); walk(e.key); }
    else if (e.key === "Enter" && cursor) approach();
    else if (e.key === "Escape") { tip.hidden = true; cursor = null; if (zoom) { zoom = null; draw(); } }
  });
  canvas.addEventListener("blur", () => { tip.hidden = true; cursor = null; });
  addEventListener("resize", draw, { signal });
  await load();
  const timer = setInterval(() => { if (!zoom && !cursor) load(); }, 5000);
  signal.addEventListener("abort", () => clearInterval(timer));
}

// askers are the statements that ask for a range, so far as the store tells.
function askers(map, row, [, reads, writes]) {
  if (!map.sampled) return (reads > writes * 3 ? "reads" : writes > reads * 3 ? "writes" : "reads and writes") + "; this store does not tell whose";
  if (!row.by.length) return "too few to tell";
  return h("ul", { class: "askers" }, row.by.slice(0, 3).map((b) => h("li", {}, (100 * b.share).toFixed(0) + " % ", h("b", {}, (b.kind || "no statement").replaceAll("_", " ").toUpperCase()),
    b.shape && h("code", { title: b.shape }, " " + b.shape))));
}

const label = (r) => r.table + (r.partition ? " · " + r.partition : "") + (r.cut ? " " + bound(r.start, "…") : "");
const together = (a, b) => !!a && !!b && a.database === b.database && a.table === b.table && a.partition === b.partition;
const bound = (b, open) => b ? printable(fromBase64(b)).slice(0, 60) : open;
const clock = (ms) => new Date(ms).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });

function fit(g, text, width) {
  if (g.measureText(text).width <= width) return text;
  let n = text.length;
  while (n > 1 && g.measureText(text.slice(0, n) + "…").width > width) n--;
  return text.slice(0, n) + "…";
}
