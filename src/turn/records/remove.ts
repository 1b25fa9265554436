import { notFound, sessionGone } from "../../shared/errors.ts";
import { sessionKey } from "../../shared/ids.ts";
import { errorFacts } from "../../shared/log.ts";
import { sha256Hex } from "../../shared/sha256.ts";
import { eraseRows, postponeErase } from "../../session/erase.ts";
import { addJob, findJob, type Job } from "../../session/jobs.ts";
import { writeState } from "../../session/state-documents.ts";
import type { SessionCore } from "../core.ts";
import type { Harness } from "../harness.ts";
import { DEAD_MAN_MS } from "../dead-man.ts";
import { removeChildren } from "../tasks/children.ts";

/** The job that stands for a deleted session until nothing of it is left. */
export const ERASE_JOB = "erase";

/** How long what was under way for the session when it was deleted may still act outside. */
const LATE_MS = 60_000;

/** What the job has yet to do. `again`: all is gone, but something late may have come since; `twice`: both. */
type Payload = "" | "twice" | "again";

/** Whether nothing ever happened in this session. */
export const isEmpty = (core: SessionCore): boolean =>
  core.journal.last === 0 && core.open.length === 0;

/**
 * Marks the session as deleted: committed when this resolves, with the job that erases it. Gives the turn that ran or
 * waited. Throws `CarrelError`: `not_found`, with nothing stored, for a session that nothing happened in; `gone` for one
 * that was deleted meanwhile.
 */
export async function markDeleted(core: SessionCore): Promise<string | null> {
  const { platform, sql, clock } = core;
  const hash = await sha256Hex(new TextEncoder().encode(sessionKey(platform.address)));
  if (core.isDeleted) throw sessionGone();
  if (isEmpty(core)) throw notFound("That session");
  const begun = core.begun?.id ?? null;
  const now = clock.now();
  core.commit("delete", () => {
    const isBusy = sql.all("SELECT 1 FROM job LIMIT 1").length > 0;
    const payload: Payload = isBusy ? "twice" : "";
    writeState(sql, "deleted", { hash, at: now });
    sql.run("DELETE FROM job");
    addJob(sql, { id: ERASE_JOB, kind: "erase", due: now + DEAD_MAN_MS, payload });
  });
  core.markDeleted();
  platform.setAlarm(now + DEAD_MAN_MS);
  return begun;
}

/**
 * Erases what is left of a deleted session, outside first; then one row stays, which says that it was deleted. Where
 * something was under way at its end, that is looked for once more a minute later. Whether all that is known of is gone:
 * if not, it is tried again with backoff for as long as it takes. Safe to repeat; rejects only when its tables do.
 */
export async function eraseSession(core: SessionCore, harness: Harness): Promise<boolean> {
  const { platform, sql, clock } = core;
  const job = findJob(sql, ERASE_JOB);
  if (!job) return true;
  const payload = job.payload as Payload;
  const isAhead = job.due > clock.now() && (payload === "again" || job.attempts > 0);
  // Should the object end meanwhile, another one goes on.
  platform.setAlarm(isAhead ? job.due : clock.now() + DEAD_MAN_MS);
  if (isAhead) return payload === "again";
  try {
    await removeChildren(core);
    await harness.forget(platform.address);
  } catch (error) {
    postpone(core, job, error);
    return payload === "again";
  }
  const again = clock.now() + LATE_MS;
  core.commit("erase", () => {
    eraseRows(sql);
    if (payload === "twice")
      addJob(sql, { id: ERASE_JOB, kind: "erase", due: again, payload: "again" });
  });
  if (payload === "twice") platform.setAlarm(again);
  else platform.clearAlarm();
  return true;
}

function postpone(core: SessionCore, job: Job, error: unknown): void {
  const { platform, sql, clock } = core;
  const due = core.commit("erase", () => postponeErase(sql, job, clock.now()));
  platform.setAlarm(due);
  platform.log("warn", "session_not_erased", { attempts: job.attempts + 1, ...errorFacts(error) });
}
