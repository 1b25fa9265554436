import type { Change, Changed, ChangeRequest } from "../../src/shared/workspace-changes.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { noWorkspace } from "./no-workspace.ts";

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** RFC 7396. */
function merged(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: Record<string, unknown> = isObject(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}

/**
 * As much of a workspace as records need: files that are appended to, by each `op` once, and merged into.
 * `before` may throw in the place of a request, `after` in the place of its answer.
 */
export class LogFiles {
  readonly files = new Map<string, string>();
  /** Those that were done, in order. */
  readonly requests: ChangeRequest[] = [];
  readonly ops = new Set<string>();
  before: (request: ChangeRequest) => Promise<void> = () => Promise.resolve();
  after: (request: ChangeRequest) => Promise<void> = () => Promise.resolve();
  readonly workspace: Workspace = {
    ...noWorkspace,
    change: async (request) => {
      await this.before(request);
      this.#do(request);
      await this.after(request);
      return request.changes.map((): Changed => ({ file: null, created: false, touched: 1 }));
    },
  };

  /** The lines of a log, parsed. */
  lines(path: string): unknown[] {
    const text = this.files.get(path) ?? "";
    return text === ""
      ? []
      : text
          .trimEnd()
          .split("\n")
          .map((line) => JSON.parse(line) as unknown);
  }

  #do(request: ChangeRequest): void {
    this.requests.push(request);
    for (const change of request.changes) {
      const op = change.kind === "append" ? change.op : undefined;
      if (op === undefined || !this.ops.has(op)) this.files.set(change.path, this.#changed(change));
      if (op !== undefined) this.ops.add(op);
    }
  }

  #changed(change: Change): string {
    const text = this.files.get(change.path);
    if (change.kind === "append") return (text ?? "") + change.text;
    if (change.kind !== "merge") throw new Error(`a record is not changed by ${change.kind}`);
    return JSON.stringify(merged(JSON.parse(text ?? "{}"), change.patch));
  }
}
