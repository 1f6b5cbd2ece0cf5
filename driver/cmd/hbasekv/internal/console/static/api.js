// The requests of the console. Each that does something carries the token of the login.
import { literal } from "./dom.js";

export const state = { session: null, onlogout: () => {} };

async function call(path, body, signal) {
  const answer = await fetch("api/" + path, {
    method: body === undefined ? "GET" : "POST", credentials: "same-origin", signal,
    headers: body === undefined ? {} : { "Content-Type": "application/json", "X-CSRF-Token": state.session ? state.session.token : "" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  if (answer.status === 401 && path !== "login") { state.session = null; state.onlogout(); }
  return answer;
}

// failure is an error of an answer, whose message begins with MySQL's number.
function failure({ number, state, message }) {
  return Object.assign(new Error((number ? number + ": " : "") + message), { number, state });
}

async function json(answer) {
  const got = await answer.json();
  if (got.error) throw failure(got.error);
  return got;
}

export async function session() { state.session = await json(await call("session")); return state.session; }
export async function login(user, password) { state.session = await json(await call("login", { user, password })); return state.session; }
export async function logout() { await call("logout", {}); state.session = null; state.onlogout(); }
export async function ask(path, body, signal) { return json(await call(path, body, signal)); }

// query runs a statement. Its generator gives {id}, {columns}, {rows} as they come and {end}; whoever stops
// taking them holds the statement up, and ending signal ends it.
export async function* query(body, signal) {
  const answer = await call("query", body, signal);
  if (!answer.ok) { await json(answer); return; }
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      const lines = (rest + value).split("\n");
      rest = lines.pop();
      for (const line of lines) {
        const got = JSON.parse(line);
        if (got.error) throw failure(got.error);
        yield got;
      }
    }
  } finally { reader.cancel().catch(() => {}); }
}

// rows are all rows of a statement of a page's own.
export async function rows(sql, options) {
  const out = Object.assign([], { columns: [] });
  for await (const got of query({ sql, database: (options && options.database) || "", rows: (options && options.rows) || 0, cut: (options && options.cut) || 0 }, options && options.signal)) {
    if (got.columns) out.columns = got.columns;
    if (got.rows) out.push(...got.rows);
    if (got.end) out.end = got;
  }
  return out;
}

// firstKey is the first column of a table's primary key, or null: its name, and whether it is a number.
export async function firstKey(database, table, signal) {
  const named = (s) => literal(new TextEncoder().encode(s));
  const [first] = await rows("SELECT COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = " + named(database) + " AND TABLE_NAME = " + named(table) + " AND COLUMN_KEY = 'PRI' ORDER BY ORDINAL_POSITION LIMIT 1", { signal });
  return first ? { name: String(first[0]), numeric: /int|decimal|float|double/i.test(String(first[1])) } : null;
}

export async function download(sql, database, format) {
  const { ticket } = await ask("download", { sql, database, format });
  const a = document.createElement("a");
  a.href = "api/download/" + encodeURIComponent(ticket);
  a.download = "";
  document.body.append(a);
  a.click();
  a.remove();
}
