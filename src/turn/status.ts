import type { SessionStatus } from "../shared/events.ts";
import { replyId } from "../shared/ids.ts";
import { workShown } from "../shared/plan.ts";
import type { TurnView } from "../shared/session-api.ts";
import { toPendingCall } from "../session/entries.ts";
import { openTasks } from "../session/tasks.ts";
import { newsOf } from "../shared/tasks.ts";
import { findTurn, toView, type OpenTurn, type StoredTurn } from "../session/turns.ts";
import type { SessionCore } from "./core.ts";

/** Whether somebody outside has to do something before the session goes on. */
export const waitsForPerson = (core: SessionCore): boolean =>
  (core.begun?.state === "waiting" && core.pending.length > 0) || core.asking.length > 0;

/** Whether its turn waits only for its own tasks, which is as if it ran. */
export const isAtWork = (core: SessionCore): boolean =>
  core.begun?.state === "waiting" && !waitsForPerson(core);

/** How the session is at this moment. */
export const statusOf = (core: SessionCore): SessionStatus => ({
  type: "status",
  turns: core.open.flatMap((turn) => {
    if (turn.state === "stopped") return [];
    const { turn: id, state, start } = viewOf(core, turn);
    return [{ turn: id, state, start }];
  }),
  pending: [...core.pending.map(toPendingCall), ...core.asking],
  mode: core.permissions.mode,
  ...tasksShown(core),
  ...workShown(core.work, core.canPlan),
  last: core.events.last(),
});

function tasksShown({ sql }: SessionCore): Pick<SessionStatus, "tasks"> {
  const tasks = openTasks(sql).map(newsOf);
  return tasks.length === 0 ? {} : { tasks };
}

/** One of its turns; one that waits only for its own tasks runs. */
export function viewOf(core: SessionCore, turn: OpenTurn): TurnView {
  const state = turn.state === "waiting" && isAtWork(core) ? "running" : turn.state;
  return toView(turn.id, state, "start" in turn ? turn.start : null);
}

/** A turn by what is stored of it: for a message that was taken into another turn, that one from there on. */
export function viewOfStored(core: SessionCore, id: string, stored: StoredTurn): TurnView {
  if (stored.state !== "steered") return toView(id, stored.state, stored.start);
  const into = findTurn(core.sql, stored.joined ?? "");
  if (!into || into.state === "steered") throw new Error("a message is in a turn that is none");
  const view = toView(id, into.state, stored.start);
  return { ...view, reply: replyId(stored.joined ?? "") };
}
