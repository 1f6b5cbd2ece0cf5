"use strict";
const box = document.getElementById("search"), list = document.getElementById("results");

// A part of a page is found when it has all words, each at the beginning of a word of it.
function find(question) {
  const words = question.toLowerCase().split(/\s+/).filter(Boolean);
  if (!words.length) return [];
  const found = [];
  for (const e of window.searchIndex) {
    const title = (e.p + " " + e.t).toLowerCase(), text = e.x.toLowerCase();
    let score = 0;
    for (const word of words) {
      const inTitle = begins(title, word) >= 0, at = begins(text, word);
      if (!inTitle && at < 0) { score = 0; break; }
      score += inTitle ? 20 : 1;
      if (e.p.toLowerCase().startsWith(word)) score += 5;
    }
    if (score) found.push({ e, score });
  }
  return found.sort((a, b) => b.score - a.score).slice(0, 20).map(f => f.e);
}

function begins(text, word) {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (at === 0 || !/[\p{L}\p{N}_]/u.test(text[at - 1])) return at;
  }
  return -1;
}

function excerpt(e, question) {
  const word = question.toLowerCase().split(/\s+/)[0], at = Math.max(0, begins(e.x.toLowerCase(), word));
  return (at > 60 ? "... " : "") + e.x.slice(Math.max(0, at - 60), at + 120);
}

function show() {
  const found = find(box.value);
  list.hidden = !box.value.trim();
  list.replaceChildren(...found.map(e => {
    const item = document.createElement("li"), link = document.createElement("a"), small = document.createElement("small");
    link.href = e.u;
    link.textContent = e.t === e.p ? e.p : e.p + ": " + e.t;
    link.addEventListener("click", () => { list.hidden = true; });
    small.textContent = excerpt(e, box.value);
    item.append(link, small);
    return item;
  }));
  if (!found.length) list.textContent = "Nothing has all of these words.";
}

box.addEventListener("input", show);
box.form.addEventListener("submit", event => {
  event.preventDefault();
  const first = list.querySelector("a");
  if (first) { location.href = first.href; list.hidden = true; }
});
document.addEventListener("keydown", event => {
  if (event.key === "/" && document.activeElement !== box) { event.preventDefault(); box.focus(); }
  if (event.key === "Escape") { list.hidden = true; box.blur(); }
});

// The list of pages is open where there is room for it.
const menu = document.querySelector(".menu"), wide = window.matchMedia("(min-width: 48rem)");
menu.open = wide.matches;
wide.addEventListener("change", () => { menu.open = wide.matches; });
