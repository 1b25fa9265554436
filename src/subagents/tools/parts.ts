import * as z from "zod";
import { sha256Hex } from "../../shared/sha256.ts";
import { sessionKey } from "../../shared/ids.ts";
import { CHILD } from "../../shared/subagents.ts";
import { isEnded, type Task } from "../../shared/tasks.ts";
import type { ToolContext, ToolOutput } from "../../tools/tool.ts";
import type { Roster } from "../catalogue.ts";

/** What the tools of subagents work with. */
export type SubagentToolParts = {
  /** The subagents that the caller has now. */
  readonly rosterOf: (context: ToolContext) => Promise<Roster>;
  readonly options: SubagentOptions;
};

/** What an operator sets. */
export type SubagentOptions = {
  /** A wait takes at most so long, whatever the model says, in seconds; 600. */
  readonly maxWaitSeconds: number;
  /** A wait that is over stops its subagent, instead of letting it go on in the background; false. */
  readonly forceSync: boolean;
  /** Tasks of one session that may be at work at once; 10. */
  readonly maxRunning: number;
};

export const defaultSubagents: SubagentOptions = {
  maxWaitSeconds: 600,
  forceSync: false,
  maxRunning: 10,
};

export const DEFAULT_WAIT_SECONDS = 30;

export const waitSeconds = z
  .number()
  .min(0)
  .max(600)
  .optional()
  .describe(
    "How long to wait for the answer, in seconds, at most 600. Default 30; 0 lets it work in the background. What takes longer goes on in the background.",
  );

/** The key of a subagent's conversation, as the model reads it. */
export const keyOf = (agent: string, session: string): string => `agent:${agent}:${session}`;

/** The session in such a key; `null`: it is none. */
export function sessionIn(key: string): string | null {
  const session = key.slice(key.lastIndexOf(":") + 1);
  return key.startsWith("agent:") && CHILD.test(session) ? session : null;
}

const hashOf = async (text: string): Promise<string> =>
  (await sha256Hex(new TextEncoder().encode(text))).slice(0, 32);

/** The session of a subagent: the same for the same call, or with `what` for the same subagent of a session. */
export const childSession = async (
  { address, op }: ToolContext,
  what: string | null,
): Promise<string> => `sub-${await hashOf(what === null ? op : `${sessionKey(address)} ${what}`)}`;

export type Waiting = {
  readonly id: string;
  readonly seconds: number;
  /** What the answer begins with, in lines. */
  readonly head: readonly string[];
};

const lines = (...parts: readonly (string | readonly string[])[]): string =>
  parts.flat().join("\n");

/**
 * What came of a task that a call waits for; a hold while it is waited for. Once that has taken too long it goes on in the
 * background, or is stopped where the operator wants that.
 */
export async function awaited(
  { tasks, now }: ToolContext,
  { id, seconds, head }: Waiting,
  { forceSync }: SubagentOptions,
): Promise<ToolOutput> {
  const task = tasks.find(id);
  if (!task) return lines(head, "status: error", "error: There is no such task any more.");
  if (isEnded(task.state)) {
    tasks.delivered([id]);
    return lines(head, endLines(task));
  }
  const until = task.createdAt + seconds * 1_000;
  if (now() < until) return { holds: { tasks: [id], all: true, until } };
  if (forceSync) {
    await tasks.cancel(id);
    const ended = tasks.find(id);
    if (ended?.state === "completed")
      return awaited({ tasks, now } as ToolContext, { id, seconds, head }, defaultSubagents);
    return lines(head, "status: timeout", `It took longer than ${seconds} s, and was stopped.`);
  }
  tasks.release(id);
  const asks = asksSomething({ tasks }, task);
  return lines(
    head,
    `status: ${asks ? "awaiting_confirm" : "timeout_promoted"}`,
    `task_id: ${id}`,
    asks
      ? "It asks the user for permission, and goes on in the background once they have answered."
      : `It took longer than ${seconds} s, and goes on in the background.`,
    NO_POLLING,
  );
}

/** Whether the subagent that works on a task waits for a person. */
export const asksSomething = (
  { tasks }: Pick<ToolContext, "tasks">,
  { session, state }: Task,
): boolean =>
  !isEnded(state) && session !== null && (tasks.child({ session })?.pending.length ?? 0) > 0;

/** What came of a task that has ended. */
export function endLines({ state, result, error }: Task): string[] {
  if (state === "completed") return ["status: ok", "reply:", result ?? ""];
  if (state === "cancelled") return ["status: cancelled"];
  return ["status: error", `error: ${error ?? "It failed."}`];
}

export const NO_POLLING =
  "You are told what came of it as soon as it has ended. Do not ask again and again: go on with other work, or wait once with wait_async_results.";
