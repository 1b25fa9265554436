import * as z from "zod";
import { MEMORY } from "../../context/prompt-sources.ts";
import { withoutMarks } from "../../shared/memory-marks.ts";
import type { SearchAnswer, SearchHit } from "../../shared/workspace-api.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { count } from "../../tools/truncate.ts";
import { queryInput } from "./agent-input.ts";
import { dayOf, oneLine } from "./log-lines.ts";

/** Finds what was remembered, known or said. */
export const memorySearch = defineTool({
  name: "memory_search",
  description:
    "Finds what was remembered in MEMORY.md and the ledgers, what knowledge files say and what was said in earlier conversations, the best first. Each line names its place as path#line, which memory_get opens.",
  input: z.strictObject({
    query: queryInput,
    maxResults: z.int().min(1).max(30).default(10).describe("1 to 30. Default: 10."),
  }),
  effect: "read",
  replay: "pure",
  subjects: () => ({ paths: [MEMORY], within: ["memory", "knowledge", "agents"] }),
  async run({ query, maxResults }, { workspace, zone }) {
    const answer = await workspace.search({
      query,
      sources: ["memory", "ledger", "archive", "knowledge", "session"],
      limit: maxResults,
    });
    const { hits } = answer;
    const found = `Found ${hits.length} ${hits.length === 1 ? "match" : "matches"}`;
    const head = hits.length === 0 ? `No matching memories found for: ${oneLine(query)}` : found;
    return [head, ...hits.map((hit) => lineOf(hit, zone)), ...incomplete(answer)].join("\n");
  },
});

function lineOf({ path, line, snippet, score, at, said }: SearchHit, zone: string): string {
  const role = said ? `[${said.role.toUpperCase()}] ` : "";
  const about = [score.toFixed(2), dayOf(at, zone)].filter(Boolean).join(", ");
  return `Source: ${path}#${line}: ${role}${oneLine(withoutMarks(snippet))} (${about})`;
}

/** What a reader must know of an answer that was not looked for everywhere; nothing else. */
export function incomplete({ isComplete, pending }: SearchAnswer): string[] {
  if (isComplete) return [];
  const files = pending === 1 ? "1 file is" : `${count(pending)} files are`;
  const what = pending > 0 ? `${files} not searched yet` : "not everything was searched yet";
  return [
    `[The index is not complete: ${what}. Search again in a moment to find what is missing.]`,
  ];
}
