import type { DeliveredTask } from "../../session/entries.ts";
import { addJob, removeJob, turnJob } from "../../session/jobs.ts";
import { markDelivered, newsTasks } from "../../session/tasks.ts";
import { writeState } from "../../session/state-documents.ts";
import { insertTurn, isDriver, type RunningTurn } from "../../session/turns.ts";
import type { Task } from "../../shared/tasks.ts";
import { cutAt } from "../../shared/text.ts";
import { LostTurn, type SessionCore } from "../core.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";
import { noteTasks } from "../records/task-records.ts";
import { runningTurn } from "../line/take-up.ts";

/** The job that stands for tasks that have ended and that the agent was not told of. */
export const DELIVER_JOB = "deliver";

/** How the ids of turns begin that begin by themselves. */
const WAKE = "wake_";

/** So many are told of at once, as in AgentScope; the others at the next step. */
const MOST_TASKS = 10;
/** Of what came of one, so many characters are told; a tool gives all of it. */
const MOST_CHARS = 20_000;
/** So many turns in a row begin by themselves; then what ended waits for the person's next message. */
const MOST_WAKES = 10;

/**
 * Tells the model what came of tasks, before the turn's next step, each once: the fact and that they were told are one
 * commit. Called between steps, when every call has its result.
 */
export function deliverTasks(core: SessionCore, turn: RunningTurn): void {
  const isOwn = turn.id.startsWith(WAKE);
  if (!core.hasNews && !isOwn) return;
  const entries = core.entriesOf(turn.id);
  const news = newsTasks(core.sql, MOST_TASKS);
  const isBegun = entries.some(({ kind }) => kind === "delivered" || kind === "step");
  if (news.length === 0 && (!isOwn || isBegun)) return;
  core.hasNews = core.commit("deliver", (tx) => {
    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
    tx.append(turn.id, { kind: "delivered", tasks: news.map(told) });
    const ids = news.map(({ id }) => id);
    markDelivered(core.sql, ids, core.clock.now());
    if (ids.length > 0) noteTasks(core, tx);
    return noteNews(core);
  });
}

function told({ id, agent, state, result, error }: Task): DeliveredTask {
  const whole = result ?? error ?? "";
  const text = cutAt(whole, MOST_CHARS);
  return { id, agent, state, text, ...(text.length < whole.length ? { cut: true } : {}) };
}

/**
 * Sees to it, in the caller's commit, that the agent is told of what has ended, also after a crash, as long as there is any:
 * whether there is belongs into `core.hasNews` then.
 */
export function noteNews(core: SessionCore): boolean {
  if (newsTasks(core.sql, 1).length === 0) {
    if (!core.hasNews) return false;
    removeJob(core.sql, DELIVER_JOB);
    core.sql.run("DELETE FROM state WHERE name = 'news'");
    return false;
  }
  writeState(core.sql, "news", true);
  if (core.wakes < MOST_WAKES) addDeliverJob(core);
  return true;
}

const addDeliverJob = ({ sql, clock }: SessionCore): void =>
  addJob(sql, { id: DELIVER_JOB, kind: "deliver", due: clock.now(), payload: "" });

/** Whether a turn begins by itself: tasks have ended, and nothing else is to be done. */
export const mayWake = ({ isDeleted, open, wakes, hasNews }: SessionCore): boolean =>
  !isDeleted && open.length === 0 && wakes < MOST_WAKES && hasNews;

/** Begins a turn in which the agent is told of tasks that have ended; `null` when there are none, or a turn is not ended. */
export function startWake(core: SessionCore): RunningTurn | null {
  if (!mayWake(core)) return null;
  const wakes = core.wakes + 1;
  const turn = core.commit("start", (tx) => {
    const acceptedAt = core.clock.now();
    const { start, ...begun } = runningTurn(core, tx, { id: "", acceptedAt });
    const started = { ...begun, start, id: `${WAKE}${start}` };
    if (!insertTurn(core.sql, started, "")) throw new LostTurn();
    tx.append(started.id, { kind: "user", content: [], wakes: true }, start);
    const due = acceptedAt + DEAD_MAN_MS;
    addJob(core.sql, { id: turnJob(started.id), kind: "drive", due, payload: started.id });
    writeState(core.sql, "wakes", wakes);
    // What is left waits for the person.
    if (wakes >= MOST_WAKES) removeJob(core.sql, DELIVER_JOB);
    return started;
  });
  core.wakes = wakes;
  core.open = [...core.open, turn];
  core.platform.setAlarm(core.clock.now() + DEAD_MAN_MS);
  return turn;
}
