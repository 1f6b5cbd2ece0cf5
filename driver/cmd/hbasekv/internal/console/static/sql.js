import { h, fill, say, table, raw, choice, number, duration, typed, literal } from "./dom.js";
import { query, rows, download, state } from "./api.js";
import { plot } from "./chart.js";
import { tree } from "./plan.js";

const words = "SELECT FROM WHERE GROUP BY ORDER BY LIMIT HAVING INSERT INTO VALUES UPDATE SET DELETE REPLACE JOIN LEFT ON AND OR NOT NULL IS IN LIKE BETWEEN COUNT SUM AVG MIN MAX DISTINCT AS EXPLAIN ANALYZE SHOW TABLES PARTITIONS CREATE TABLE FOR SYSTEM_TIME ALL OF DESC ASC UNION WITH".split(" ");
const most = 50000; // rows that a page keeps

export async function show(main, parameters, signal) {
  let database = parameters.get("database") || state.session.database || "", running = null, source = null, got = [], columns = [], at = 0, ended = null, names = [];
  const size = 100;
  const editor = h("textarea", { class: "editor", id: "editor", spellcheck: "false", autocomplete: "off", "aria-label": "SQL", "aria-autocomplete": "list", placeholder: "SELECT …    (Ctrl+Enter runs, Ctrl+Space completes)" });
  editor.value = parameters.get("sql") || sessionStorage.getItem("sql") || "";
  const menu = h("ul", { role: "listbox", hidden: true });
  const run = h("button", { class: "main", id: "run", onclick: () => start(editor.value) }, "Run");
  const cancel = h("button", { id: "cancel", disabled: true, onclick: () => running && running.abort() }, "Cancel");
  const progress = h("span", { class: "soft", id: "progress", role: "status" });
  const result = h("section", { id: "result", "aria-label": "Result" }), chart = h("section", {});
  const base = h("input", { value: database, size: 14, "aria-label": "Database", onchange: () => { database = base.value; learn(); } });
  fill(main, h("h1", {}, "SQL"), h("div", { class: "complete" }, editor, menu), h("div", { class: "bar" }, run, cancel, h("button", { id: "explain", onclick: () => explain() }, "Explain"),
    h("button", { id: "csv", onclick: () => save("csv") }, "Download CSV"), h("button", { id: "parquet", onclick: () => save("parquet") }, "Download Parquet"), h("label", {}, "Database", base), progress), result, chart);

  async function learn() {
    const q = literal(typed(database));
    const [tables, cols] = await Promise.all([rows("SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = " + q, { rows: 3000, signal }), rows("SELECT DISTINCT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = " + q, { rows: 5000, signal })]).catch(() => [[], []]);
    names = [...tables.map((r) => String(r[0])), ...cols.map((r) => String(r[0])), ...words];
  }
  learn();

  const save = (format) => download(trimmed(), database, format).catch((e) => say(e.message));
  const trimmed = () => editor.value.trim().replace(/;\s*$/, "");

  async function start(sql) {
    if (running) running.abort();
    const mine = running = new AbortController(), begun = performance.now();
    signal.addEventListener("abort", () => mine.abort());
    sessionStorage.setItem("sql", editor.value);
    got = []; columns = []; at = 0; ended = null; source = null;
    fill(result); fill(chart);
    cancel.disabled = false;
    let id = 0;
    const timer = setInterval(async () => {
      progress.textContent = "running for " + ((performance.now() - begun) / 1000).toFixed(0) + " s, " + number(got.length) + " rows";
      if (!id) return;
      const state = await rows("SELECT STATE FROM information_schema.PROCESSLIST WHERE ID = " + Number(id), { signal: mine.signal }).catch(() => []);
      if (state.length && state[0][0] && running === mine && !ended) progress.textContent += " · " + state[0][0];
    }, 1000);
    try {
      source = query({ sql, database }, mine.signal);
      for (;;) {
        const { value, done } = await source.next();
        if (done) break;
        if (value.id) id = value.id;
        if (value.columns) columns = value.columns;
        if (value.rows) got.push(...value.rows);
        if (value.end) ended = value;
        if (running !== mine) return;
        if (value.rows || value.end) draw();
        if (got.length >= at + 2 * size && !value.end) { clearInterval(timer); progress.textContent = number(got.length) + " rows so far: more are read as you page on"; await new Promise((go) => { wake = go; mine.signal.addEventListener("abort", go); }); }
      }
      progress.textContent = ended ? (columns.length ? number(ended.count) + " rows" : number(ended.affected) + " rows changed" + (ended.info ? " · " + ended.info : "")) + " in " + duration(ended.ms / 1000) : "";
    } catch (e) {
      if (running === mine) { progress.textContent = mine.signal.aborted ? "Cancelled after " + duration((performance.now() - begun) / 1000) + ", " + number(got.length) + " rows" : ""; if (!mine.signal.aborted) fill(result, h("p", { class: "bad", role: "alert" }, e.message)); }
    } finally {
      clearInterval(timer);
      if (running === mine) { running = null; cancel.disabled = true; }
    }
  }

  let wake = null;
  function draw() {
    if (!columns.length) return;
    const heads = columns.map((c) => ({ name: c.name, n: c.kind === "number", mono: c.kind === "bytes" }));
    const shown = got.slice(at, at + size);
    const turn = (to) => { at = Math.max(0, to); if (wake) { const w = wake; wake = null; w(); } draw(); };
    fill(result, table(heads, shown, { label: "Result" }), h("div", { class: "bar" }, h("button", { disabled: at === 0, onclick: () => turn(at - size) }, "Before"),
      h("span", { class: "soft" }, got.length ? number(at + 1) + " – " + number(at + shown.length) + (ended ? " of " + number(got.length) : " of more") : "no rows"),
      h("button", { id: "next", disabled: at + size >= got.length, onclick: () => turn(at + size) }, "Next"), got.length > 1 && h("button", { id: "chart", onclick: draws }, "Chart")));
    if (got.length > most && running) { running.abort(); say("A page keeps " + number(most) + " rows: download the result to have all"); }
  }

  // draws shows the result as a chart of chosen columns.
  function draws() {
    const numbers = columns.map((c, i) => [String(i), c.name]).filter(([i]) => got.slice(0, 50).some((r) => r[i] != null && r[i] !== "" && isFinite(Number(r[i]))));
    if (!numbers.length) { fill(chart, h("p", { class: "soft" }, "No column has numbers.")); return; }
    let kind = "line", x = "", y = numbers[numbers.length - 1][0];
    const canvas = h("canvas", { role: "img", "aria-label": "Chart of the result" });
    const go = () => plot(canvas, kind, [{ points: got.map((r, i) => [x === "" ? i + 1 : Number(r[x]), Number(r[y])]) }], { height: 260, y: (v) => number(v), x: (v) => number(v), zero: kind === "bar" });
    fill(chart, h("div", { class: "panel" }, h("div", { class: "bar" }, choice("Chart", [["line", "line"], ["bar", "bars"], ["scatter", "scatter"]], kind, (v) => { kind = v; go(); }),
      choice("Across", [["", "row number"], ...numbers], x, (v) => { x = v; go(); }), choice("Up", numbers, y, (v) => { y = v; go(); })), canvas));
    go();
  }

  // explain runs the statement and shows the steps of its plan.
  async function explain() {
    if (running) running.abort();
    progress.textContent = "";
    fill(result, h("p", { class: "soft" }, "Explaining …")); fill(chart);
    try {
      const got = await rows("EXPLAIN ANALYZE FORMAT=JSON " + trimmed().replace(/^explain\s+(analyze\s+)?(format\s*=\s*\w+\s+)?/i, ""), { database, signal, cut: 1 << 22 });
      fill(result, h("h2", {}, "Plan"), tree(JSON.parse(new TextDecoder().decode(raw(got[0][0])))));
    } catch (e) { fill(result, h("p", { class: "bad", role: "alert" }, e.message)); }
  }

  // Completion.
  let picked = 0;
  const word = () => (/[\w$]+$/.exec(editor.value.slice(0, editor.selectionStart)) || [""])[0];
  function offer(force) {
    const w = word();
    const fits = w || force ? names.filter((n, i) => n.toLowerCase().startsWith(w.toLowerCase()) && n !== w && names.indexOf(n) === i).slice(0, 12) : [];
    menu.hidden = !fits.length || (w.length < 2 && !force);
    picked = 0;
    fill(menu, fits.map((n, i) => h("li", { role: "option", "aria-selected": String(i === 0), onmousedown: (e) => { e.preventDefault(); take(n); } }, n)));
  }
  function take(n) {
    const end = editor.selectionStart, from = end - word().length;
    editor.setRangeText(n, from, end, "end");
    menu.hidden = true;
    editor.focus();
  }
  editor.addEventListener("input", () => offer(false));
  editor.addEventListener("blur", () => { menu.hidden = true; });
  editor.addEventListener("keydown", (e) => {
    if (e.ctrlKey && e.key === "Enter") { e.preventDefault(); start(editor.value); return; }
    if (e.ctrlKey && e.key === " ") { e.preventDefault(); offer(true); return; }
    if (menu.hidden) return;
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      picked = (picked + (e.key === "ArrowDown" ? 1 : menu.children.length - 1)) % menu.children.length;
      [...menu.children].forEach((li, i) => li.setAttribute("aria-selected", String(i === picked)));
    } else if (e.key === "Tab") { e.preventDefault(); take(menu.children[picked].textContent); } else if (e.key === "Escape") menu.hidden = true;
  });
}
