import { addJob, setDue } from "../../session/jobs.ts";
import type { SessionCore } from "../core.ts";

/** The job that stands for what the parent's session was not told yet. */
export const REPORT_JOB = "report";

/** It is looked at again after so long, should the object end. */
const AGAIN_MS = 30_000;

/** Has a subagent's session report, in the commit of the message that it was sent. */
export function addReportJob({
  sql,
  clock,
  role,
}: Pick<SessionCore, "sql" | "clock" | "role">): void {
  if (!role) return;
  const due = clock.now() + AGAIN_MS;
  addJob(sql, { id: REPORT_JOB, kind: "report", due, payload: "" });
  setDue(sql, REPORT_JOB, due);
}
