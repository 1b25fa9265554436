import type { JournalEntry } from "../../src/session/entries.ts";
import type { IdentifiedEvent } from "../../src/shared/events.ts";
import type { HistoryMessage } from "../../src/shared/session-api.ts";
import type { ServerTool } from "../../src/tools/tool.ts";
import type { Witness } from "./scripted-model.ts";
import type { Effects } from "./scripted-tools.ts";

export type TurnRow = {
  readonly id: string;
  readonly no: number;
  readonly state: string;
  readonly start: number | null;
  /** The turn that its message was taken into. */
  readonly joined: string | null;
};

/** The stored rows of one session. */
export type Tables = {
  readonly turns: readonly TurnRow[];
  readonly journal: readonly JournalEntry[];
  readonly jobs: readonly { readonly id: string; readonly kind: string }[];
  readonly checkpoints: number;
};

/** Something a client asked for, under one idempotency key. */
export type Sent = {
  readonly key: string;
  /** The message, different from all others of the session; `null` for another answer to the newest one. */
  readonly text: string | null;
  /** When it was first sent, in one order of all that clients do. */
  readonly sentAt: number;
  /** When it was first answered with success, in that order; `null` when it never was. */
  readonly ackedAt: number | null;
};

/** What is known about a session that has come to rest: nothing is left to do and everybody has read all. */
export type Observation = {
  readonly tables: Tables;
  readonly sent: readonly Sent[];
  /** What each reader saw, over all its connections. */
  readonly streams: readonly (readonly IdentifiedEvent[])[];
  /** The events from "0.0" on, read at rest. */
  readonly replay: readonly IdentifiedEvent[];
  readonly history: readonly HistoryMessage[];
  /** What scripted tools did, each call with a label of its own; absent where other tools run. */
  readonly effects?: Effects;
  readonly witness?: Witness;
  readonly tools: readonly Pick<ServerTool, "name" | "replay">[];
  /** How long `effects.runs` and `witness.requests` were at each crash. */
  readonly crashes: readonly { readonly runs: number; readonly requests: number }[];
};
