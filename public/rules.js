import { textOf } from "./api.js";
import { element, icon, setText } from "./dom.js";
import { isSameRule, ruleText } from "./rule.js";

/**
 * @typedef {import('../src/shared/session-api.ts').PermissionsView} PermissionsView
 * @typedef {import('../src/shared/session-api.ts').PermissionsChange} PermissionsChange
 * @typedef {import('../src/shared/permissions.ts').Rule} Rule
 * @typedef {'allow' | 'ask' | 'deny'} Kind
 */

/** @type {readonly { kind: Kind, title: string }[]} */
const KINDS = [
  { kind: "allow", title: "Run without asking" },
  { kind: "ask", title: "Always ask" },
  { kind: "deny", title: "Never run" },
];

/**
 * Shows the rules of a conversation, of which the person's own can be removed, and those of the operator.
 * @param {{ read: () => Promise<PermissionsView>, change: (change: PermissionsChange) => Promise<PermissionsView> }} server
 */
export function openRules({ read, change }) {
  const status = element("p", { class: "rules-status", role: "status" }, "Reading the rules…");
  const problem = element("p", { class: "wrong", role: "alert" });
  const body = element("div", { class: "rules-body" });
  const close = element("button", { type: "button", class: "solid", autofocus: true }, "Close");
  const dialog = /** @type {HTMLDialogElement} */ (
    element(
      "dialog",
      { class: "sign-in rules", "aria-labelledby": "rules-title" },
      element("h2", { id: "rules-title" }, "Rules of this conversation"),
      status,
      body,
      problem,
      element("div", { class: "choices" }, close),
    )
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("close", () => dialog.remove());

  /** @param {Kind} kind @param {Rule} rule */
  async function remove(kind, rule) {
    // Read anew, so that a rule that came meanwhile stays.
    const { session } = await read();
    const rest = session[kind].filter((other) => !isSameRule(other, rule));
    show(await change({ [kind]: rest }));
    setText(status, "Removed.");
    close.focus();
  }

  /** @param {PermissionsView} view */
  function show({ session, operator }) {
    setText(status, "");
    body.replaceChildren(
      ...listOf("Yours", session, (kind, rule) => void attempt(() => remove(kind, rule))),
      ...listOf("The operator’s, which you cannot change", operator, null),
    );
  }

  /** @param {() => Promise<void>} action */
  async function attempt(action) {
    setText(problem, "");
    try {
      await action();
    } catch (error) {
      setText(status, "");
      setText(problem, textOf(error));
    }
  }

  document.body.append(dialog);
  dialog.showModal();
  void attempt(async () => show(await read()));
}

/**
 * @param {string} title
 * @param {import('../src/shared/permissions.ts').Rules} rules
 * @param {((kind: Kind, rule: Rule) => void) | null} remove
 */
function listOf(title, rules, remove) {
  const kinds = KINDS.filter(({ kind }) => rules[kind].length > 0);
  const lists = kinds.flatMap(({ kind, title: name }) => [
    element("h4", {}, name),
    element(
      "ul",
      {},
      ...rules[kind].map((rule) => itemOf(rule, remove && (() => remove(kind, rule)))),
    ),
  ]);
  return [
    element("h3", {}, title),
    ...(lists.length > 0 ? lists : [element("p", { class: "rules-none" }, "None.")]),
  ];
}

/** @param {Rule} rule @param {(() => void) | null} remove */
function itemOf(rule, remove) {
  const text = ruleText(rule);
  if (!remove) return element("li", {}, element("span", {}, text));
  const button = element(
    "button",
    {
      type: "button",
      class: "bare",
      "aria-label": `Remove the rule: ${text}`,
      title: "Remove",
      onclick: remove,
    },
    icon("remove"),
  );
  return element("li", {}, element("span", {}, text), button);
}
