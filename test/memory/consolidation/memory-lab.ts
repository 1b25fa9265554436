import type { BucketKey } from "../../../src/shared/bucket-key.ts";
import { bucketPrefix } from "../../../src/shared/bucket-key.ts";
import type {
  Begun,
  ConsolidationOptions,
  NumberedEntry,
  Operation,
  Proposal,
  RunResult,
} from "../../../src/shared/memory-api.ts";
import { entryId, memoryEntries } from "../../../src/shared/memory-entries.ts";
import type { Mark } from "../../../src/shared/memory-marks.ts";
import { withoutMarks, writeMark } from "../../../src/shared/memory-marks.ts";
import type { Memory } from "../../../src/memory/memory-client.ts";
import { ledgerSection } from "../../../src/memory/ledger.ts";
import type { Workspace } from "../../../src/workspace/workspace.ts";
import { WorkspaceLab, type WorkspaceLabOptions } from "../../support/workspace-lab.ts";

export const ANN: BucketKey = bucketPrefix({ scope: "USER", agent: "main", user: "ann" });

export const DAY = 86_400_000;
/** Noon of a Tuesday. */
export const NOW = Date.parse("2026-12-01T12:00:00Z");

export const OPTIONS: ConsolidationOptions = {
  maxTokens: 4_000,
  minGapMs: 0,
  ledgerRetentionDays: 90,
  sessionRetentionDays: null,
};

export type Work = Extract<Begun, { readonly state: "work" }>;

/** What a scripted model says to what it is shown. */
export type Script = (work: Work) => readonly Operation[] | Proposal;

/** One user's memory in real buckets, with what others do to it. */
export class MemoryLab {
  readonly lab: WorkspaceLab;
  readonly memory: Memory;
  readonly workspace: Workspace;
  /** Times that a model was asked. */
  asked = 0;
  #runs = 0;

  constructor(user = "ann", options: WorkspaceLabOptions | WorkspaceLab = {}) {
    this.lab = options instanceof WorkspaceLab ? options : new WorkspaceLab(options);
    this.memory = this.lab.memory(user);
    this.workspace = this.lab.workspace({ user });
  }

  /** A lab at noon. */
  static async atNoon(options: WorkspaceLabOptions = {}): Promise<MemoryLab> {
    const it = new MemoryLab("ann", options);
    await it.lab.clock.pass(NOW);
    return it;
  }

  /** What a flush of a session leaves in the ledger of a day. */
  async flush(day: string, texts: readonly string[], mark: Mark = {}): Promise<void> {
    const said = { session: "main/s1", turn: "t1", seq: [1, 9], ...mark } as const;
    const at = Date.parse(`${day}T09:30:00Z`);
    const text = ledgerSection("Memory Flush", at, said, texts);
    await this.append(`memory/${day}.md`, text);
  }

  async append(path: string, text: string): Promise<void> {
    await this.workspace.change({
      by: "agent:main/s1",
      changes: [{ kind: "append", path, text }],
    });
  }

  async write(path: string, text: string, by = "user:ann"): Promise<void> {
    const change = { kind: "write", path, content: { text } } as const;
    await this.workspace.change({ by, changes: [change] });
  }

  /** A text; `null` where none is. */
  async text(path = "MEMORY.md"): Promise<string | null> {
    const { files } = await this.workspace.readMany({ paths: [path], layer: "own" });
    const content = files[0]?.content;
    return content && "text" in content ? content.text : null;
  }

  /** As a prompt shows it. */
  async shown(): Promise<string> {
    return withoutMarks((await this.text()) ?? "");
  }

  async entries(path = "MEMORY.md"): Promise<string[]> {
    return memoryEntries((await this.text(path)) ?? "").map(({ text }) => text);
  }

  async below(directory: string): Promise<string[]> {
    const { entries } = await this.workspace.tree({ recursive: true, limit: 2_000 });
    return entries.map(({ path }) => path).filter((path) => path.startsWith(`${directory}/`));
  }

  begin(
    options: Partial<ConsolidationOptions> = {},
    slot: number | null = null,
    run = this.next(),
  ) {
    return this.memory.beginRun({ run, slot, options: { ...OPTIONS, ...options } });
  }

  next(): string {
    this.#runs += 1;
    return `run-${String(this.#runs).padStart(4, "0")}`;
  }

  /** One run; `null` where there was nothing to do. */
  async run(
    script: Script,
    options: Partial<ConsolidationOptions> = {},
  ): Promise<RunResult | null> {
    const run = this.next();
    const begun = await this.begin(options, null, run);
    if (begun.state !== "work") return null;
    this.asked += 1;
    return this.memory.commitRun(run, proposal(script(begun)));
  }

  /** What is written down of the newest run. */
  async record(run?: string): Promise<string> {
    const records = (await this.below("memory/.consolidation")).filter((path) =>
      path.endsWith(".md"),
    );
    return (
      (await this.text(run ? `memory/.consolidation/${run}.md` : (records.at(-1) ?? ""))) ?? ""
    );
  }
}

export const proposal = (said: readonly Operation[] | Proposal): Proposal =>
  "kind" in said ? said : { kind: "operations", operations: said };

/** Takes over all that is new, as it is. */
export const takeAll: Script = ({ memory, fresh }) =>
  fresh
    .filter(({ id }) => !memory.some((entry) => entry.id === id))
    .map((entry) => add(entry.text, [entry.no], "Facts"));

export const add = (text: string, sources: readonly string[], section?: string): Operation => ({
  op: "add",
  text,
  sources,
  reason: "new",
  ...(section === undefined ? {} : { section }),
});

export const edit = (entry: string, text: string, sources: readonly string[] = []): Operation => ({
  op: "edit",
  entry,
  text,
  sources,
  reason: "better",
});

export const drop = (entry: string, reason = "over"): Operation => ({ op: "drop", entry, reason });

/** The number of the entry that says this. */
export const noOf = (entries: readonly NumberedEntry[], text: string): string =>
  entries.find((entry) => entry.text.includes(text))?.no ?? `nothing says ${text}`;

export { entryId, writeMark };
