import { removeJob, turnJob } from "../../session/jobs.ts";
import { isDriver, joinTurn, type RunningTurn } from "../../session/turns.ts";
import { LostTurn, type SessionCore } from "../core.ts";

/**
 * Takes the messages that were sent for this turn into it, in the order in which they came, all in one commit: its next
 * step answers them. Those for a turn that has ended stay in line. Called between steps, when every call has its result.
 */
export function takeSteered(core: SessionCore, turn: RunningTurn): void {
  const messages = core.open.flatMap(({ id, ...message }) => {
    if (message.state !== "queued" || message.steers !== turn.id) return [];
    if (message.input.kind !== "message") return [];
    return [{ id, content: message.input.content }];
  });
  if (messages.length === 0) return;
  core.commit("steer", (tx) => {
    if (!isDriver(core.sql, turn.id, core.epoch)) throw new LostTurn();
    for (const { id, content } of messages) {
      const { seq } = tx.append(turn.id, { kind: "steered", message: id, content });
      if (!joinTurn(core.sql, id, turn.id, seq)) throw new LostTurn();
      removeJob(core.sql, turnJob(id));
    }
  });
  core.open = core.open.filter((open) => !messages.some(({ id }) => id === open.id));
}
