import { h, fill, say, table, text, raw, hex, printable, typed, literal, keyLiteral, quote, bytes, choice, fromBase64, number } from "./dom.js";
import { rows, firstKey } from "./api.js";

const page = 200;
const forms = { text: (v) => printable(raw(v)), hex: (v) => hex(raw(v)), number: asNumber, JSON: asJSON };

export async function show(main, parameters, signal) {
  const given = parameters.get("from");
  const where = h("input", { id: "where", value: parameters.get("table") ? parameters.get("database") + "." + parameters.get("table") : "", placeholder: "database.table", size: 28, list: "row-tables" });
  const key = h("input", { id: "key", value: parameters.get("key") || (given ? printable(fromBase64(given)) : ""), placeholder: "key, or its beginning; \\xFF is a byte", size: 32 });
  const how = h("select", { id: "how", "aria-label": "how" }, [["row", "is the key"], ["prefix", "is its beginning"], ["from", "is the first key"]].map(([v, t]) => h("option", { value: v, selected: v === (given ? "from" : parameters.get("how") || "prefix") }, t)));
  const known = h("datalist", { id: "row-tables" }), found = h("section", {});
  fill(main, h("h1", {}, "Rows"), h("form", { class: "bar", onsubmit: (e) => { e.preventDefault(); look(); } }, h("label", {}, "Table", where, known), h("label", {}, "Key", key), how, h("button", { class: "main", id: "look" }, "Look up")), found);
  rows("SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA NOT IN ('information_schema','mysql','performance_schema','sys')", { signal, rows: 2000 })
    .then((all) => fill(known, all.map((t) => h("option", { value: t[0] + "." + t[1] })))).catch(() => {});

  async function look() {
    fill(found, h("p", { class: "soft" }, "Looking …"));
    try {
      const [database, ...rest] = where.value.split("."), name = rest.join("."), from = quote(database) + "." + quote(name);
      const columns = (await rows("SELECT * FROM " + from + " LIMIT 0", { signal })).columns.map((c) => c.name.toUpperCase());
      if (columns.slice(0, 4).join() === "K,Q,T,V" || columns.join() === "K,F,Q,T,V") await cells(from, columns.includes("F"));
      else await plain(database, name, from);
    } catch (e) { if (!signal.aborted) fill(found, h("p", { class: "bad", role: "alert" }, e.message)); }
  }

  const condition = (column, k) => {
    if (how.value === "row") return column + " = " + literal(k);
    const end = after(k);
    return column + " >= " + literal(k) + (how.value === "prefix" && end ? " AND " + column + " < " + literal(end) : "");
  };

  // cells shows the keys that fit; one alone is shown as a row.
  async function cells(from, group) {
    const k = typed(key.value);
    if (how.value === "row") { await row(from, group, k); return; }
    const keys = await rows("SELECT DISTINCT K FROM " + from + " WHERE " + condition("K", k) + " ORDER BY K LIMIT " + page, { signal, cut: 65536 });
    if (keys.length === 0) { fill(found, h("p", { class: "soft" }, "There is no such row.")); return; }
    const at = h("div", { id: "row" });
    fill(found, h("div", { class: "two" }, h("div", { class: "list" }, keys.map((r) => h("a", { href: "#", onclick: (e) => { e.preventDefault(); pick(e.target, r[0]); } }, printable(raw(r[0])) || "(empty)")),
      keys.length === page && h("a", { href: "#", onclick: (e) => { e.preventDefault(); how.value = "from"; key.value = printable(raw(keys[page - 1][0])); look(); } }, "More …")), at));
    const pick = async (link, v) => {
      for (const a of found.querySelectorAll(".list a[aria-current]")) a.removeAttribute("aria-current");
      link.setAttribute("aria-current", "true");
      await row(from, group, raw(v), at);
    };
    await pick(found.querySelector(".list a"), keys[0][0]);
  }

  // row shows a row, a page of its qualifiers at a time: of each its versions, and of the page two moments side by side.
  async function row(from, group, k, at) {
    const into = at || found, is = " WHERE K = " + literal(k), head = group ? "F, Q, T, V" : "Q, T, V";
    const nameOf = (r) => (group ? [raw(r[0]), raw(r[1])] : [raw(r[0])]), shownName = (name) => name.map(printable).join(":");
    const place = (name, sign) => (group ? "(F, Q) " + sign + " (" + name.map(literal).join(", ") + ")" : "Q " + sign + " " + literal(name[0]));
    let form = "text", first = null, got = [];
    const grid = h("div", {}), history = h("section", { id: "history", "aria-label": "Versions" }), beside = h("section", { id: "beside", "aria-label": "Two moments" });
    const goal = h("input", { id: "qualifier", size: 18, placeholder: group ? "family:qualifier" : "qualifier" });
    fill(into, h("h2", {}, "Row ", h("code", {}, printable(k))), h("form", { class: "bar", onsubmit: (e) => { e.preventDefault(); turn(goal.value && place(nameTyped(), ">=")); } }, choice("Values as", Object.keys(forms).map((f) => [f, f]), form, (f) => { form = f; draw(); }),
      h("label", {}, "From", goal), h("button", {}, "Go"), h("button", { id: "compare", type: "button", onclick: () => moments().catch((e) => say(e.message)) }, "Compare two moments")), grid, beside, history);
    const nameTyped = () => (group ? [typed(goal.value.split(":")[0]), typed(goal.value.split(":").slice(1).join(":"))] : [typed(goal.value)]);

    // turn goes to the page of the cells that a condition says; null is the first.
    const turn = (condition) => { first = condition; fill(history); fill(beside); return load().catch((e) => say(e.message)); };
    async function load() {
      got = await rows("SELECT " + head + " FROM " + from + is + (first ? " AND " + first : "") + " ORDER BY " + (group ? "F, Q" : "Q") + " LIMIT " + page, { signal, cut: 1024 });
      draw();
    }
    function draw() {
      fill(grid, table([...(group ? [{ name: "Family", of: (r) => text(r[0]) }] : []), { name: "Qualifier", mono: true, of: (r) => text(r[group ? 1 : 0]) }, { name: "Time", of: (r) => when(r[group ? 2 : 1]) },
        { name: "Value", mono: true, of: (r) => shown(r[group ? 3 : 2]) }, { name: "Size", n: true, of: (r) => size(r[group ? 3 : 2]) },
        { name: "", of: (r) => h("button", { class: "small versions", onclick: () => versions(r).catch((e) => say(e.message)) }, "Versions") }], got, { label: "Cells" }),
      h("div", { class: "bar" }, first && h("button", { id: "first", onclick: () => turn(null) }, "First page"), got.length === page && h("button", { id: "next", onclick: () => turn(place(nameOf(got[page - 1]), ">")) }, "Next " + page + " qualifiers"),
        got.length === 0 && h("span", { class: "soft" }, "The row has no cells" + (first ? " from here on." : "."))));
    }
    const shown = (v) => v == null ? "NULL" : forms[form](v) + (typeof v === "object" && v.n > raw(v).length ? " …" : "");

    // versions shows those of a cell; the value of one is read when it is chosen, whole up to 1 MiB.
    async function versions(r) {
      const name = nameOf(r), cell = " FROM " + from + " FOR SYSTEM_TIME ALL" + is + " AND " + (group ? "F = " + literal(name[0]) + " AND Q = " + literal(name[1]) : "Q = " + literal(name[0]));
      const all = await rows("SELECT T" + cell + " ORDER BY T DESC LIMIT 500", { signal }), value = h("pre", {});
      const bar = h("div", { class: "time", role: "group", "aria-label": "Time line" }, [...all].reverse().map(([t]) => h("button", { class: "chip", "aria-pressed": "false", onclick: (e) => pick(e.currentTarget, t).catch((error) => say(error.message)) }, when(t))));
      async function pick(chip, t) {
        for (const c of bar.children) c.setAttribute("aria-pressed", String(c === chip));
        const [v] = await rows("SELECT V" + cell + " AND T = " + BigInt(t), { signal, cut: 1 << 20 });
        if (chip.getAttribute("aria-pressed") === "true") value.textContent = !v ? "This version is gone." : v[0] == null ? "NULL" : Object.entries(forms).map(([f, of]) => f.padEnd(7) + of(v[0])).join("\n");
      }
      fill(history, h("h2", {}, "Versions of ", h("code", {}, shownName(name)), h("span", { class: "soft" }, " " + number(all.length) + (all.length === 500 ? " newest" : ""))), h("div", { class: "panel" }, bar, h("p", {}), value));
      if (bar.lastChild) bar.lastChild.click();
      history.scrollIntoView({ block: "nearest" });
    }

    // moments compares the shown qualifiers as they were at two times of theirs.
    async function moments() {
      if (!got.length) return;
      const within = is + " AND " + place(nameOf(got[0]), ">=") + " AND " + place(nameOf(got[got.length - 1]), "<=");
      const times = (await rows("SELECT DISTINCT T FROM " + from + " FOR SYSTEM_TIME ALL" + within + " ORDER BY T DESC LIMIT 50", { signal })).map((m) => String(m[0]));
      const options = times.map((t) => [t, when(t)]);
      let a = times[Math.min(1, times.length - 1)], b = times[0];
      const of = async (t) => new Map((await rows("SELECT " + head + " FROM " + from + " FOR SYSTEM_TIME AS OF " + BigInt(t) + within + " LIMIT " + 2 * page, { signal, cut: 1024 })).map((r) => [shownName(nameOf(r)), r[group ? 3 : 2]]));
      async function compare() {
        const [x, y] = await Promise.all([of(a), of(b)]), names = [...new Set([...x.keys(), ...y.keys()])].sort(), differs = (n) => JSON.stringify(x.get(n)) !== JSON.stringify(y.get(n));
        fill(beside, h("h2", {}, "Two moments of the qualifiers above"), h("div", { class: "bar" }, choice("Left", options, a, (v) => { a = v; compare().catch((e) => say(e.message)); }), choice("Right", options, b, (v) => { b = v; compare().catch((e) => say(e.message)); })),
          table([{ name: "Qualifier", mono: true, of: (n) => n }, { name: when(a), mono: true, of: (n) => x.has(n) ? shown(x.get(n)) : "" }, { name: when(b), mono: true, of: (n) => y.has(n) ? shown(y.get(n)) : "" }], names,
            { label: "Two moments", row: (n) => ({ class: differs(n) ? "changed" : null }) }));
      }
      await compare();
    }
    await load();
  }

  // plain shows rows of a typed table or a view.
  async function plain(database, name, from) {
    const first = await firstKey(database, name, signal);
    let wanted = "";
    if (first && key.value) wanted = " WHERE " + (first.numeric ? quote(first.name) + (how.value === "row" ? " = " : " >= ") + keyLiteral(first, key.value) : condition(quote(first.name), typed(key.value)));
    const got = await rows("SELECT * FROM " + from + wanted + (first ? " ORDER BY " + quote(first.name) : "") + " LIMIT " + page, { signal });
    fill(found, got.length ? table(got.columns.map((c) => ({ name: c.name, n: c.kind === "number", mono: c.kind === "bytes" })), got, { label: "Rows" }) : h("p", { class: "soft" }, "There is no such row."));
  }
  if (where.value) await look();
}

// after is the first key behind those that begin with k; null where none is.
function after(k) {
  const out = Array.from(k);
  while (out.length && out[out.length - 1] === 255) out.pop();
  if (!out.length) return null;
  out[out.length - 1]++;
  return new Uint8Array(out);
}

function size(v) { return v == null ? "" : bytes(typeof v === "object" ? v.n : raw(v).length); }

function when(t) {
  const ms = Number(t);
  return Math.abs(ms) > 1e11 && Math.abs(ms) < 8e15 ? new Date(ms).toISOString().replace("T", " ").replace("Z", "") : String(t);
}

function asNumber(v) {
  const b = raw(v), d = new DataView(b.buffer, b.byteOffset, b.length);
  if (typeof v === "string" && /^-?\d+(\.\d+)?$/.test(v)) return v;
  switch (b.length) {
    case 1: return String(d.getInt8(0));
    case 2: return String(d.getInt16(0));
    case 4: return d.getInt32(0) + " (float " + d.getFloat32(0) + ")";
    case 8: return d.getBigInt64(0) + " (double " + d.getFloat64(0) + ")";
  }
  return "no number of 1, 2, 4 or 8 bytes";
}

function asJSON(v) {
  try { return JSON.stringify(JSON.parse(new TextDecoder().decode(raw(v))), null, 2); } catch { return "no JSON"; }
}
