import type { IdentifiedEvent, PendingCall, TurnOutcome } from "./events.ts";
import type { Permissions } from "./permissions.ts";
import type { SessionAddress } from "./session-address.ts";

/** A subagent as its file or the code describes it, every field checked. `null`: it says nothing of it. */
export type Declaration = {
  /** What the model calls it: the name of its file. */
  readonly id: string;
  readonly description: string;
  /** Its own prompt. */
  readonly body: string;
  readonly workspace: { readonly mode: "isolated" | "shared"; readonly path: string | null };
  readonly model: string | null;
  /** Model calls of one turn. */
  readonly steps: number;
  readonly temperature: number | null;
  readonly topP: number | null;
  /** `primary`: it cannot be spawned. */
  readonly mode: "primary" | "subagent" | "all";
  /** It is not listed, but can be spawned. */
  readonly hidden: boolean;
  /** Whether its person may speak to it directly. */
  readonly exposeToUser: boolean | null;
  /** The only tools that it has, built-in ones included; `null`: those of its parent. */
  readonly tools: readonly string[] | null;
  readonly skills: readonly string[] | null;
  /** Whether the same conversation goes on the next time. */
  readonly persistSession: boolean;
  readonly inheritParentPermissions: boolean;
};

/** What a session is that belongs to another one. */
export type Role = {
  readonly parent: SessionAddress;
  readonly declaration: Declaration;
  readonly isExposed: boolean;
};

/** What a subagent may do at most: its parent's rights, as they are now. */
export type Rights = { readonly permissions: Permissions; readonly planning: boolean };

/** What a parent says that a session is. `declaration`: `null` where that is gone; what it is already counts then. */
export type Claim = Omit<Role, "declaration"> & { readonly declaration: Declaration | null };

/** A message for a subagent. `key`: the id of the task, and of the turn that works on it. `rights`: those of its parent. */
export type BeginRequest = {
  readonly role: Claim;
  readonly rights: Rights;
  readonly key: string;
  readonly digest: string;
  readonly text: string;
  readonly timeZone: string;
};

/** How a turn of a subagent ended, and what it said at last, or why it has not. */
export type ReportedEnd = {
  readonly turn: string;
  readonly outcome: TurnOutcome;
  readonly text: string;
};

/** What happened in a subagent's session since it reported last. `last`: the id of the newest event of it. */
export type Report = {
  readonly session: string;
  readonly events: readonly IdentifiedEvent[];
  readonly last: string;
  /** What it asks at this moment. */
  readonly pending: readonly PendingCall[];
  readonly ends: readonly ReportedEnd[];
};

/** The id of a subagent's session. Nobody else's begins so. */
export const CHILD = /^sub-[0-9a-f]{32}$/;

/** The id under which a call of a subagent is asked about in its parent's session, and back. */
export const askedAs = (session: string, call: string): string => `${session}.${call}`;

/** Of an id of a call, the subagent's session that it is of, and its id there; `null`: it is of no subagent. */
export function ofChild(id: string): { readonly session: string; readonly call: string } | null {
  const at = id.indexOf(".");
  const session = id.slice(0, Math.max(0, at));
  return CHILD.test(session) ? { session, call: id.slice(at + 1) } : null;
}
