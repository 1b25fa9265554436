import { visible } from "./arguments.js";
import { confirm } from "./ask.js";
import { byId, element, setState, setText } from "./dom.js";

/**
 * @typedef {import('../src/shared/plan.ts').Plan} Plan
 * @typedef {import('../src/shared/plan.ts').Todo} Todo
 *
 * `plan` is `null` where the agent cannot plan, or nobody knows yet.
 * @typedef {{ plan: Plan | null, todos: readonly Todo[] }} Work
 */

/** What the agent plans and has to do in the open conversation: above the message box, as long as there is any. */
export class WorkBar {
  #node = byId("work");
  #toggle = /** @type {HTMLButtonElement} */ (byId("plan"));
  #said = element("p", { class: "plan-said" });
  #open = element("button", { type: "button", class: "link" }, "Read the plan");
  #now = element("span", { class: "todo-now", dir: "auto" });
  #count = element("span", { class: "todo-count" });
  #list = element("ul", { class: "todo-list" });
  #todos = element(
    "details",
    { class: "todos" },
    element("summary", {}, this.#count, this.#now),
    this.#list,
  );
  /** @type {readonly Todo[]} */
  #shown = [];
  /** @type {Work} */
  #work = { plan: null, todos: [] };
  #isChanging = false;
  #setPlan;

  /** @param {(active: boolean) => Promise<void>} setPlan @param {(path: string) => void} openFile */
  constructor(setPlan, openFile) {
    this.#setPlan = setPlan;
    this.#open.addEventListener("click", () => openFile(this.#work.plan?.path ?? ""));
    this.#toggle.addEventListener("click", () => void this.#change());
    this.#node.append(element("div", { class: "plan" }, this.#said, this.#open), this.#todos);
  }

  /** @param {Work} work */
  render(work) {
    this.#work = work;
    const { plan, todos } = work;
    const text = planText(plan);
    this.#toggle.hidden = plan === null;
    this.#toggle.setAttribute("aria-pressed", String(plan?.active === true));
    this.#toggle.setAttribute("aria-busy", String(this.#isChanging));
    this.#toggle.title = plan?.active
      ? "End plan mode without approving a plan"
      : "Have your agent plan first: it only reads until you approve its plan";
    setText(this.#said, text);
    setState(this.#node, plan?.active ? "planning" : "working");
    this.#said.parentElement?.toggleAttribute("hidden", text === "");
    this.#open.hidden = plan?.path === null || plan?.path === undefined;
    this.#todos.hidden = todos.length === 0;
    if (todos !== this.#shown) this.#showTodos(todos);
    this.#node.hidden = text === "" && todos.length === 0;
  }

  /** @param {readonly Todo[]} todos */
  #showTodos(todos) {
    this.#shown = todos;
    const done = todos.filter(({ status }) => status === "completed").length;
    const now = todos.find(({ status }) => status === "in_progress");
    setText(this.#count, `${done} of ${todos.length} done`);
    setText(this.#now, now ? visible(now.content) : "");
    this.#list.replaceChildren(...todos.map(todoRow));
  }

  /** To end it by hand is to go on without a plan, so that is asked about. */
  async #change() {
    const { plan } = this.#work;
    if (!plan || this.#isChanging) return;
    this.#isChanging = true;
    this.render(this.#work);
    const isMeant =
      !plan.active ||
      (await confirm(
        "End plan mode?",
        "Your agent may then change things again. No plan is approved by this.",
        "End it",
      ));
    if (isMeant) await this.#setPlan(!plan.active);
    this.#isChanging = false;
    this.render(this.#work);
    this.#toggle.focus();
  }
}

/** @param {Plan | null} plan */
function planText(plan) {
  if (plan?.active)
    return plan.path === null
      ? "Planning: your agent only reads, until you approve a plan."
      : "Planning: a plan is written, and waits for you once your agent asks.";
  if (!plan || plan.hash === null || plan.approved !== plan.hash) return "";
  return "You approved the plan.";
}

const STATUS = { pending: "to do", in_progress: "now", completed: "done" };

/** @param {Todo} todo */
function todoRow({ content, status, priority }) {
  const mark = element("span", { class: "todo-mark" }, STATUS[status]);
  const text = element("span", { class: "todo-text", dir: "auto" }, visible(content));
  const row = element("li", { "data-priority": priority }, mark, text);
  setState(row, status);
  return row;
}
