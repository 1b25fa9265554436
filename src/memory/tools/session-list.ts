import * as z from "zod";
import { CarrelError } from "../../shared/errors.ts";
import { ID } from "../../shared/ids.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { count } from "../../tools/truncate.ts";
import { sessionFiles } from "../../turn/records/session-files.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import { agentInput, sessionsOf } from "./agent-input.ts";
import { moment, shortened } from "./log-lines.ts";

const MAX_SESSIONS = 50;
const MAX_TITLE = 200;

const Index = z.object({ sessions: z.record(z.string(), z.unknown()) });
const Entry = z.object({ summary: z.string().catch(""), updatedAt: z.string() });

type Listed = { readonly session: string; readonly title: string; readonly at: number };

/** The conversations of the person. */
export const sessionList = defineTool({
  name: "session_list",
  description:
    "Lists this person's conversations with their titles, the newest first, at most 50. session_history shows one.",
  input: z.strictObject({ agentId: agentInput }),
  effect: "read",
  replay: "pure",
  subjects: ({ agentId }) => ({ within: [sessionsOf(agentId)] }),
  async run({ agentId }, { workspace, address }) {
    const agent = agentId ?? address.agent;
    const sessions = await listed(workspace, sessionFiles({ ...address, agent }).index);
    if (sessions.length === 0)
      return `No conversations with ${agent} are listed. One is listed once its first turn has ended.`;
    const shown = sessions.slice(0, MAX_SESSIONS);
    const lines = shown.map(
      ({ session, title, at }) => `- ${session} (${moment(at)}): ${title || "(no title)"}`,
    );
    const more = sessions.length - shown.length;
    const note = more > 0 ? [`[${count(more)} older ones are not shown: use session_search.]`] : [];
    return [...lines, ...note].join("\n");
  },
});

/** The sessions of an index, the newest first; none where no index is. Lines that cannot be understood are left out. */
async function listed(workspace: Pick<Workspace, "read">, path: string): Promise<Listed[]> {
  const text = await textOf(workspace, path);
  if (text === null) return [];
  return Object.entries(sessionsIn(text, path))
    .flatMap(([session, value]) => {
      const entry = Entry.safeParse(value).data;
      const at = Date.parse(entry?.updatedAt ?? "");
      if (!entry || Number.isNaN(at) || !ID.test(session)) return [];
      const title = shortened(entry.summary, MAX_TITLE, true);
      return [{ session, title, at }];
    })
    .toSorted((a, b) => b.at - a.at || (a.session < b.session ? -1 : 1));
}

async function textOf(workspace: Pick<Workspace, "read">, path: string): Promise<string | null> {
  try {
    const { content } = await workspace.read({ path });
    return "text" in content ? content.text : "";
  } catch (error) {
    if (error instanceof CarrelError && error.code === "not_found") return null;
    throw error;
  }
}

function sessionsIn(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    return Index.parse(JSON.parse(text)).sessions;
  } catch {
    throw new CarrelError(
      "invalid",
      `${path} was spoilt, so it lists nothing. session_search finds conversations all the same.`,
    );
  }
}
