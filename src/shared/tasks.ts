import { sha256Hex } from "./sha256.ts";

export const taskStates = ["pending", "running", "completed", "failed", "cancelled"] as const;

/** `pending`: nobody has begun it yet. What ended stays as it ended. */
export type TaskState = (typeof taskStates)[number];

/** Work that a session has handed to a subagent, or a call of a tool that went on in the background. */
export type Task = {
  readonly id: string;
  /** The subagent's id, or the tool's name. */
  readonly agent: string;
  /** The subagent's session; `null` for a tool. */
  readonly session: string | null;
  /** What it is about, in a line. */
  readonly title: string;
  readonly state: TaskState;
  /** What came of it; `null` unless it is completed. */
  readonly result: string | null;
  /** Why there is nothing; `null` unless it failed. */
  readonly error: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When the agent was told what came of it; `null` until then. */
  readonly deliveredAt: number | null;
};

/** The task of one call, the same however often it runs: `op` names the call among all that there are. */
export const taskOf = async (op: string): Promise<string> =>
  `task_${(await sha256Hex(new TextEncoder().encode(`task ${op}`))).slice(0, 24)}`;

export const isEnded = (state: TaskState): boolean => state !== "pending" && state !== "running";

/** What a call waits for: that all of these tasks have ended, or one; of none: that there is any news. At most until then (ms). */
export type Hold = {
  readonly tasks: readonly string[];
  readonly all: boolean;
  readonly until: number;
};

/** Of a task, what everybody may see at once: not what came of it. */
export type TaskNews = Pick<Task, "id" | "agent" | "session" | "title" | "state">;

export const newsOf = ({ id, agent, session, title, state }: Task): TaskNews => ({
  id,
  agent,
  session,
  title,
  state,
});
