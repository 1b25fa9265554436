import { isConflict, textOf } from "./api.js";
import { pretty, visible } from "./arguments.js";
import { approvalForm, checkbox, untilNodes } from "./approval-form.js";
import { element, setText } from "./dom.js";
import { MarkdownView } from "./render.js";
import { ruleText } from "./rule.js";

/**
 * @typedef {import('./transcript.js').Question} Question
 * @typedef {import('./api.js').Decision} Decision
 * @typedef {(question: Question, decision: Decision) => Promise<void>} Decide Rejects when the decision does not count.
 */

/** Where a person decides on one call: once for each question, however often a button is pressed. */
export class ApprovalCard {
  node = element("div", { class: "approval", role: "group", hidden: true });
  #decide;
  /** @type {Question | null} */
  #question = null;
  /** What was chosen and is on its way. @type {Decision['decision'] | null} */
  #sending = null;
  #form = approvalForm();
  /** Why the last decision did not count, for the question that is asked in its place. */
  #refusal = "";

  #readPlan;

  /** @param {Decide} decide @param {() => Promise<string | null>} readPlan */
  constructor(decide, readPlan) {
    this.#decide = decide;
    this.#readPlan = readPlan;
  }

  /** Shows a question, or with `null` that there is none any more. @param {Question | null} question */
  update(question) {
    const isSame =
      question?.digest === this.#question?.digest && question?.call === this.#question?.call;
    if (isSame) return;
    this.#question = question;
    this.#sending = null;
    if (question) this.#ask(question);
    this.#refusal = "";
    this.node.hidden = question === null;
  }

  /** @param {Question} question */
  #ask(question) {
    const form = approvalForm();
    this.#form = form;
    this.node.setAttribute("aria-label", `May ${visible(question.name)} run?`);
    setText(form.why, visible(question.reason));
    form.until.replaceChildren(...untilNodes(question.expiresAt));
    const rules = question.suggested.map((rule) => ({ rule, box: checkbox(() => this.#draw()) }));
    form.always.hidden = rules.length === 0;
    form.always.append(
      ...rules.map(({ rule, box }) => element("label", {}, box, ` ${ruleText(rule)}`)),
    );
    form.rules.push(...rules);
    form.text.value = pretty(question.input);
    form.text.rows = Math.min(Math.max(form.text.value.split("\n").length + 1, 4), 16);
    form.text.setSelectionRange(0, 0);
    form.text.addEventListener("input", () => this.#draw());
    form.approve.addEventListener("click", () => void this.#approve());
    form.deny.addEventListener("click", () => void this.#deny());
    form.edit.addEventListener("click", () => this.#toggle(form.edit, form.editing, form.text));
    form.say.addEventListener("click", () => this.#toggle(form.say, form.saying, form.reason));
    form.reason.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      void this.#deny();
    });
    setText(form.problem, this.#refusal);
    this.node.replaceChildren(...form.nodes);
    if (question.name === "plan_exit") void this.#showPlan(form);
    this.#draw();
  }

  /** What an approval of a plan is for. @param {ReturnType<typeof approvalForm>} form */
  async #showPlan(form) {
    setText(form.title, "Carry out this plan?");
    const text = await this.#readPlan().catch(() => null);
    const view = new MarkdownView();
    const plan = element("div", { class: "plan-shown prose", tabindex: 0 }, view.node);
    plan.setAttribute("aria-label", "The plan");
    if (form !== this.#form || text === null) return;
    view.update(text);
    form.why.after(plan);
  }

  /** @param {HTMLElement} button @param {HTMLElement} panel @param {HTMLElement} field */
  #toggle(button, panel, field) {
    panel.hidden = !panel.hidden;
    button.setAttribute("aria-expanded", String(!panel.hidden));
    if (!panel.hidden) field.focus();
    this.#draw();
  }

  async #approve() {
    const { edited, always } = this.#chosen();
    if (!this.#question || edited.state === "wrong") return this.#form.text.focus();
    await this.#send({
      decision: "approve",
      digest: this.#question.digest,
      ...(edited.state === "changed" ? { input: edited.input } : {}),
      ...(always.length > 0 ? { always } : {}),
    });
  }

  async #deny() {
    if (!this.#question) return;
    const reason = this.#form.saying.hidden ? "" : this.#form.reason.value.trim();
    const { digest } = this.#question;
    await this.#send({ decision: "deny", digest, ...(reason === "" ? {} : { reason }) });
  }

  /** @param {Decision} decision */
  async #send(decision) {
    const question = this.#question;
    if (!question || this.#sending !== null) return;
    this.#sending = decision.decision;
    setText(this.#form.problem, "");
    this.#draw();
    try {
      await this.#decide(question, decision);
    } catch (error) {
      this.#sending = null;
      this.#refusal = visible(
        isConflict(error) && error instanceof Error ? error.message : textOf(error),
      );
      setText(this.#form.problem, this.#refusal);
      this.#draw();
    }
  }

  /** What the person has put in, apart from the button. */
  #chosen() {
    const { editing, text, rules } = this.#form;
    const before = this.#question?.input ?? "";
    const edited = editing.hidden ? SAME : readEdited(text.value, before);
    return { edited, always: rules.flatMap(({ rule, box }) => (box.checked ? [rule] : [])) };
  }

  #draw() {
    const { approve, deny, progress, text, wrong, reason, rules } = this.#form;
    const { edited, always } = this.#chosen();
    const isSending = this.#sending !== null;
    const changes = edited.state === "same" ? "" : " with changes";
    setText(approve, `Approve${changes}${always.length > 0 ? " and always allow" : ""}`);
    setText(wrong, edited.state === "wrong" ? edited.why : "");
    text.setAttribute("aria-invalid", String(edited.state === "wrong"));
    // Not `disabled`, which would take the focus away.
    approve.setAttribute("aria-disabled", String(isSending || edited.state === "wrong"));
    deny.setAttribute("aria-disabled", String(isSending));
    for (const input of [text, reason, ...rules.map(({ box }) => box)]) input.disabled = isSending;
    setText(progress, isSending ? PROGRESS[/** @type {'approve'} */ (this.#sending)] : "");
    this.node.setAttribute("aria-busy", String(isSending));
  }
}

const PROGRESS = { approve: "Approving…", deny: "Denying…" };

/**
 * @typedef {{ state: 'same' } | { state: 'changed', input: Record<string, unknown> } | { state: 'wrong', why: string }} Edited
 */

/** @type {Edited} */
const SAME = { state: "same" };

/**
 * The arguments that a person typed. The tool's own schema is the server's to check.
 * @param {string} text
 * @param {string} before
 * @returns {Edited}
 */
export function readEdited(text, before) {
  try {
    const input = JSON.parse(text);
    if (typeof input !== "object" || input === null || Array.isArray(input))
      return { state: "wrong", why: "The arguments must be an object: { … }." };
    return pretty(text) === pretty(before) ? SAME : { state: "changed", input };
  } catch (error) {
    return {
      state: "wrong",
      why: `This is no JSON: ${error instanceof Error ? error.message : ""}`,
    };
  }
}
