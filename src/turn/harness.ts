import type { PromptOptions } from "../context/prompt-sources.ts";
import type { PermissionConfig } from "../permissions/config.ts";
import type { Model } from "../model/model.ts";
import type { RetryOptions } from "../model/retry.ts";
import type { AskedFor } from "../shared/permissions.ts";
import type { SessionAddress } from "../shared/session-address.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Capability } from "./capability.ts";
import type { EvictionConfig } from "./eviction/config.ts";
import type { Limits } from "./limits.ts";
import type { ContextOptions } from "./compaction/options.ts";

/** Everything that makes an agent, composed once (`src/harness.ts`) and the same for every caller. */
export type Harness = {
  readonly model: Model;
  readonly capabilities: readonly Capability[];
  /** The files of a session's user, in the buckets that the agent's isolation scope gives. Makes no call. */
  readonly workspace: (address: SessionAddress) => Workspace;
  /** Whether `@path` in a message attaches the file. */
  readonly attachesFiles: boolean;
  readonly limits: Limits;
  /** A tool goes on in the background once it takes longer (ms); absent: none does. */
  readonly asyncToolTimeoutMs?: number;
  readonly context: ContextOptions;
  readonly retry: RetryOptions;
  /** When a tool's result goes to a file; absent: never. */
  readonly eviction?: EvictionConfig;
  /** Whether any capability works on ended turns, or later; if none does, their job is simply removed. */
  readonly hasAfterTurn: boolean;
  /** What the operator's code allows, asks and denies. */
  readonly permissions: PermissionConfig;
  /** Whether its sessions can plan. */
  readonly hasPlanMode: boolean;
  /** Tells someone of calls that wait; `null` where nobody is to be told. Rejects when it could not. May be repeated. */
  readonly notify: ((notice: Notice) => Promise<void>) | null;
  /** Deletes what of a session lies outside its own storage: files, records and its line in lists. May be repeated. */
  readonly forget: (address: SessionAddress) => Promise<void>;
  /** What the system prompt is made of, beside the workspace's files and the capabilities' sections. */
  readonly prompt: PromptOptions;
};

/** Calls of a session wait for a person. */
export type Notice = {
  /** The same each time that it is sent. */
  readonly id: string;
  readonly address: SessionAddress;
  readonly turn: string;
  /** When the turn began to wait, in milliseconds. */
  readonly at: number;
  readonly calls: readonly {
    readonly call: string;
    readonly name: string;
    readonly what: AskedFor;
    readonly expiresAt: number;
  }[];
};
