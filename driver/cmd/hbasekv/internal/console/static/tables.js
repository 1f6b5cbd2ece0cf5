import { h, fill, say, bytes, number, table, tile, text, quote, choice, literal, keyLiteral, printable, raw } from "./dom.js";
import { ask, rows, state, query, firstKey } from "./api.js";
import { prepare, colour } from "./chart.js";
import { confirmed, answered } from "./dialog.js";
import { go } from "./app.js";

const q = (s) => literal(new TextEncoder().encode(s));

export async function show(main, parameters, signal) {
  const database = parameters.get("database"), name = parameters.get("table");
  const list = await rows("SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA NOT IN ('information_schema','mysql','performance_schema','sys') ORDER BY TABLE_SCHEMA, TABLE_NAME", { signal, rows: 20000 });
  const filter = h("input", { placeholder: "Find a table", "aria-label": "Find a table", oninput: () => choose() });
  const links = h("div", {}), at = h("div", { id: "table" });
  function choose() {
    const want = filter.value.toLowerCase(), kept = list.filter((t) => (t[0] + "." + t[1]).toLowerCase().includes(want));
    fill(links, [...new Set(kept.map((t) => t[0]))].slice(0, 200).map((d) => [h("h2", {}, d), kept.filter((t) => t[0] === d).slice(0, 500).map((t) =>
      h("a", { href: "#tables?" + new URLSearchParams({ database: t[0], table: t[1] }), "aria-current": t[0] === database && t[1] === name ? "page" : null, title: t[2] }, t[1]))]));
    if (!kept.length) links.append(h("p", { class: "soft" }, "There are no tables that you may see."));
  }
  choose();
  fill(main, h("h1", {}, "Tables"), h("div", { class: "two" }, h("div", {}, h("div", { class: "bar" }, filter), h("div", { class: "list" }, links)), at));
  if (!name) { fill(at, h("p", { class: "soft" }, "Choose a table.")); return; }
  const full = quote(database) + "." + quote(name);
  const parts = h("section", {}), about = h("section", {});
  fill(at, h("div", { class: "bar" }, h("h1", {}, database + "." + name), h("button", { onclick: () => go("rows", { database, table: name }) }, "Rows"),
    h("button", { onclick: () => go("sql", { sql: "SELECT * FROM " + full + " LIMIT 100", database }) }, "SQL")), parts, about);
  await Promise.all([partitions(parts, database, name, full, signal), definition(about, database, name, full, signal)]);
}

async function partitions(parts, database, name, full, signal) {
  let offset = 0, by = "", shownBar = "bytes";
  const count = 100;
  async function load() {
    let s;
    try { s = await ask("partitions", { database, table: name, offset, count, by }, signal); } catch (e) {
      if (!signal.aborted) fill(parts, h("p", { class: "soft" }, "Partitions: " + e.message));
      return;
    }
    const mean = s.partitions ? s.bytes / s.partitions : 0, canvas = h("canvas", { role: "img", "aria-label": "Partitions as bars, by " + shownBar });
    const may = s.may;
    fill(parts, h("div", { class: "tiles" }, tile("partitions", number(s.partitions)), tile("rows (versions)", number(s.rows)), tile("bytes", bytes(s.bytes)),
      tile("mean of a partition", bytes(mean)), tile("Gini of the bytes", s.gini.toFixed(2))),
    may.split && !state.session.merges && h("p", { class: "soft" }, "This store does not merge partitions: HBase's shell does, by merge_region."),
    !s.counted && h("p", { class: "soft" }, "This store does not count reads and writes of this table's partitions."),
    h("div", { class: "panel" }, h("div", { class: "bar" }, choice("Bars", [["bytes", "Bytes"], ["rows", "Rows"], ["reads", "Reads"], ["writes", "Writes"]], shownBar, (v) => { shownBar = v; draw(); })), canvas,
      s.bars.length < s.partitions && h("p", { class: "soft" }, "Each bar is the largest of up to " + s.bars[0].of + " partitions.")),
    h("div", { class: "bar" }, choice("Order", [["", "of the table"], ["bytes", "largest"], ["rows", "most rows"], ["reads", "most read"], ["writes", "most written"]], by, (v) => { by = v; offset = 0; load(); }),
      s.partitions > count && [h("button", { disabled: offset === 0, onclick: () => { offset = Math.max(0, offset - count); load(); } }, "Before"),
        h("span", { class: "soft" }, number(offset + 1) + " – " + number(Math.min(offset + count, s.partitions)) + " of " + number(s.partitions)),
        h("button", { disabled: offset + count >= s.partitions, onclick: () => { offset += count; load(); } }, "Next")],
      may.compact && [h("button", { id: "compact", onclick: () => change("OPTIMIZE TABLE " + full) }, "Compact")]),
    table([{ name: "Partition", of: (p) => text(p.name) }, { name: "Less than", mono: true, of: (p) => p.lessThan == null ? "" : text(p.lessThan) }, { name: "Rows", n: true, of: (p) => number(p.rows) },
      { name: "Bytes", n: true, of: (p) => bytes(p.bytes) }, { name: "of the mean", of: (p) => h("meter", { min: 0, max: 4, value: mean ? Math.min(4, p.bytes / mean) : 0, title: mean ? (p.bytes / mean).toFixed(2) : "" }) },
      { name: "First key", mono: true, of: (p) => p.first == null ? "" : text(p.first) }, { name: "Last key", mono: true, of: (p) => p.last == null ? "" : text(p.last) },
      { name: "Reads", n: true, of: (p) => p.counted ? number(p.reads) : "–" }, { name: "Writes", n: true, of: (p) => p.counted ? number(p.writes) : "–" }, ...(may.split || may.merge ? [{ name: "", of: (p) => h("span", { class: "time" }, may.split && h("button", { class: "small split", onclick: () => split(p) }, "Split"), may.merge && p.ordinal + 1 < s.partitions && h("button", { class: "small merge", title: "with the next partition", onclick: () => merge(p) }, "Merge")) }] : []), { name: "", of: (p) => p.comment }],
    s.page, { label: "Partitions", row: (p) => ({ "data-partition": text(p.name) }) }));
    draw();
    function draw() {
      const [g, w, height] = prepare(canvas, 130), most = Math.max(1, ...s.bars.map((b) => b[shownBar])), each = (w - 2) / Math.max(1, s.bars.length);
      g.fillStyle = colour("cold"); g.fillRect(0, 0, w, height);
      g.fillStyle = colour("accent");
      s.bars.forEach((b, i) => { const y = b[shownBar] / most * (height - 6); g.fillRect(1 + i * each, height - y, Math.max(1, each - (each > 4 ? 1.5 : 0)), y); });
      if (shownBar === "bytes" && mean) { g.fillStyle = colour("bad"); g.fillRect(0, height - mean / most * (height - 6), w, 1); }
    }
  }
  async function change(sql) {
    if (!await confirmed(sql)) return;
    try {
      for await (const got of query({ sql, database }, signal)) if (got.rows) say(got.rows.map((r) => r.map((v) => v == null ? "" : String(v)).join(" ")).join("; "));
      say("Done: " + sql);
      await load();
    } catch (e) { say(e.message); }
  }
  async function split(p) {
    const column = await firstKey(database, name, signal).catch(() => null), known = p.first != null && p.last != null && !(column && column.numeric);
    const at = await answered("Split " + text(p.name), "at the key (\\xFF stands for a byte)", known ? printable(between(raw(p.first), raw(p.last))) : "");
    if (at) await change("SPLIT TABLE " + full + " BY (" + keyLiteral(column, at) + ")");
  }
  async function merge(p) {
    const after = await ask("partitions", { database, table: name, offset: p.ordinal + 1, count: 1, by: "" }, signal).catch(() => null);
    if (!after || !after.page.length) { say("There is no partition behind " + text(p.name) + "."); return; }
    const next = after.page[0], less = next.lessThan == null || String(next.lessThan) === "MAXVALUE" ? "MAXVALUE" : "(" + next.lessThan + ")";
    change("ALTER TABLE " + full + " REORGANIZE PARTITION " + quote(text(p.name)) + ", " + quote(text(next.name)) + " INTO (PARTITION " + quote(text(p.name)) + " VALUES LESS THAN " + less + ")");
  }
  await load();
}

// between is a key in the middle of two.
function between(a, b) {
  const out = [];
  for (let i = 0; i < 8; i++) {
    const x = a[i] || 0, y = i < b.length ? b[i] : 0;
    if (x === y) { out.push(x); continue; }
    const sum = (x * 256 + (a[i + 1] || 0) + y * 256 + (b[i + 1] || 0)) >> 1;
    out.push(sum >> 8);
    if (sum & 255) out.push(sum & 255);
    break;
  }
  return new Uint8Array(out);
}

async function definition(about, database, name, full, signal) {
  const where = " WHERE TABLE_SCHEMA = " + q(database) + " AND TABLE_NAME = " + q(name);
  const get = (sql) => rows(sql, { signal, rows: 2000, cut: 65536 }).catch((e) => Object.assign([], { failed: e.message, columns: [] }));
  const [columns, indexes, family, create] = await Promise.all([
    get("SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_KEY, COLUMN_DEFAULT, EXTRA, COLUMN_COMMENT FROM information_schema.COLUMNS" + where + " ORDER BY ORDINAL_POSITION"),
    get("SELECT INDEX_NAME, NON_UNIQUE, SEQ_IN_INDEX, COLUMN_NAME, CARDINALITY FROM information_schema.STATISTICS" + where),
    get("SELECT TABLEGROUP_NAME, FAMILY_NAME, TTL, MAX_VERSIONS, MIN_VERSIONS, CELLS, BYTES, COLLECTED_VERSIONS, COLLECTED_RANGES, LAST_COLLECTED FROM information_schema.HBASEKV_FAMILIES" + where),
    get("SHOW CREATE TABLE " + full)]);
  const named = (r) => r.columns.map((c) => ({ name: c.name, n: c.kind === "number" }));
  fill(about, h("h2", {}, "Columns"), table(named(columns), columns, { label: "Columns" }),
    indexes.length > 0 && [h("h2", {}, "Indexes"), table(named(indexes), indexes, { label: "Indexes" })],
    family.length > 0 && [h("h2", {}, "Family and retention"), table(named(family), family, { label: "Retention" })],
    h("h2", {}, "Definition"), h("div", { class: "panel" }, create.failed ? h("p", { class: "soft" }, create.failed) : h("pre", {}, create.length ? new TextDecoder().decode(raw(create[0][1])) : "")));
}
