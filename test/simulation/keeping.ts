import type { JournalEntry } from "../../src/session/entries.ts";
import { readStates } from "../../src/session/state-documents.ts";
import type { Sql } from "../../src/shared/sql.ts";
import type { Capability } from "../../src/turn/capability.ts";

/** Whether results of this run are kept, and activate groups. By the seed alone, so that other runs stay as they were. */
export const isKeeping = (seed: number): boolean => seed % 7 === 3;

/** Has every result of a tool kept under the tool's name, and activate a group of that name. */
export const keeping: Capability = {
  name: "keeping",
  wrapToolCall: async (_, { name }, next) => ({
    ...(await next()),
    keep: name,
    activates: [name],
  }),
};

/** Follows what results keep and activate, and says where the documents say anything else. */
export class KeptAudit {
  readonly #names = new Map<number, string>();
  readonly #groups: string[] = [];

  follow(entry: JournalEntry): void {
    if (entry.kind !== "result") return;
    if (entry.keep !== undefined) this.#names.set(entry.seq, entry.keep);
    this.#groups.push(...(entry.activates ?? []));
  }

  violations(sql: Sql): string[] {
    if (this.#names.size === 0) return [];
    const { context, groups = [] } = readStates(sql, ["context", "groups"]);
    const { from = 0, kept = [], spared = [] } = context ?? {};
    const names = kept.map((seq) => this.#names.get(seq));
    const found: string[] = [];
    if (names.includes(undefined) || kept.some((seq) => seq >= from))
      found.push(`${kept.join()} are kept before ${from}`);
    if (new Set(names).size < names.length) found.push(`${names.join()} are kept twice`);
    if (spared.some((seq) => !this.#names.has(seq))) found.push(`${spared.join()} are spared`);
    if (groups.join() !== this.#groups.join())
      found.push(`${groups.join()} are active instead of ${this.#groups.join()}`);
    return found;
  }
}
