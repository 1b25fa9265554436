import { element } from "./dom.js";

/** Until when a question waits. @param {number} expiresAt */
export function untilNodes(expiresAt) {
  const date = new Date(expiresAt);
  if (Number.isNaN(date.getTime())) return [];
  const when = date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
  const time = element("time", { datetime: date.toISOString() }, when);
  return ["Without an answer it is denied on ", time, "."];
}

/** @param {() => void} onChange */
export const checkbox = (onChange) =>
  /** @type {HTMLInputElement} */ (element("input", { type: "checkbox", onchange: onChange }));

/** @param {string} label @param {string} kind */
const button = (label, kind) =>
  /** @type {HTMLButtonElement} */ (element("button", { type: "button", class: kind }, label));

/** The parts of a new form that asks for one decision; `nodes` are what to show, in order. */
export function approvalForm() {
  const why = element("p", { class: "why", dir: "auto" });
  const until = element("p", { class: "until" });
  const always = element(
    "fieldset",
    { class: "always", hidden: true },
    element("legend", {}, "Always allow in this conversation"),
  );
  const text = /** @type {HTMLTextAreaElement} */ (
    element("textarea", { rows: 7, spellcheck: "false", autocapitalize: "off" })
  );
  const reason = /** @type {HTMLInputElement} */ (
    element("input", { type: "text", maxlength: 2_000, autocomplete: "off" })
  );
  const wrong = element("p", { class: "wrong", role: "alert" });
  const problem = element("p", { class: "wrong", role: "alert" });
  const editing = element(
    "div",
    { class: "field", hidden: true },
    element("label", {}, element("span", {}, "Arguments, as JSON"), text),
    wrong,
  );
  const saying = element(
    "div",
    { class: "field", hidden: true },
    element("label", {}, element("span", {}, "Why not? Your agent reads it."), reason),
  );
  const [approve, deny] = [button("Approve", "solid"), button("Deny", "plain risky")];
  const [edit, say] = [button("Change arguments", "quiet"), button("Deny with a reason", "quiet")];
  for (const toggle of [edit, say]) toggle.setAttribute("aria-expanded", "false");
  const progress = element("span", { class: "progress", role: "status" });
  const choices = element("div", { class: "choices" }, approve, deny, edit, say, progress);
  /** @type {{ rule: import('./rule.js').Rule, box: HTMLInputElement }[]} */
  const rules = [];
  const title = element("p", { class: "approval-title" }, "May this run?");
  const nodes = [title, why, editing, saying, always, choices, problem, until];
  return {
    title,
    why,
    until,
    always,
    text,
    reason,
    wrong,
    problem,
    editing,
    saying,
    approve,
    deny,
    edit,
    say,
    progress,
    rules,
    nodes,
  };
}
