import type { SeenFiles } from "../session/entries.ts";
import type { ContentPart } from "../shared/messages.ts";
import type { Work } from "../shared/plan.ts";
import type { Effect, Subjects, ToolVerdict } from "../shared/permissions.ts";
import type { SessionAddress } from "../shared/session-address.ts";
import type { Hold } from "../shared/tasks.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { TaskDesk } from "./task-desk.ts";

/**
 * What a recovery may do with a call that was interrupted: `pure` runs again; `idempotent` runs again with
 * the same key; `checkable` asks its probe; `unsafe` (the default) is never run again and the model is told
 * that the outcome is unknown.
 */
export type Replay = "pure" | "idempotent" | "checkable" | "unsafe";

export type { Effect };

/**
 * `seen`: the files that the content shows whole, or that were written, with their etags. `keep`: a name for what the
 * content says, at most 200 characters: the newest result with that name stays in the model's context whole, also once
 * the conversation is made shorter. `activates`: groups of tools that the session has from its next step on. `plan`,
 * `todos`: what the session plans and has to do from then on; stored with the result, in one commit. `holds`: there is no
 * result yet; the call waits for tasks, and then the tool runs again with the same key.
 */
export type ToolOutput =
  | string
  | readonly ContentPart[]
  | ({
      readonly content: readonly ContentPart[];
      readonly seen?: SeenFiles;
      readonly keep?: string;
      readonly activates?: readonly string[];
    } & Partial<Work>)
  | { readonly holds: Hold };

export type ToolContext = {
  /** Whose call it is, in which session and turn. */
  readonly address: SessionAddress;
  readonly turn: string;
  /** The person's time zone, as IANA names it. */
  readonly zone: string;
  /** Stable across retries of the same call, unique in its session: pass it on as an idempotency key. */
  readonly key: string;
  /** The same, unique across all sessions: the id of an operation on a workspace. */
  readonly op: string;
  /** Who a change of the workspace is by: `agent:<agent>/<session>`. */
  readonly author: string;
  readonly signal: AbortSignal;
  readonly now: () => number;
  /** The caller's files. */
  readonly workspace: Workspace;
  /** What was handed on in this session. */
  readonly tasks: TaskDesk;
  /** The etag that a file had when the model was last shown all of it, or wrote it; `null` when its context has neither. */
  readonly seen: (path: string) => string | null;
  /** Whether the turn has results of tools that show more than the person's own. */
  readonly fromOutside: () => boolean;
};

/** A tool as the turn sees it. Make one with `defineTool`, or `defineClientTool` for one that the client runs. */
export type Tool = ServerTool | ClientTool;

type ToolHead = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  /** It is offered only in sessions in which this group was activated, and refused in all others; default: always. */
  readonly group?: string;
};

export type ServerTool = ToolHead & {
  readonly runsOn?: "server";
  readonly replay: Replay;
  /** Whether calls of one step may run beside each other; default: only when `effect` is `read`. */
  readonly parallel: boolean;
  /**
   * Validates and prepares; nothing has happened yet. Throws `CarrelError('invalid')` whose message tells the
   * model how to mend its arguments.
   */
  readonly prepare: (input: unknown) => PreparedCall;
};

/** A tool that the client runs: its call is parked until the client sends what it gave. Carrel runs nothing. */
export type ClientTool = ToolHead & {
  readonly runsOn: "client";
  /** As for a server's tool. */
  readonly prepare: (input: unknown) => CheckedCall;
  /** What the client says it gave, as content. Throws `CarrelError('invalid')` for what is not of the tool's shape. */
  readonly accept: (output: unknown) => readonly ContentPart[];
};

/** What the permission engine asks of a call whose arguments are valid. */
export type CheckedCall = {
  /** The arguments that it runs with, parsed, which rules look at too; absent: those that the model wrote. */
  readonly data?: unknown;
  /** What rules look at; absent: the names and the texts of the arguments. */
  readonly subjects?: Subjects;
  /** The tool's own opinion; absent: none. */
  readonly verdict?: ToolVerdict;
  /** What an approval is bound to beside tool and arguments: once it is another, the call is asked about again. */
  readonly binds?: string;
};

export type PreparedCall = CheckedCall & {
  /** Throwing `CarrelError` gives the model its message as an error result; anything else is logged and shown as an id. */
  readonly run: (context: ToolContext) => Promise<ToolOutput>;
  /** Only for `checkable`: did the call with this key happen? */
  readonly probe?: (context: ToolContext) => Promise<"done" | "absent" | "unknown">;
};
