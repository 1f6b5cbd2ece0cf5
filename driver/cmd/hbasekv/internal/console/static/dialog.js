// Dialogs of the console. Escape and Cancel close them, and the focus returns to where it was.
import { h, fill } from "./dom.js";

// open shows a dialog until it is closed, and gives whether its main button closed it.
function open(title, body, button) {
  const back = document.activeElement, heading = h("h2", { id: "dialog-title" }, title);
  const dialog = h("dialog", { "aria-labelledby": "dialog-title" }, h("form", { method: "dialog" }, heading, body, h("div", { class: "bar" },
    button && h("button", { class: "main", value: "yes" }, button), h("button", { value: "", formnovalidate: true }, button ? "Cancel" : "Close"))));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((done) => dialog.addEventListener("close", () => {
    dialog.remove();
    if (back && back.isConnected) back.focus();
    done(dialog.returnValue === "yes");
  }));
}

// confirmed asks whether a statement is to be run.
export function confirmed(sql, why) {
  return open("Run this statement?", [why && h("p", {}, why), h("pre", {}, sql)], "Run");
}

// answered asks for a text; null is none.
export async function answered(title, label, value) {
  const input = h("input", { id: "answer", value, size: 40, autofocus: true, required: true });
  return (await open(title, h("label", {}, label, input), "Next")) ? input.value : null;
}

const keys = [["Alt+1 to Alt+5", "the pages"], ["Alt+6", "this list"], ["Ctrl+Enter", "run the statement"], ["Ctrl+Space", "complete a name; arrows choose, Tab takes it"],
  ["Arrows on the heat map", "move over its ranges and times; Enter zooms in"], ["Escape", "close a dialog or a list, or zoom out"]];

// help lists what keys do.
export function help() {
  if (document.querySelector("dialog")) return;
  open("Keyboard", h("dl", { class: "keys" }, keys.map(([key, what]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, what)])));
}
