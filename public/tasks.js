import { ArgumentsView, visible } from "./arguments.js";
import { ApprovalCard } from "./approval.js";
import { byId, element, setState, setText } from "./dom.js";

/**
 * @typedef {import('../src/shared/tasks.ts').TaskNews} Task
 * @typedef {import('./transcript.js').Question} Question
 *
 * What a person can do with tasks. `stop` rejects where that did not happen.
 * @typedef {Pick<import('./tool.js').ToolActions, 'decide' | 'readPlan'> & { stop: (task: string) => Promise<void> }} TaskActions
 */

/** What goes on in the background of the open conversation, and what subagents ask: above the message box. */
export class TasksBar {
  #node = byId("tasks");
  #list = element("ul", { class: "task-list" });
  #questions = element("div", { class: "task-questions" });
  #actions;
  /** @type {Map<string, TaskRow>} */
  #rows = new Map();
  /** @type {Map<string, QuestionView>} */
  #asked = new Map();

  /** @param {TaskActions} actions */
  constructor(actions) {
    this.#actions = actions;
    this.#node.append(this.#list, this.#questions);
  }

  /** @param {{ tasks: readonly Task[], asked: readonly Question[] }} transcript */
  render({ tasks, asked }) {
    const asks = new Set(asked.map(({ source }) => source?.session));
    place(this.#list, this.#rows, tasks, {
      key: ({ id }) => id,
      make: ({ id }) => new TaskRow(() => this.#actions.stop(id)),
      update: (row, task) => row.update(task, task.session !== null && asks.has(task.session)),
    });
    place(this.#questions, this.#asked, asked, {
      key: ({ call, digest }) => `${call} ${digest}`,
      make: () => new QuestionView(this.#actions),
      update: (view, question) => view.update(question),
    });
    this.#list.hidden = tasks.length === 0;
    this.#node.hidden = tasks.length + asked.length === 0;
  }
}

/**
 * Shows these in order, one view for each key; views that are not needed any more go.
 * @template Item
 * @template {{ node: Element }} View
 * @param {Element} parent
 * @param {Map<string, View>} views
 * @param {readonly Item[]} items
 * @param {{ key: (item: Item) => string, make: (item: Item) => View, update: (view: View, item: Item) => void }} how
 */
function place(parent, views, items, { key, make, update }) {
  const keys = new Set(items.map(key));
  for (const [known, view] of views) {
    if (keys.has(known)) continue;
    view.node.remove();
    views.delete(known);
  }
  for (const [index, item] of items.entries()) {
    const view = views.get(key(item)) ?? make(item);
    views.set(key(item), view);
    if (parent.children[index] !== view.node)
      parent.insertBefore(view.node, parent.children[index] ?? null);
    update(view, item);
  }
}

class TaskRow {
  #agent = element("code", { class: "name" });
  #title = element("span", { class: "task-title", dir: "auto" });
  #state = element("span", { class: "task-state" });
  #button = element("button", { type: "button", class: "link" }, "Stop");
  #stop;
  #isStopping = false;
  node = element("li", {}, this.#agent, this.#title, this.#state, this.#button);

  /** @param {() => Promise<void>} stop */
  constructor(stop) {
    this.#stop = stop;
    this.#button.addEventListener("click", () => void this.#end());
  }

  /** @param {Task} task @param {boolean} asks */
  update({ agent, title, state }, asks) {
    setText(this.#agent, visible(agent));
    setText(this.#title, title === agent ? "" : visible(title));
    const said = asks ? "waits for you" : state === "pending" ? "begins" : "at work";
    setText(this.#state, this.#isStopping ? "stopping…" : said);
    setState(this.node, asks ? "asks" : state);
    this.#button.setAttribute("aria-label", `Stop ${visible(agent)}: ${visible(title)}`);
  }

  /** It goes once the events say that it was stopped. */
  async #end() {
    if (this.#isStopping) return;
    this.#isStopping = true;
    setText(this.#state, "stopping…");
    try {
      await this.#stop();
    } finally {
      this.#isStopping = false;
    }
  }
}

/** A call of a subagent that waits for the person. */
class QuestionView {
  #who = element("p", { class: "task-who" });
  #name = element("code", { class: "name" });
  #arguments = new ArgumentsView();
  #card;
  node;

  /** @param {TaskActions} actions */
  constructor({ decide, readPlan }) {
    this.#card = new ApprovalCard(decide, readPlan);
    const head = element("div", { class: "tool-head" }, this.#name, this.#who);
    this.node = element(
      "section",
      { class: "tool task-question" },
      head,
      this.#arguments.node,
      this.#card.node,
    );
    setState(this.node, "asked");
  }

  /** @param {Question} question */
  update(question) {
    const agent = visible(question.source?.agent ?? "");
    setText(this.#name, visible(question.name));
    setText(this.#who, `asked by the subagent ${agent}`);
    this.node.setAttribute("aria-label", `A call of the subagent ${agent}`);
    this.#arguments.update(question.input);
    this.#card.update(question);
  }
}
