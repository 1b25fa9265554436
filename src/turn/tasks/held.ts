import { heldCalls, type EntryOf, type JournalEntry } from "../../session/entries.ts";
import { findTask, newsTasks } from "../../session/tasks.ts";
import { isDriver, type RunningTurn } from "../../session/turns.ts";
import type { Sql } from "../../shared/sql.ts";
import { isEnded, type Hold } from "../../shared/tasks.ts";
import { LostTurn, type SessionCore, type Tx } from "../core.ts";

export type Woken = EntryOf<"woken">["by"];

/** Why a call that waits for tasks may look again; `null` while it waits. A task that is not known has ended. */
export function wakesBy(sql: Sql, { tasks, all, until }: Hold, now: number): Woken | null {
  const isOver = (id: string): boolean => {
    const task = findTask(sql, id);
    return !task || isEnded(task.state);
  };
  const isDone =
    tasks.length === 0
      ? newsTasks(sql, 1).length > 0
      : all
        ? tasks.every(isOver)
        : tasks.some(isOver);
  if (isDone) return "done";
  return now >= until ? "time" : null;
}

/** Of these entries, the calls that may look again, and why. */
export const wakingCalls = (
  core: SessionCore,
  entries: readonly JournalEntry[],
): { readonly held: EntryOf<"held">; readonly by: Woken }[] =>
  heldCalls(entries).flatMap((held) => {
    const by = wakesBy(core.sql, held, core.clock.now());
    return by === null ? [] : [{ held, by }];
  });

/** Says in the caller's commit that they may. */
export const appendWoken = (
  tx: Tx,
  waking: readonly { readonly held: EntryOf<"held">; readonly by: Woken }[],
): JournalEntry[] =>
  waking.map(({ held: { turn, call }, by }) => tx.append(turn, { kind: "woken", call, by }));

/** Lets the calls of a running turn that waited for tasks look again, where they may; whether any does. */
export function wakeHeld(core: SessionCore, turn: RunningTurn): boolean {
  const waking = wakingCalls(core, core.entriesOf(turn.id));
  if (waking.length === 0) return false;
  core.commit("wake", (tx) => {
    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
    appendWoken(tx, waking);
  });
  return true;
}
