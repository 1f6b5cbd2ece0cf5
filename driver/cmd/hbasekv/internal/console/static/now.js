import { h, fill, say, table, tile, number, bytes, duration, short } from "./dom.js";
import { ask, rows, state, query } from "./api.js";
import { plot } from "./chart.js";
import { confirmed } from "./dialog.js";
import { waits } from "./locks.js";

export async function show(main, parameters, signal) {
  let before = null;
  const history = [], tiles = h("div", { class: "tiles" }), rate = h("canvas", { role: "img", "aria-label": "Statements a second" }), late = h("canvas", { role: "img", "aria-label": "Latency" });
  const running = h("section", {}), locks = h("section", {}), slow = h("section", {}), store = h("section", {});
  fill(main, h("h1", {}, "Now"), tiles, h("div", { class: "panel" }, h("h2", {}, "Statements a second"), rate, h("h2", {}, "Latency: median, 95 % (dashed) and 99 %"), late), running, locks, slow, store);
  const sum = (f, name) => f.filter((x) => x.name === name).reduce((a, x) => a + x.value, 0);
  const has = (f, name) => f.some((x) => x.name === name);

  async function look() {
    const at = performance.now(), n = await ask("now", {}, signal), f = n.figures, now = { at, f };
    if (before) {
      const dt = (at - before.at) / 1000, d = (name) => sum(f, name) - sum(before.f, name), [p50, p95, p99] = percentiles(before.f, f, [0.5, 0.95, 0.99]);
      history.push({ t: Date.now(), rate: d("statements_total") / dt, p50, p95, p99 });
      if (history.length > 300) history.shift();
      const hits = d("store_block_cache_hits_total"), misses = d("store_block_cache_misses_total");
      fill(tiles, tile("statements a second", short(history[history.length - 1].rate)), tile("median", duration(p50)), tile("99 %", duration(p99)), tile("connections", number(sum(f, "connections"))), tile("sessions", number(sum(f, "sessions"))), tile("running", number(sum(f, "running_statements"))),
        tile("transactions", number(sum(f, "open_transactions"))), tile("waiting for locks", number(sum(f, "lock_waiting_transactions"))), has(f, "store_disk_bytes") && tile("disk", bytes(sum(f, "store_disk_bytes"))), hits + misses > 0 && tile("cache hits", (100 * hits / (hits + misses)).toFixed(0) + " %"));
      const clock = (t) => new Date(t).toLocaleTimeString();
      plot(rate, "line", [{ points: history.map((p) => [p.t, p.rate]) }], { height: 130, x: clock, y: short });
      plot(late, "line", ["p99", "p95", "p50"].map((k) => ({ points: history.filter((p) => p[k] != null).map((p) => [p.t, p[k]]) })), { height: 130, x: clock, y: duration });
    }
    before = now;
    stores(f);
    slowly(n.slow);
    await Promise.all([statements(), waits(locks, signal)]);
  }

  async function statements() {
    const list = await rows("SELECT ID, USER, HOST, DB, COMMAND, TIME, STATE, INFO FROM information_schema.PROCESSLIST ORDER BY COMMAND = 'Sleep', TIME DESC", { signal, rows: 500, cut: 4096 });
    const shown = list.filter((r) => String(r[7] || "").indexOf("information_schema.PROCESSLIST ORDER BY COMMAND") < 0);
    fill(running, h("h2", {}, "Sessions" + (state.session.process ? "" : " of your account")), table([{ name: "ID", n: true }, { name: "User" }, { name: "Host" }, { name: "Database" }, { name: "Command" }, { name: "Seconds", n: true }, { name: "Progress" }, { name: "Statement", mono: true },
      { name: "", of: (r) => h("span", { class: "time" }, r[4] === "Query" && h("button", { class: "small kill", onclick: () => kill("QUERY", r[0]) }, "Kill statement"), h("button", { class: "small", onclick: () => kill("CONNECTION", r[0]) }, "Kill")) }], shown, { label: "Sessions", row: (r) => ({ "data-id": r[0] }) }));
  }
  async function kill(what, id) {
    const sql = "KILL " + what + " " + Number(id);
    if (!await confirmed(sql)) return;
    try { for await (const got of query({ sql }, signal)) if (got.end) say("Killed " + id); } catch (e) { say(e.message); }
    statements().catch(() => {});
  }
  function slowly(list) {
    fill(slow, h("h2", {}, "Slow statements by shape"), list == null ? h("p", { class: "soft" }, "Shown to accounts with the privilege PROCESS.") : !list.length ? h("p", { class: "soft" }, "No statement has taken longer than long_query_time since the server began.")
      : table([{ name: "Shape", mono: true, of: (s) => s.text || "(" + s.kind + ")" }, { name: "Kind", of: (s) => s.kind }, { name: "Database", of: (s) => s.database }, { name: "Count", n: true, of: (s) => number(s.count) }, { name: "Longest", n: true, of: (s) => duration(s.longest) }, { name: "In all", n: true, of: (s) => duration(s.total) }, { name: "Cells", n: true, of: (s) => number(s.cells) }, { name: "Last", of: (s) => new Date(s.last).toLocaleTimeString() }], list, { label: "Slow statements" }));
  }
  function stores(f) {
    const own = f.filter((x) => x.name.startsWith("store_") && !x.buckets).map((x) => [x.name.slice(6).replaceAll("_", " ") + (x.labels ? " (" + Object.values(x.labels).join(", ") + ")" : ""), /bytes/.test(x.name) ? bytes(x.value) : number(x.value)]);
    const opened = store.querySelector("details"), open = opened && opened.open;
    fill(store, h("h2", {}, "The store"), !has(f, "store_disk_bytes") && h("p", { class: "soft" }, "The servers of this store show their compactions, cache and disk themselves."), own.length ? h("details", { open }, h("summary", {}, number(own.length) + " figures"), table([{ name: "Figure", of: (r) => r[0] }, { name: "Value", n: true, of: (r) => r[1] }], own, { label: "Figures of the store" })) : h("p", { class: "soft" }, "This store tells no figures."));
  }
  await look();
  const timer = setInterval(() => look().catch((e) => { if (!signal.aborted) say(e.message); }), 2000);
  signal.addEventListener("abort", () => clearInterval(timer));
  setTimeout(() => look().catch(() => {}), 400);
}

// percentiles are those of the statements that ended between two looks.
function percentiles(was, is, shares) {
  const counts = new Map();
  for (const [list, sign] of [[is, 1], [was, -1]]) for (const f of list) if (f.name === "statement_duration_seconds") {
    let below = 0;
    for (const [bound, n] of f.buckets) { counts.set(bound, (counts.get(bound) || 0) + sign * (n - below)); below = n; }
    counts.set(Infinity, (counts.get(Infinity) || 0) + sign * (f.value - below));
  }
  const all = [...counts].sort((a, b) => a[0] - b[0]), total = all.reduce((a, [, n]) => a + n, 0);
  return shares.map((s) => {
    let left = s * total;
    if (!total) return null;
    for (const [bound, n] of all) if ((left -= n) <= 0) return isFinite(bound) ? bound : 60;
    return null;
  });
}
