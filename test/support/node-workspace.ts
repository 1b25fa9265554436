import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { noPoint } from "../../src/shared/point.ts";
import type { ChangeRequest } from "../../src/shared/workspace-changes.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import { WorkspaceBucket } from "../../src/workspace/bucket.ts";
import { createTemplate, type TemplateFile } from "../../src/workspace/template.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { ManualClock } from "./manual-clock.ts";
import { createMemoryStore } from "./memory-store.ts";
import { noWorkspace } from "./no-workspace.ts";
import { nodeSql, openDatabase } from "./node-sql.ts";

export type Files = Readonly<Record<string, string | Uint8Array>>;

/** A user's workspace in one real bucket, which begins with `files` as its template. */
export class NodeWorkspace implements Workspace {
  /** Every request for a change that tools made, also those that were refused. */
  readonly requests: ChangeRequest[] = [];
  readonly #bucket: WorkspaceBucket;
  readonly whiteouts = noWorkspace.whiteouts;
  readonly stageImport = noWorkspace.stageImport;
  readonly commitImport = noWorkspace.commitImport;

  constructor(files: Files = {}) {
    const template = Object.entries(files).map(([path, given]) => [path, templateFile(given)]);
    this.#bucket = new WorkspaceBucket({
      key: bucketPrefix({ scope: "USER", agent: "main", user: "ann" }),
      sql: nodeSql(openDatabase()),
      store: createMemoryStore(),
      template: createTemplate(Object.fromEntries(template), "0123456789abcdef"),
      shared: null,
      clock: new ManualClock(),
      register: () => Promise.resolve(),
      setAlarm: () => {},
      breathe: () => Promise.resolve(),
      point: noPoint,
      log: () => {},
    });
  }

  snapshot: Workspace["snapshot"] = (request) => this.#bucket.snapshot(request);
  tree: Workspace["tree"] = (request) => this.#bucket.tree(request);
  read: Workspace["read"] = (request) => this.#bucket.read(request);
  readMany: Workspace["readMany"] = (request) => this.#bucket.readMany(request);
  page: Workspace["page"] = (request) => this.#bucket.page(request);
  glob: Workspace["glob"] = (request) => this.#bucket.glob(request);
  grep: Workspace["grep"] = (request) => this.#bucket.grep(request);
  history: Workspace["history"] = (path) => this.#bucket.history(path);
  usage: Workspace["usage"] = () => this.#bucket.usage();
  rescan: Workspace["rescan"] = () => this.#bucket.rescan();

  change: Workspace["change"] = (request) => {
    this.requests.push(request);
    return this.#bucket.change(request);
  };

  /** Somebody else writes a file. */
  async put(path: string, text: string): Promise<void> {
    const change = { kind: "write", path, content: { text } } as const;
    await this.#bucket.change({ by: "user:ann", changes: [change] });
  }

  /** What shows: each file with its text, or how many bytes it has, and who wrote it. */
  async files(): Promise<Record<string, string>> {
    const { entries } = await this.#bucket.tree({ recursive: true, limit: 2_000 });
    const read = entries.map(async ({ path, file }) => {
      const { content } = await this.#bucket.read({ path });
      return [path, `${file?.by ?? "template"}: ${shown(content)}`];
    });
    return Object.fromEntries(await Promise.all(read));
  }

  /** The text at a path; `null` when nothing is there. */
  async text(path: string): Promise<string | null> {
    const file = (await this.files())[path];
    return file === undefined ? null : file.slice(file.indexOf(": ") + 2);
  }
}

const shown = (content: Content): string =>
  "text" in content ? content.text : `${content.bytes.length} bytes`;

const templateFile = (given: string | Uint8Array): TemplateFile =>
  typeof given === "string" ? { text: given } : { bytes: given };
