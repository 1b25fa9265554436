import type { IncomingMessage, ServerResponse } from "node:http";
import type { MemoryOverview, Undone } from "../../src/shared/memory-api.ts";
import type { SearchAnswer } from "../../src/shared/workspace-api.ts";
import { readBody, sendJson } from "./fake-routes.ts";

/** What the page asked to be changed. */
type Asked = {
  readonly action: string;
  readonly body: unknown;
  readonly key: string;
};
/** How the next request of one kind fails. */
type Refusal = {
  readonly of: "memory" | "undo" | "forget" | "search";
  readonly status: number;
  readonly code: string;
  readonly message: string;
};
type Forgotten = {
  readonly entries: number;
  readonly paths: readonly string[];
  readonly messages: number;
};

const MEMORY = "/v1/agents/main/memory";
const SEARCH = "/v1/agents/main/search";

export const nothing: MemoryOverview = {
  entries: [],
  notes: [],
  tokens: 0,
  maxTokens: 8_000,
  pending: 0,
  ledgers: [],
  runs: [],
  forgotten: 0,
};

/** The memory routes as a test plays them, with notes of what the page asked. */
export class ServedMemory {
  overview: MemoryOverview = nothing;
  undone: Undone = { restored: 1, refused: [] };
  forgotten: Forgotten = { entries: 1, paths: ["MEMORY.md"], messages: 0 };
  found: SearchAnswer = { hits: [], isComplete: true, pending: 0 };
  readonly asked: Asked[] = [];
  readonly queries: string[] = [];
  readonly refusals: Refusal[] = [];
  /** How often the overview was read. */
  reads = 0;
  /** Called when something was undone or forgotten, before the page hears of it. */
  onChange: () => void = () => {};

  /** Answers a request to the memory routes; `false` for any other. */
  async handle(
    request: IncomingMessage,
    response: ServerResponse,
    { pathname, searchParams }: URL,
  ): Promise<boolean> {
    const action = pathname.startsWith(`${MEMORY}/`) ? pathname.slice(MEMORY.length + 1) : "";
    if (pathname !== MEMORY && pathname !== SEARCH && action === "") return false;
    const body = await readBody(request);
    if (pathname === SEARCH) this.queries.push(searchParams.get("q") ?? "");
    else if (pathname === MEMORY) this.reads++;
    else {
      const key = String(request.headers["idempotency-key"]);
      this.asked.push({ action, body: JSON.parse(body), key });
    }
    const kind = pathname === SEARCH ? "search" : action || "memory";
    const at = this.refusals.findIndex((refusal) => refusal.of === kind);
    const [refusal] = at < 0 ? [] : this.refusals.splice(at, 1);
    if (refusal) {
      const { status, code, message } = refusal;
      sendJson(response, status, { error: { code, message, id: "e7" } });
      return true;
    }
    if (action !== "") this.onChange();
    sendJson(response, 200, this.#answer(kind));
    return true;
  }

  #answer(kind: string): unknown {
    if (kind === "undo") return this.undone;
    if (kind === "forget") return this.forgotten;
    return kind === "search" ? this.found : this.overview;
  }
}
