import * as z from "zod";
import { withReminder } from "../context/reminder.ts";
import { noWork, todoPriorities, todoStatuses, type Todo } from "../shared/plan.ts";
import { shortHash } from "../shared/short-hash.ts";
import { defineTool } from "../tools/define-tool.ts";
import type { SameTools, TurnScope } from "../turn/capability.ts";

export const TODO_LIST = "todo-list";

const MAX_TODOS = 50;
const MAX_CONTENT = 500;

const Item = z.strictObject({
  content: z.string().trim().min(1, "must say what is to be done").max(MAX_CONTENT),
  status: z.enum(todoStatuses),
  priority: z.enum(todoPriorities).default("medium"),
});

/** A list of what is to do, which the agent keeps for long work: a tool to write it, and a reminder of it in each step. */
export const todoList: SameTools = {
  name: TODO_LIST,
  tools: (scope?: TurnScope) => [todoWrite(() => scope?.session().todos ?? noWork.todos)],
  wrapModelCall({ session }, request, next) {
    const { todos } = session();
    if (todos.every(({ status }) => status === "completed")) return next(request);
    return next({ ...request, messages: withReminder(request.messages, listed(todos)) });
  },
};

const todoWrite = (before: () => readonly Todo[]) =>
  defineTool({
    name: "todo_write",
    description:
      "Keeps the list of what is to be done in this session: always all of it, as each call replaces it. Use it for work of three steps or more. Mark one item as in_progress before you begin it, and as completed as soon as it is done. An empty list clears it.",
    input: z.strictObject({
      todos: z
        .array(Item)
        .max(MAX_TODOS)
        .refine((todos) => todos.filter(({ status }) => status === "in_progress").length <= 1, {
          message: "may have one item in_progress at most",
        })
        .refine((todos) => new Set(todos.map(({ content }) => content)).size === todos.length, {
          message: "names the same thing twice. Leave one of them out",
        }),
    }),
    effect: "read",
    replay: "idempotent",
    parallel: false,
    run({ todos: written }, { key, now }) {
      const known = new Map(before().map((todo) => [todo.content, todo]));
      const todos = written.map((todo, at): Todo => {
        const { id, createdAt } = known.get(todo.content) ?? {
          id: shortHash(`${key}/${at}`),
          createdAt: now(),
        };
        return { id, ...todo, createdAt };
      });
      return { content: [{ type: "text", text: storedText(todos) }], todos };
    },
  });

const count = (todos: readonly Todo[], status: Todo["status"]): number =>
  todos.filter((todo) => todo.status === status).length;

function storedText(todos: readonly Todo[]): string {
  if (todos.length === 0) return "The list is empty now.";
  return `Kept: ${count(todos, "completed")} completed, ${count(todos, "in_progress")} in progress, ${count(todos, "pending")} pending.`;
}

const listed = (todos: readonly Todo[]): string =>
  [
    "Your list of what is to be done, as todo_write has kept it:",
    ...todos.map(({ content, status, priority }) => `- [${status}] ${content} (${priority})`),
    "Go on with it, and keep it up to date.",
  ].join("\n");
