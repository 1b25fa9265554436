import type { SeenFiles } from "../session/entries.ts";
import type { ContentPart } from "../shared/messages.ts";
import type { Workspace } from "../workspace/workspace.ts";

/**
 * What a recovery may do with a call that was interrupted: `pure` runs again; `idempotent` runs again with
 * the same key; `checkable` asks its probe; `unsafe` (the default) is never run again and the model is told
 * that the outcome is unknown.
 */
export type Replay = "pure" | "idempotent" | "checkable" | "unsafe";

/** What a call does to the world: `read` nothing, `write` only the caller's own workspace, `external` anything else. */
export type Effect = "read" | "write" | "external";

/** `seen`: the files that the content shows whole, or that were written, with their etags. */
export type ToolOutput =
  | string
  | readonly ContentPart[]
  | { readonly content: readonly ContentPart[]; readonly seen?: SeenFiles };

export type ToolContext = {
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
  /** The etag that a file had when the model was last shown all of it, or wrote it; `null` when its context has neither. */
  readonly seen: (path: string) => string | null;
};

/** A tool as the turn sees it. Make one with `defineTool`. */
export type Tool = {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly effect: Effect;
  readonly replay: Replay;
  /** Whether calls of one step may run beside each other; default: only when `effect` is `read`. */
  readonly parallel: boolean;
  /**
   * Validates and prepares; nothing has happened yet. Throws `CarrelError('invalid')` whose message tells the
   * model how to mend its arguments.
   */
  readonly prepare: (input: unknown) => PreparedCall;
};

export type PreparedCall = {
  /** Throwing `CarrelError` gives the model its message as an error result; anything else is logged and shown as an id. */
  readonly run: (context: ToolContext) => Promise<ToolOutput>;
  /** Only for `checkable`: did the call with this key happen? */
  readonly probe?: (context: ToolContext) => Promise<"done" | "absent" | "unknown">;
};
