import type { Child } from "../session/children.ts";
import type { TaskQuery } from "../session/tasks.ts";
import type { Declaration } from "../shared/subagents.ts";
import type { Hold, Task } from "../shared/tasks.ts";

/** What is handed to a subagent. */
export type HandOn = {
  /** Of the task: the same each time that the same is handed on. */
  readonly id: string;
  readonly child: Pick<Child, "session" | "agent" | "label" | "isExposed">;
  /** `null`: as it was told before. */
  readonly declaration: Declaration | null;
  readonly title: string;
  readonly text: string;
  /** Whether this turn waits for it, and takes it along when it is stopped. */
  readonly isWaitedFor: boolean;
};

/** What a tool can do with the tasks and subagents of its session. Each change is committed when it returns. */
export type TaskDesk = {
  /** Hands a task on; where it was handed on before, nothing changes. */
  readonly handOn: (work: HandOn) => void;
  /** Only knows the subagent from now on; where it is known, nothing changes. */
  readonly adopt: (child: HandOn["child"]) => void;
  readonly find: (id: string) => Task | null;
  readonly list: (query: TaskQuery) => readonly Task[];
  /** How many have not ended. */
  readonly open: () => number;
  /** No turn waits for it any more. */
  readonly release: (id: string) => void;
  /** The agent was told what came of these. */
  readonly delivered: (ids: readonly string[]) => void;
  /** Once it resolves, nothing is done for the task any more. Whether it had not ended. */
  readonly cancel: (id: string) => Promise<boolean>;
  readonly child: (by: { readonly session: string } | { readonly label: string }) => Child | null;
  /** The newest, newest first. */
  readonly children: (limit: number) => readonly Child[];
  /** What this call waited for before; `null` the first time. */
  readonly held: Hold | null;
};
