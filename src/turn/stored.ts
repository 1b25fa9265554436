import { noWork, type Work } from "../shared/plan.ts";
import type { Permissions } from "../shared/permissions.ts";
import type { Role } from "../shared/subagents.ts";
import type { Sql } from "../shared/sql.ts";
import { readStates, type StateDocuments } from "../session/state-documents.ts";

/** What a session's object knows from the start, of its documents. */
export type Stored = {
  readonly isDeleted: boolean;
  readonly permissions: Permissions | null;
  readonly groups: readonly string[];
  readonly place: StateDocuments["zone"] | null;
  readonly work: Work;
  readonly hasNews: boolean;
  readonly wakes: number;
  readonly role: Role | null;
};

/** All of it in one statement. */
export function loadStored(sql: Sql): Stored {
  const found = readStates(sql, [
    "deleted",
    "permissions",
    "zone",
    "groups",
    "plan",
    "todos",
    "news",
    "wakes",
    "role",
  ]);
  const { plan = noWork.plan, todos = noWork.todos } = found;
  return {
    isDeleted: found.deleted !== undefined,
    permissions: found.permissions ?? null,
    groups: found.groups ?? [],
    place: found.zone ?? null,
    work: { plan, todos },
    hasNews: found.news === true,
    wakes: found.wakes ?? 0,
    role: found.role ?? null,
  };
}
