// Elements and texts. Nothing here reads HTML: whatever comes from the store becomes text.

export function h(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
    else if (value === true) e.setAttribute(name, "");
    else if (value !== false && value != null) e.setAttribute(name, value);
  }
  e.append(...children.flat(9).filter((c) => c != null && c !== false));
  return e;
}

// fill gives an element other children. The focus, and how far lists are scrolled, stay where they were if what has
// been there is there again.
export function fill(e, ...children) {
  const focus = focusWithin(e), scrolled = [...e.querySelectorAll(".scroll")].map((s) => [s.scrollTop, s.scrollLeft]);
  e.replaceChildren(...children.flat(9).filter((c) => c != null && c !== false));
  if (scrolled.length) e.querySelectorAll(".scroll").forEach((s, i) => { if (scrolled[i]) [s.scrollTop, s.scrollLeft] = scrolled[i]; });
  if (focus) focus();
  return e;
}

// focusWithin gives a function that finds what has the focus again: by its id, or by its place in the same row.
function focusWithin(e) {
  const active = document.activeElement;
  if (!active || active === e || !e.contains(active)) return null;
  const row = active.closest("[data-id]"), id = row && row.dataset.id, same = (scope) => [...scope.querySelectorAll(active.tagName)];
  const at = same(row || e).indexOf(active), words = active.textContent;
  return () => {
    const scope = row ? e.querySelector('[data-id="' + CSS.escape(id) + '"]') : e;
    const next = active.id ? document.getElementById(active.id) : scope && same(scope)[at];
    if (next && (active.id || next.textContent === words)) next.focus({ preventScroll: true });
  };
}

let clearing;
export function say(text) {
  const status = document.getElementById("status");
  status.textContent = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => { status.textContent = ""; }, 6000);
}

export function number(n) {
  if (n == null || Number.isNaN(n)) return "–";
  if (Math.abs(n) < 100 && n % 1) return n.toFixed(1);
  return Math.round(n).toLocaleString("en-US");
}

export function short(n) {
  for (const [unit, size] of [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3]]) if (n >= size) return (n / size).toFixed(n < 10 * size ? 1 : 0) + unit;
  return number(n);
}

export function bytes(n) {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let i = 0;
  while (n >= 1024 && i < units.length - 1) { n /= 1024; i++; }
  return (i && n < 10 ? n.toFixed(1) : Math.round(n)) + " " + units[i];
}

export function duration(seconds) {
  if (seconds == null || !isFinite(seconds)) return "–";
  if (seconds < 1e-3) return Math.round(seconds * 1e6) + " µs";
  if (seconds < 1) return (seconds * 1e3).toFixed(seconds < 0.1 ? 1 : 0) + " ms";
  return seconds.toFixed(1) + " s";
}

// Values: null, a text, or {b: base64, n: length} of bytes.

export function raw(value) {
  if (value == null) return new Uint8Array();
  if (typeof value === "string") return new TextEncoder().encode(value);
  return fromBase64(value.b);
}

export function fromBase64(text) {
  return Uint8Array.from(atob(text || ""), (c) => c.charCodeAt(0));
}

export function hex(array) {
  return Array.from(array, (b) => b.toString(16).padStart(2, "0")).join("");
}

// printable shows bytes as HBase's shell does: what is no printable text as \xFF.
export function printable(array) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(array);
    if (!/[\u0000-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/.test(text)) return text;
  } catch { /* not UTF-8 */ }
  return Array.from(array, (b) => (b >= 32 && b < 127 && b !== 92 ? String.fromCharCode(b) : "\\x" + b.toString(16).toUpperCase().padStart(2, "0"))).join("");
}

export function text(value) {
  if (value == null) return "NULL";
  const shown = printable(raw(value));
  return typeof value === "object" && value.n > raw(value).length ? shown + " … " + bytes(value.n) : shown;
}

// literal is a value as SQL has it.
export function literal(array) { return "x'" + hex(array) + "'"; }

// keyLiteral is what somebody has typed as a key of a column, which is a number or bytes.
export function keyLiteral(column, input) {
  return column && column.numeric && /^-?\d+(\.\d+)?$/.test(input) ? input : literal(typed(input));
}

export function quote(name) { return "`" + name.replaceAll("`", "``") + "`"; }

// typed reads bytes that somebody has typed: \xFF stands for a byte.
export function typed(input) {
  const out = [];
  for (let i = 0; i < input.length;) {
    const m = /^\\x([0-9a-fA-F]{2})/.exec(input.slice(i));
    if (m) { out.push(parseInt(m[1], 16)); i += 4; continue; }
    const c = String.fromCodePoint(input.codePointAt(i));
    out.push(...new TextEncoder().encode(c));
    i += c.length;
  }
  return new Uint8Array(out);
}

export function table(columns, rows, more) {
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": (more && more.label) || "table" }, h("table", {},
    h("thead", {}, h("tr", {}, columns.map((c) => h("th", { scope: "col", class: c.n ? "n" : null }, c.head || c.name)))),
    h("tbody", {}, rows.map((r) => tr(columns, r, more)))));
}

export function tr(columns, row, more) {
  const e = h("tr", more && more.row ? more.row(row) : {}, columns.map((c, i) => {
    const v = c.of ? c.of(row) : row[i];
    if (v instanceof Node) return h("td", { class: c.n ? "n" : null }, v);
    const shown = v == null ? "NULL" : typeof v === "object" ? text(v) : String(v);
    return h("td", { class: [v == null && "null", c.n && "n", c.mono && "mono"].filter(Boolean).join(" ") || null, title: shown.length > 40 ? shown : null }, shown);
  }));
  return e;
}

export function tile(name, value) { return h("div", { class: "tile" }, h("b", {}, value), h("span", {}, name)); }

export function choice(label, options, value, on) {
  const s = h("select", { onchange: () => on(s.value) }, options.map(([v, t]) => h("option", { value: v, selected: v === value }, t)));
  return h("label", {}, label, s);
}
