import { childByLabel, findChild, insertChild, listChildren } from "../../session/children.ts";
import { findTask, listTasks, markDelivered, openTasks, releaseTask } from "../../session/tasks.ts";
import { isDriver, type RunningTurn } from "../../session/turns.ts";
import type { TaskDesk } from "../../tools/task-desk.ts";
import { LostTurn, type SessionCore, type Tx } from "../core.ts";
import { cancelTask, handOnIn } from "./children.ts";
import { noteTasks } from "../records/task-records.ts";
import { noteNews } from "./deliver.ts";

/** The tasks of a session for one call of a turn, which has to be driven by this instance for any change. */
export function createTaskDesk(core: SessionCore, turn: RunningTurn, call: string): TaskDesk {
  const { sql, clock } = core;
  const change = <Result>(work: (tx: Tx) => Result): Result =>
    core.commit("task", (tx) => {
      if (!isDriver(sql, turn.id, core.epoch)) throw new LostTurn();
      return work(tx);
    });
  return {
    handOn: ({ isWaitedFor, ...work }) =>
      change((tx) => handOnIn(core, tx, { ...work, turn: isWaitedFor ? turn.id : null })),
    adopt: (child) => change(() => void insertChild(sql, child)),
    find: (id) => findTask(sql, id),
    list: (query) => listTasks(sql, query),
    open: () => openTasks(sql).length,
    release(id) {
      core.hasNews = change(() => {
        releaseTask(sql, id);
        return noteNews(core);
      });
    },
    delivered(ids) {
      core.hasNews = change((tx) => {
        markDelivered(sql, ids, clock.now());
        noteTasks(core, tx);
        return noteNews(core);
      });
    },
    cancel: (id) => cancelTask(core, id),
    child: (by) => ("label" in by ? childByLabel(sql, by.label) : findChild(sql, by.session)),
    children: (limit) => listChildren(sql, limit),
    get held() {
      const newest = core
        .entriesOf(turn.id)
        .findLast((entry) => entry.kind === "held" && entry.call === call);
      return newest?.kind === "held" ? newest : null;
    },
  };
}
