import type { Plan, Todo } from "../shared/plan.ts";
import type { Permissions } from "../shared/permissions.ts";
import type { Sql } from "../shared/sql.ts";
import type { Role } from "../shared/subagents.ts";
import type { Usage } from "../shared/messages.ts";
import type { ContextSize } from "./entries.ts";

/** Which part of a conversation its model sees, and how. */
export type ContextDocument = {
  /** It begins at this journal seq, that of a user entry or of a step. */
  readonly from: number;
  /** Where it begins inside a turn: the seq of that turn's user entry, which stays in view. */
  readonly turn?: number;
  /** What was said before, in short: by compaction, or as an imported state had it. */
  readonly summary?: string;
  /** How the conversation's first message begins, once it is not in the context any more. */
  readonly first?: string;
  /** Long results, and long arguments, of entries with a lower seq are shown cut. */
  readonly pruned?: number;
  readonly truncated?: number;
  /** Results before it that are shown whole all the same, by their seqs, oldest first. */
  readonly kept?: readonly number[];
  /** The names of such results that were too long for that, newest first. */
  readonly named?: readonly string[];
  /** Results in it that are shown whole although they are older than `pruned`. */
  readonly spared?: readonly number[];
  /** Steps up to this seq were asked for with other messages than those of now. */
  readonly changed?: number;
  /** The newest `compacted` fact: its seq, the tokens after it, and whether it brought no summary. */
  readonly last?: { readonly seq: number; readonly tokens: number; readonly isFailure: boolean };
  /** All up to this seq was compacted: a summary stands in its place, or it was left out for its length. */
  readonly compacted?: number;
  /** The newest context that did not begin inside `turn`: it counts again when that turn's answer is given anew. */
  readonly uncut?: Omit<ContextDocument, "uncut">;
  /** This model has refused a request: it is taken to have no more than so many tokens. */
  readonly learned?: { readonly model: string; readonly tokens: number };
};

/** A context that begins anew at `from`. What was compacted before stays known. */
export const emptyContext = (
  from: number,
  { compacted }: Partial<ContextDocument> = {},
): ContextDocument => ({ from, ...(compacted === undefined ? {} : { compacted }) });

/** A summary that the context is not yet made of. */
export type Draft = {
  /** The context that it is of. */
  readonly of: ContextDocument;
  /** Where the context begins with it, as in `ContextDocument`. */
  readonly from: number;
  readonly turn?: number;
  readonly before: ContextSize;
  readonly summary: string | null;
  /** Why there is none, in words that may be shown. */
  readonly why: string;
  readonly model: string;
  readonly usage: Usage;
  readonly ms: number;
};

/** Small derived documents of a session, each read whole and written whole. */
export type StateDocuments = {
  /** What the model sees of the conversation. */
  context: ContextDocument;
  /** A summary that was written after a turn had ended, or why there is none: the next turn begins with it. */
  drafted: Draft;
  /** The person's time zone, as the newest message told it, or where none has, as the user has set it. */
  zone: { readonly zone: string; readonly from: "message" | "setting" };
  /** The conversation last began anew at this journal seq. */
  cleared: { readonly seq: number };
  /** What the session's person chose; absent until something was. */
  permissions: Permissions;
  /** Whether the session plans, and what; absent until it did. */
  plan: Plan;
  /** What is to do; absent until something was. */
  todos: readonly Todo[];
  /** Whose session it is, where it is a subagent's. */
  role: Role;
  /** What of a subagent's session its parent's was told at least: the id of an event. */
  reported: { readonly last: string };
  /** Whether tasks have ended that the agent was not told of; absent where none have. */
  news: true;
  /** So many turns in a row have begun by themselves, as tasks had ended. */
  wakes: number;
  /** The groups of tools that were activated, in that order. */
  groups: readonly string[];
  /** As a person named the session. */
  title: { readonly title: string };
  /** The session was deleted at this time (ms). `hash` is the SHA-256 of its key. All else is gone, or about to be. */
  deleted: { readonly hash: string; readonly at: number };
  /** The parts of an imported state document that nothing here works with yet: exported again as they came. */
  carried: Readonly<Record<string, unknown>> & {
    readonly working_directories?: readonly string[];
  };
  /** The registry knows the session, since about this time (ms). */
  registered: { readonly at: number };
  /** What a capability, by its name, keeps of its own. */
  [notes: `notes:${string}`]: unknown;
};

/** A document as it was last written; `null` when it never was. */
export function readState<Name extends keyof StateDocuments>(
  sql: Sql,
  name: Name,
): StateDocuments[Name] | null {
  const row = sql.all<{ body: string }>("SELECT body FROM state WHERE name = ?", name)[0];
  return row ? (JSON.parse(row.body) as StateDocuments[Name]) : null;
}

/** Several documents in one statement; those that were never written are absent. */
export function readStates<Name extends keyof StateDocuments>(
  sql: Sql,
  names: readonly Name[],
): Partial<Pick<StateDocuments, Name>> {
  const rows = sql.all<{ name: Name; body: string }>(
    "SELECT name, body FROM state WHERE name IN (SELECT value FROM json_each(?))",
    JSON.stringify(names),
  );
  return Object.fromEntries(rows.map(({ name, body }) => [name, JSON.parse(body)])) as Partial<
    Pick<StateDocuments, Name>
  >;
}

/** Replaces a document whole, in the caller's transaction. */
export function writeState<Name extends keyof StateDocuments>(
  sql: Sql,
  name: Name,
  value: StateDocuments[Name],
): void {
  sql.run(
    "INSERT INTO state(name, body) VALUES (?, ?) ON CONFLICT(name) DO UPDATE SET body = excluded.body",
    name,
    JSON.stringify(value),
  );
}
