import { h, fill, say } from "./dom.js";
import * as api from "./api.js";
import { help } from "./dialog.js";

const pages = [
  ["keys", "Keys over time", () => import("./keys.js")],
  ["tables", "Tables", () => import("./tables.js")],
  ["rows", "Rows", () => import("./rows.js")],
  ["sql", "SQL", () => import("./sql.js")],
  ["now", "Now", () => import("./now.js")],
];
const main = document.getElementById("main"), top_ = document.getElementById("top");
let leave = null; // ends what the shown page has under way

export function go(page, parameters) {
  const q = new URLSearchParams(parameters || {}).toString();
  location.hash = page + (q ? "?" + q : "");
}

function head(current) {
  const s = api.state.session;
  fill(top_, h("strong", {}, "hbasekv"), s && h("nav", { "aria-label": "Pages" }, pages.map(([id, name], i) =>
    h("a", { href: "#" + id, "aria-current": id === current ? "page" : null, title: "Alt+" + (i + 1) }, name))),
  s && h("div", { class: "who" }, h("span", {}, s.user + (s.writes ? "" : " · read-only")),
    h("button", { class: "small", id: "help", title: "Alt+6", onclick: help }, "Keyboard"), h("button", { class: "small", id: "logout", onclick: () => api.logout().catch((e) => say(e.message)) }, "Log out")));
}

async function show() {
  document.getElementById("status").textContent = "";
  if (leave) { leave.abort(); leave = null; }
  if (!api.state.session) {
    try { await api.session(); } catch { showLogin(); return; }
  }
  const [id, parameters] = location.hash.slice(1).split("?");
  const page = pages.find((p) => p[0] === id) || pages[0];
  head(page[0]);
  document.title = page[1] + " · hbasekv";
  const mine = leave = new AbortController();
  const module = await page[2]();
  if (mine.signal.aborted) return;
  fill(main);
  try {
    await module.show(main, new URLSearchParams(parameters || ""), mine.signal);
  } catch (e) {
    if (!mine.signal.aborted) main.append(h("p", { class: "bad", role: "alert" }, e.message));
  }
}

function showLogin() {
  head();
  document.title = "Log in · hbasekv";
  const user = h("input", { name: "user", autocomplete: "username", value: "root", required: true, autofocus: true });
  const password = h("input", { name: "password", type: "password", autocomplete: "current-password" });
  const wrong = h("p", { class: "bad", role: "alert" });
  const enter = h("button", { class: "main", type: "submit" }, "Log in");
  fill(main, h("section", { class: "panel login" }, h("h1", {}, "Log in"), h("form", { onsubmit: async (e) => {
    e.preventDefault();
    enter.disabled = true;
    wrong.textContent = "";
    try { await api.login(user.value, password.value); await show(); } catch (error) { wrong.textContent = error.message; }
    enter.disabled = false;
  } }, h("label", {}, "Account", user), h("label", {}, "Password", password), enter, wrong)));
  user.focus();
}

api.state.onlogout = () => { if (leave) leave.abort(); showLogin(); };
addEventListener("hashchange", show);
addEventListener("keydown", (e) => {
  const digit = e.altKey && !e.ctrlKey && api.state.session && /^Digit([1-6])$/.exec(e.code); // of the key, since Alt makes other characters
  if (!digit) return;
  e.preventDefault();
  if (pages[digit[1] - 1]) go(pages[digit[1] - 1][0]);
  else help();
});
show();
