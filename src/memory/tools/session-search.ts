import * as z from "zod";
import { withoutMarks } from "../../shared/memory-marks.ts";
import type { SearchHit } from "../../shared/workspace-api.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { agentInput, queryInput, sessionsOf } from "./agent-input.ts";
import { dayOf, oneLine, shortened } from "./log-lines.ts";
import { incomplete } from "./memory-search.ts";

const PREVIEW = 200;

/** Finds what was said in earlier conversations. */
export const sessionSearch = defineTool({
  name: "session_search",
  description:
    "Finds what was said in conversations with this person, the best first. Each line names its place, which memory_get opens; session_history shows the end of a conversation.",
  input: z.strictObject({
    query: queryInput,
    agentId: agentInput,
    maxResults: z.int().min(1).max(100).default(10).describe("1 to 100. Default: 10."),
  }),
  effect: "read",
  replay: "pure",
  subjects: ({ agentId }) => ({ within: [sessionsOf(agentId)] }),
  async run({ query, agentId, maxResults }, { workspace, address, zone }) {
    const path = sessionsOf(agentId ?? address.agent);
    const answer = await workspace.search({ query, sources: ["session"], path, limit: maxResults });
    const { hits } = answer;
    const found = `Found ${hits.length} ${hits.length === 1 ? "message" : "messages"}`;
    const head = hits.length === 0 ? `No messages found for: ${oneLine(query)}` : found;
    return [head, ...hits.map((hit) => rowOf(hit, zone)), ...incomplete(answer)].join("\n");
  },
});

function rowOf({ path, line, snippet, at, said }: SearchHit, zone: string): string {
  const place = [`[${path}#${line}]`, said?.session ?? "", said?.turn ?? "", dayOf(at, zone)];
  const role = (said?.role ?? "message").toUpperCase();
  const text = shortened(withoutMarks(snippet), PREVIEW, true);
  return `${place.filter((part) => part !== "").join(" ")} - [${role}]: ${text}`;
}
