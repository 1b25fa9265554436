import { compareCursors, parseCursor } from "../../shared/events.ts";
import { askedAs, type Report, type ReportedEnd } from "../../shared/subagents.ts";
import { findChild, updateChild } from "../../session/children.ts";
import type { SessionCore } from "../core.ts";
import { endTaskIn, type TaskEnd } from "./end-task.ts";

/**
 * Takes in what a subagent's session reports, committed when this returns; what was heard before is not heard again. Whether
 * the subagent is known here. The caller sees to what goes on by it.
 */
export function takeReport(core: SessionCore, report: Report): boolean {
  const { session, events, last, ends } = report;
  const child = findChild(core.sql, session);
  if (!child) return false;
  const heard = parseCursor(child.reported) ?? { seq: 0, offset: 0 };
  const fresh = events.filter(({ id }) => {
    const at = parseCursor(id);
    return at !== null && compareCursors(at, heard) > 0;
  });
  const reported = isAfter(last, child.reported) ? last : child.reported;
  const pending = report.pending.map((asked) => ({
    ...asked,
    call: askedAs(session, asked.call),
    source: { agent: child.agent, session },
  }));
  core.hasNews = core.commit("report", (tx) => {
    updateChild(core.sql, session, { reported, pending });
    const source = `${core.platform.address.agent}/${child.agent}`;
    if (fresh.length > 0)
      core.say(tx, { kind: "subagent", source, agent: child.agent, session, events: fresh });
    let { hasNews } = core;
    for (const end of ends) hasNews = endTaskIn(core, tx, end.turn, endOf(end)).hasNews;
    return hasNews;
  });
  core.forgetAsking();
  return true;
}

function isAfter(id: string, other: string): boolean {
  const [a, b] = [parseCursor(id), parseCursor(other)];
  return a !== null && b !== null && compareCursors(a, b) > 0;
}

const STATES = { completed: "completed", failed: "failed", stopped: "cancelled" } as const;

const endOf = ({ outcome, text }: ReportedEnd): TaskEnd => ({ state: STATES[outcome], text });
