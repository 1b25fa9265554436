import { CarrelError } from "../../shared/errors.ts";
import { importedTurns, insertImported } from "../../session/imported-turns.ts";
import { addJob, INDEX_JOB } from "../../session/jobs.ts";
import { carriedOf, parseStateDocument, type StateDocument } from "../../session/state-document.ts";
import { writeState } from "../../session/state-documents.ts";
import { planIn, todosIn } from "../../session/state-work.ts";
import { writePlan, writeTodos } from "../calls/effects.ts";
import { addGroups, isGroupName, newGroups } from "../calls/groups.ts";
import type { SessionCore } from "../core.ts";
import type { Harness } from "../harness.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";
import { REGISTER_JOB } from "../line/inbox.ts";
import { fromPermissionContext } from "../rights/permission-context.ts";
import { isEmpty } from "./remove.ts";

export type StateImport = {
  readonly state: unknown;
  readonly by: string;
  readonly isRegistered: boolean;
};

/**
 * Takes a state document in, committed when this returns; see `SessionApi.importState`. How many messages it had. Whose
 * it was does not count: that is told by the session that it is put into. Unless the session `isRegistered`, a job for
 * that goes with it.
 */
export function importState(
  core: SessionCore,
  harness: Pick<Harness, "permissions">,
  { state, by, isRegistered }: StateImport,
): number {
  if (!isEmpty(core))
    throw new CarrelError(
      "conflict",
      "Something happened in this session already. A state goes only into an empty one: use another id.",
    );
  const document = parseStateDocument(state);
  const { permission_context: stated, summary } = document;
  const { modes } = harness.permissions;
  const permissions = stated ? fromPermissionContext(stated, modes) : core.permissions;
  const messages = document.context ?? [];
  const now = core.clock.now();
  const turns = importedTurns(messages, now);
  const groups = groupsOf(document);
  const work = {
    plan: planIn(document.plan_mode_context),
    todos: todosIn(document.tasks_context, now),
  };
  core.commit("import", (tx) => {
    for (const { id, facts } of turns) {
      const [first] = facts.map(({ fact, at }) => tx.append(id, fact, undefined, at));
      if (first) insertImported(core.sql, { id, start: first.seq, at: first.at });
    }
    // Always, so that the session is not empty any more.
    core.writePermissions(tx, permissions, `user:${by}`);
    if (summary) writeState(core.sql, "context", { from: 0, summary });
    addGroups(core, groups);
    if (work.plan.active) writePlan(core, tx, work.plan, `user:${by}`);
    if (work.todos.length > 0) writeTodos(core, tx, work.todos);
    writeState(core.sql, "carried", carriedOf(document));
    const due = now + DEAD_MAN_MS;
    if (!isRegistered) addJob(core.sql, { id: REGISTER_JOB, kind: "register", due, payload: "" });
    addJob(core.sql, { id: INDEX_JOB, kind: "index", due, payload: "" });
  });
  core.groups = groups;
  core.work = work;
  core.reloadContext();
  core.platform.setAlarm(now + DEAD_MAN_MS);
  return messages.length;
}

/** The groups of tools that a document names. What is no list of names activates nothing. */
function groupsOf({ tool_context }: StateDocument): readonly string[] {
  const named = tool_context?.activated_groups;
  return newGroups([], Array.isArray(named) ? named.filter(isGroupName) : []);
}
