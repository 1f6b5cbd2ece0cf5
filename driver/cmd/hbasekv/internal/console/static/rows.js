import { h, fill, say, table, text, raw, hex, printable, typed, literal, quote, bytes, choice, fromBase64, number } from "./dom.js";
import { rows } from "./api.js";

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

  // row shows a row: its cells, by pages of their qualifiers, the versions of a cell, and two moments side by side.
  async function row(from, group, k, at) {
    const into = at || found, is = " WHERE K = " + literal(k), head = group ? "F, Q, T, V" : "Q, T, V";
    let form = "text", behind = null, a = null, b = null;
    const grid = h("div", {}), history = h("section", { id: "history", "aria-label": "Versions" }), beside = h("section", { id: "beside", "aria-label": "Two moments" });
    const moments = await rows("SELECT DISTINCT T FROM " + from + " FOR SYSTEM_TIME ALL" + is + " ORDER BY T DESC LIMIT 50", { signal }).catch(() => []);
    fill(into, h("h2", {}, "Row ", h("code", {}, printable(k))), h("div", { class: "bar" }, choice("Values as", Object.keys(forms).map((f) => [f, f]), form, (f) => { form = f; load(); }), moments.length > 1 && h("button", { id: "compare", onclick: () => { a = moments[Math.min(1, moments.length - 1)][0]; b = moments[0][0]; compare(); } }, "Compare two moments")), grid, beside, history);
    async function load() {
      const next = behind ? " AND " + (group ? "(F, Q) > (" + literal(raw(behind[0])) + ", " + literal(raw(behind[1])) + ")" : "Q > " + literal(raw(behind[1]))) : "";
      const got = await rows("SELECT " + head + " FROM " + from + is + next + " ORDER BY " + (group ? "F, Q" : "Q") + " LIMIT " + page, { signal, cut: 4096 });
      fill(grid, table([...(group ? [{ name: "Family", of: (r) => text(r[0]) }] : []), { name: "Qualifier", mono: true, of: (r) => text(r[group ? 1 : 0]) }, { name: "Time", of: (r) => when(r[group ? 2 : 1]) },
        { name: "Value", mono: true, of: (r) => shown(r[group ? 3 : 2]) }, { name: "Size", n: true, of: (r) => size(r[group ? 3 : 2]) },
        { name: "", of: (r) => h("button", { class: "small versions", onclick: () => versions(r).catch((e) => say(e.message)) }, "Versions") }], got, { label: "Cells" }),
      h("div", { class: "bar" }, behind && h("button", { onclick: () => { behind = null; load(); } }, "First page"), got.length === page && h("button", { onclick: () => { const l = got[page - 1]; behind = group ? [l[0], l[1]] : [null, l[0]]; load(); } }, "Next " + page + " qualifiers"),
        got.length === 0 && h("span", { class: "soft" }, "The row has no cells" + (behind ? " behind these." : "."))));
    }
    const shown = (v) => v == null ? "NULL" : forms[form](v) + (typeof v === "object" && v.n > raw(v).length ? " …" : "");
    async function versions(r) {
      const qualifier = raw(r[group ? 1 : 0]), family = group ? " AND F = " + literal(raw(r[0])) : "";
      const all = await rows("SELECT T, V FROM " + from + " FOR SYSTEM_TIME ALL" + is + family + " AND Q = " + literal(qualifier) + " ORDER BY T DESC LIMIT 500", { signal, cut: 65536 });
      const value = h("pre", {}), bar = h("div", { class: "time", role: "group", "aria-label": "Time line" }, [...all].reverse().map((v) => {
        const chip = h("button", { class: "chip", "aria-pressed": "false", onclick: () => { for (const c of bar.children) c.setAttribute("aria-pressed", String(c === chip)); value.textContent = v[1] == null ? "NULL" : Object.entries(forms).map(([f, of]) => f.padEnd(7) + of(v[1])).join("\n"); } }, when(v[0]));
        return chip;
      }));
      fill(history, h("h2", {}, "Versions of ", h("code", {}, printable(qualifier)), h("span", { class: "soft" }, " " + number(all.length) + (all.length === 500 ? " newest" : ""))), h("div", { class: "panel" }, bar, h("p", {}), value));
      if (bar.lastChild) bar.lastChild.click();
      history.scrollIntoView({ block: "nearest" });
    }
    async function compare() {
      const of = async (t) => new Map((await rows("SELECT " + head + " FROM " + from + " FOR SYSTEM_TIME AS OF " + BigInt(t) + is + " LIMIT 2000", { signal, cut: 1024 })).map((r) => [(group ? text(r[0]) + ":" : "") + text(r[group ? 1 : 0]), r[group ? 3 : 2]]));
      const [x, y] = [await of(a), await of(b)], names = [...new Set([...x.keys(), ...y.keys()])].sort(), differs = (n) => JSON.stringify(x.get(n)) !== JSON.stringify(y.get(n));
      const options = moments.map((m) => [String(m[0]), when(m[0])]);
      fill(beside, h("h2", {}, "Two moments"), h("div", { class: "bar" }, choice("Left", options, String(a), (v) => { a = v; compare(); }), choice("Right", options, String(b), (v) => { b = v; compare(); })),
        table([{ name: "Qualifier", mono: true, of: (n) => n }, { name: when(a), mono: true, of: (n) => x.has(n) ? shown(x.get(n)) : "" }, { name: when(b), mono: true, of: (n) => y.has(n) ? shown(y.get(n)) : "" }], names,
          { label: "Two moments", row: (n) => ({ class: differs(n) ? "changed" : null }) }));
    }
    await load();
  }

  // plain shows rows of a typed table or a view.
  async function plain(database, name, from) {
    const keys = await rows("SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = " + literal(typed(database)) + " AND TABLE_NAME = " + literal(typed(name)) + " AND COLUMN_KEY = 'PRI' ORDER BY ORDINAL_POSITION", { signal });
    const first = keys[0], numeric = first && /int|decimal|float|double/i.test(String(first[1]));
    let wanted = "";
    if (first && key.value) wanted = " WHERE " + (numeric ? quote(String(first[0])) + (how.value === "row" ? " = " : " >= ") + (/^-?\d+(\.\d+)?$/.test(key.value) ? key.value : literal(typed(key.value))) : condition(quote(String(first[0])), typed(key.value)));
    const got = await rows("SELECT * FROM " + from + wanted + (first ? " ORDER BY " + keys.map((c) => quote(String(c[0]))).join(", ") : "") + " LIMIT " + page, { signal });
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
