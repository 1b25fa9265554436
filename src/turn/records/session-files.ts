import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import type { SessionAddress } from "../../shared/session-address.ts";
import type { Change } from "../../shared/workspace-changes.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { EVICTED } from "../eviction/config.ts";

/** What of a workspace belongs to one session. Its line is in `index`, which the sessions of a user share. */
export type SessionFiles = {
  readonly log: string;
  readonly index: string;
  readonly tasks: string;
  /** The directory of its plans. */
  readonly plans: string;
  /** The directory of the results that were too long for it. */
  readonly evicted: string;
};

/** Where all of that lies. */
export function sessionFiles({ agent, session }: SessionAddress): SessionFiles {
  const sessions = `agents/${agent}/sessions`;
  return {
    log: `${sessions}/${session}.log.jsonl`,
    index: `${sessions}/sessions.json`,
    tasks: `agents/${agent}/tasks/${session}.json`,
    plans: `plans/${session}`,
    evicted: `${EVICTED}/${session}`,
  };
}

/** How often what has just been deleted is looked for again. */
const LOOKS = 3;

/**
 * Deletes the files of a session and its line in the index, and looks whether they are gone: what was under way may have
 * come in between. Safe to repeat. Throws what the workspace throws, and a plain `Error` when they keep coming back.
 */
export async function forgetFiles(workspace: Workspace, address: SessionAddress): Promise<void> {
  const { log, index, tasks, plans, evicted } = sessionFiles(address);
  const unlist = { sessions: { [address.session]: null } };
  for (let look = 0; look < LOOKS; look++) {
    const found = [];
    for (const path of [log, tasks, plans, evicted])
      found.push(await changeIfThere(workspace, { kind: "delete", path }));
    if (hasLine(await indexOf(workspace, index), address.session))
      found.push(await changeIfThere(workspace, { kind: "merge", path: index, patch: unlist }));
    if (!found.includes(true)) return;
  }
  throw new Error("something goes on writing the files of a deleted session");
}

/** Whether there was something to change. */
async function changeIfThere(workspace: Workspace, change: Change): Promise<boolean> {
  try {
    await workspace.change({ by: "job:forget", changes: [change] });
    return true;
  } catch (error) {
    if (error instanceof CarrelError && error.code === "not_found") return false;
    throw error;
  }
}

/** The text of the index; empty where there is none. */
async function indexOf(workspace: Workspace, path: string): Promise<string> {
  const { files } = await workspace.readMany({ paths: [path], layer: "own" });
  const content = files[0]?.content;
  return content && "text" in content ? content.text : "";
}

const Index = z.object({ sessions: z.record(z.string(), z.unknown()) });

/** Never in an index that somebody has spoilt. */
function hasLine(text: string, session: string): boolean {
  try {
    const index = Index.safeParse(JSON.parse(text));
    return index.success && Object.hasOwn(index.data.sessions, session);
  } catch {
    return false;
  }
}
