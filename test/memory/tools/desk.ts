import type { Forgotten } from "../../../src/shared/memory-api.ts";
import type { SearchAnswer, SearchHit, SearchRequest } from "../../../src/shared/workspace-api.ts";
import { createMemoryTools } from "../../../src/memory/tools/memory-tools.ts";
import type { PreparedCall, ToolContext } from "../../../src/tools/tool.ts";
import type { Files } from "../../support/bucket-parts.ts";
import { nodeWorkspace, type NodeWorkspace } from "../../support/node-workspace.ts";
import { toolContext } from "../../support/tool-context.ts";

export type ForgetCall = {
  readonly bucketOf: string;
  readonly ids: readonly string[];
  readonly by: string;
  readonly op: string;
};

const nothing: Forgotten = { entries: 0, paths: [], said: [] };

/** The memory tools over ann's real workspace. What the index and the memory of the bucket answer is told by the test. */
export class MemoryDesk {
  readonly workspace: NodeWorkspace;
  readonly searches: SearchRequest[] = [];
  readonly forgets: ForgetCall[] = [];
  answer: SearchAnswer = { hits: [], isComplete: true, pending: 0 };
  forgotten: Forgotten = nothing;
  readonly #context: Partial<ToolContext>;
  readonly #tools = createMemoryTools({
    memoryOf: ({ agent, user }) => ({
      forget: async (ids, by, op) => {
        this.forgets.push({ bucketOf: `${agent}/${user}`, ids, by, op });
        return { ...this.forgotten, hidden: 0 };
      },
    }),
    canForget: true,
  });
  #calls = 0;

  constructor(files: Files = {}, context: Partial<ToolContext> = {}) {
    this.workspace = nodeWorkspace(files);
    this.workspace.search = async (request) => {
      this.searches.push(request);
      return this.answer;
    };
    this.#context = context;
  }

  finds(...hits: readonly Partial<SearchHit>[]): void {
    this.answer = { hits: hits.map((hit) => ({ ...noHit, ...hit })), isComplete: true, pending: 0 };
  }

  prepare(name: string, input: unknown): PreparedCall {
    const tool = this.#tools.find((candidate) => candidate.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    return tool.prepare(input);
  }

  /** What a tool says. Without `call` it is a new call. */
  async use(
    name: string,
    input: unknown,
    { call = `call-${++this.#calls}`, ...context }: Partial<ToolContext> & { call?: string } = {},
  ): Promise<string> {
    const { workspace } = this;
    const given = { op: `s/${call}`, workspace, ...this.#context, ...context };
    const output = await this.prepare(name, input).run(toolContext(given));
    if (typeof output !== "string") throw new Error(`${name} gave no text`);
    return output;
  }
}

const noHit: SearchHit = {
  path: "MEMORY.md",
  line: 1,
  endLine: 1,
  source: "memory",
  snippet: "",
  score: 0.5,
  at: null,
};

/** A line of a session's log. */
export const logLine = (kind: "user" | "step", text: string, at = 0, turn = "t1"): string => {
  const content = [{ type: "text", text }];
  const said = kind === "user" ? { content } : { step: 1, model: "m", parts: content };
  return `${JSON.stringify({ seq: 1, turn, at, kind, ...said })}\n`;
};
