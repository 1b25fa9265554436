import * as z from "zod";
import { createPlanMode } from "../../src/plan/plan-mode.ts";
import { todoList } from "../../src/plan/todo-list.ts";
import type { PermissionConfig } from "../../src/permissions/config.ts";
import type { PendingCall } from "../../src/shared/events.ts";
import type { Plan, Todo } from "../../src/shared/plan.ts";
import { isReminder } from "../../src/shared/reminder.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { createFileTools } from "../../src/tools/files/file-tools.ts";
import { createScriptedTools, type Effects } from "../support/scripted-tools.ts";
import type { ScriptedStep } from "../support/scripted-model.ts";
import { WorkspaceLab } from "../support/workspace-lab.ts";
import { AskingLab } from "../turn/asking-lab.ts";

export type PlanLabOptions = {
  readonly permissions?: Partial<PermissionConfig>;
  readonly allowsShell?: boolean;
  readonly session?: string;
  readonly files?: WorkspaceLab;
};

/** Tools of other places: one of a server that says nothing of what it does, and a shell. */
const foreign = (effects: Effects, name: string) =>
  defineTool({
    name,
    description: "From elsewhere.",
    input: z.object({}),
    run() {
      effects.runs.push(name);
      return "done";
    },
  });

/** A session that can plan and keeps to-dos, over real files. */
export class PlanLab extends AskingLab {
  readonly files: WorkspaceLab;
  readonly #id: string;

  constructor({
    permissions = {},
    allowsShell = false,
    session = "s1",
    files,
  }: PlanLabOptions = {}) {
    const lab = files ?? new WorkspaceLab();
    super(
      {
        permissions,
        workspace: () => lab.workspace({ session }),
        capabilities: [
          createPlanMode({ allowsShell }),
          todoList,
          { name: "files", tools: () => createFileTools([]) },
        ],
      },
      { agent: "main", user: "ann", session },
    );
    this.files = lab;
    this.#id = session;
  }

  override ownTools() {
    return [
      ...createScriptedTools(this.effects, () => this.pause()),
      foreign(this.effects, "mcp__box__run"),
      foreign(this.effects, "execute"),
    ];
  }

  /** A turn to its end, or until it waits. */
  async run(key: string, ...steps: readonly ScriptedStep[]): Promise<void> {
    this.say(key, steps);
    await this.settle();
  }

  get plan(): Plan {
    return this.session.work().plan;
  }

  get todos(): readonly Todo[] {
    return this.session.work().todos;
  }

  /** Of the session's plan, as it is in the file; `null` without one. */
  async text(): Promise<string | null> {
    const path = `plans/${this.#id}/PLAN.md`;
    const { files } = await this.files.workspace().readMany({ paths: [path] });
    const content = files[0]?.content;
    return content && "text" in content ? content.text : null;
  }

  /** What the tools of a turn gave, as `status: text`. */
  results(turn?: string): string[] {
    return this.entries(turn).flatMap((entry) =>
      entry.kind === "result"
        ? `${entry.status}: ${entry.content.map((part) => ("text" in part ? part.text : "")).join("")}`
        : [],
    );
  }

  /** The reminders of each request so far. */
  get reminders(): string[] {
    return this.witness.requests.map(({ messages }) => {
      const last = messages.at(-1);
      const content = last?.role === "user" ? last.content : [];
      return content
        .flatMap((part) => (part.type === "text" && isReminder(part.text) ? part.text : []))
        .join("\n");
    });
  }

  /** The one call that waits. */
  get waits(): PendingCall {
    const [only, ...more] = this.pending();
    if (!only || more.length > 0) throw new Error(`${this.pending().length} calls wait`);
    return only;
  }
}

export const tool = (name: string, input: object = {}) => ({ name, input: JSON.stringify(input) });
export const enter = tool("plan_enter");
export const write = (content = "Do it.") => tool("plan_write", { content });
export const exit = (summary?: string) =>
  tool("plan_exit", summary === undefined ? {} : { summary });
export const done = { text: "Done.", batches: 1 } as const;
