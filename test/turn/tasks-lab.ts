import * as z from "zod";
import { findTask, insertTask, updateTask } from "../../src/session/tasks.ts";
import { sessionTables } from "../../src/session/schema.ts";
import { isEnded, type TaskState } from "../../src/shared/tasks.ts";
import type { TaskEnd } from "../../src/turn/tasks/end-task.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { createScriptedTools, type Effects } from "../support/scripted-tools.ts";
import { AskingLab } from "./asking-lab.ts";

const Input = z.strictObject({
  tasks: z.array(z.string()),
  all: z.boolean().default(true),
  ms: z.number().default(30_000),
});

/** A session with a tool that waits for tasks, which a test begins and ends by hand. */
export class TasksLab extends AskingLab {
  override ownTools() {
    return [
      ...createScriptedTools(this.effects, () => this.pause()),
      waitFor(this.effects, (id) => findTask(this.sql, id)?.state ?? null),
    ];
  }

  begin(id: string, turn: string | null = null): void {
    const now = this.clock.now();
    insertTask(sessionTables(this.sql), {
      id,
      agent: "helper",
      session: null,
      title: id,
      turn,
      now,
    });
  }

  /** A task ends, and the session hears of it. */
  async end(id: string, state: TaskEnd["state"] = "completed", text = `of ${id}`): Promise<void> {
    this.session.family.endTask(id, { state, text });
    await this.settle();
  }

  /** The same, while nobody is there to hear of it. */
  endUnheard(id: string): void {
    updateTask(this.sql, id, { state: "completed", result: id, now: this.clock.now() });
  }

  /** The texts that came of tasks, as the model was told them, request by request. */
  get told(): string[] {
    return this.witness.requests.map(({ messages }) =>
      messages
        .flatMap((message) => (message.role === "user" ? message.content : []))
        .flatMap((part) =>
          part.type === "text" ? [...part.text.matchAll(/<task_result id="(\w+)"/g)] : [],
        )
        .map(([, id]) => id)
        .join(),
    );
  }
}

const waitFor = (effects: Effects, stateOf: (id: string) => TaskState | null) =>
  defineTool({
    name: "wait_for",
    description: "Waits for tasks.",
    input: Input,
    effect: "read",
    replay: "idempotent",
    parallel: false,
    run({ tasks, all, ms }, { now }) {
      effects.runs.push(`wait_for:${tasks.join()}`);
      const states = tasks.map((id) => stateOf(id) ?? "completed");
      const isOver = all ? states.every(isEnded) : states.some(isEnded);
      const until = deadlines.get(effects) ?? now() + ms;
      deadlines.set(effects, until);
      if (isOver || now() >= until) return `looked: ${states.join()}`;
      return { holds: { tasks, all, until } };
    },
  });

const deadlines = new WeakMap<Effects, number>();

export const wait = (tasks: readonly string[], more: object = {}) => ({
  name: "wait_for",
  input: JSON.stringify({ tasks, ...more }),
});
