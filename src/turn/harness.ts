import type { PromptOptions } from "../context/prompt-sources.ts";
import type { Model } from "../model/model.ts";
import type { RetryOptions } from "../model/retry.ts";
import type { SessionAddress } from "../shared/session-api.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Capability } from "./capability.ts";
import type { Limits } from "./limits.ts";
import type { WindowOptions } from "./window.ts";

/** Everything that makes an agent, composed once (`src/harness.ts`) and the same for every caller. */
export type Harness = {
  readonly model: Model;
  readonly capabilities: readonly Capability[];
  /** The files of a session's user, in the buckets that the agent's isolation scope gives. Makes no call. */
  readonly workspace: (address: SessionAddress) => Workspace;
  /** Whether `@path` in a message attaches the file. */
  readonly attachesFiles: boolean;
  readonly limits: Limits;
  readonly window: WindowOptions;
  readonly retry: RetryOptions;
  /** Whether any capability works on ended turns; if none does, their job is simply removed. */
  readonly hasAfterTurn: boolean;
  /** What the system prompt is made of, beside the workspace's files and the capabilities' sections. */
  readonly prompt: PromptOptions;
};
