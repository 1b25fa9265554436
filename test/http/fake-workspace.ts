import { CarrelError, notFound } from "../../src/shared/errors.ts";
import type { Listed, ReadAnswer } from "../../src/shared/workspace-api.ts";
import type { Change, Changed, ImportPage } from "../../src/shared/workspace-changes.ts";
import type { Content, FileInfo, FileVersion } from "../../src/shared/workspace-files.ts";
import { workspacePath } from "../../src/workspace/path.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { noWorkspace } from "../support/no-workspace.ts";

type Stored = { readonly bytes: Uint8Array; readonly executable: boolean; readonly info: Info };
type Info = Pick<FileInfo, "etag" | "at" | "by">;

const encoder = new TextEncoder();

/** Own files over a template, in memory, with as much of a bucket's behaviour as the routes can tell. */
export class FakeWorkspace implements Workspace {
  readonly snapshot = noWorkspace.snapshot;
  readonly glob = noWorkspace.glob;
  readonly grep = noWorkspace.grep;
  readonly own = new Map<string, Stored>();
  readonly hidden = new Set<string>();
  readonly staged = new Map<string, ImportPage[]>();
  /** Bodies that were given out and may still be in use. */
  reads = 0;
  batches = 0;
  /** Files of one answer, and bytes of a log. */
  batch = 10;
  part = 4 * 1024 * 1024;
  readonly #template: Readonly<Record<string, string>>;
  readonly #versions = new Map<string, (Stored | null)[]>();
  readonly #done = new Map<string, readonly Changed[]>();
  #version = 0;

  constructor(template: Readonly<Record<string, string>>) {
    this.#template = template;
  }

  stored(): unknown {
    return [[...this.own], [...this.hidden], [...this.staged]];
  }

  whiteouts: Workspace["whiteouts"] = async () => [...this.hidden].toSorted();
  rescan: Workspace["rescan"] = async () => ({ taken: [], removed: [], refused: [] });
  usage: Workspace["usage"] = async () => ({
    files: 0,
    bytes: 0,
    logs: 0,
    logBytes: 0,
    unsettled: 0,
  });

  readMany: Workspace["readMany"] = async ({ paths, layer }) => {
    this.batches += 1;
    const read = async (path: string): Promise<ReadAnswer | null> => {
      const isThere = this.#shown(layer).some((file) => file.path === workspacePath(path));
      return isThere ? this.read({ path, from: 0, ...(layer && { layer }) }) : null;
    };
    return { files: await Promise.all(paths.slice(0, this.batch).map(read)) };
  };

  read: Workspace["read"] = async ({ path, layer, version, from }) => {
    this.reads += 1;
    const canonical = workspacePath(path);
    if (version !== undefined) {
      const stored = this.#versions
        .get(canonical)
        ?.find((item) => item?.info.etag === `${version}`);
      if (!stored) throw notFound(`Version ${version}`);
      return {
        file: this.#ownInfo(canonical, stored),
        content: contentOf(stored.bytes),
        next: null,
      };
    }
    const file = this.#shown(layer).find((item) => item.path === canonical);
    if (!file) throw notFound(`"${canonical}"`);
    const text = this.#template[canonical] ?? "";
    const bytes = file.layer === "own" ? this.own.get(canonical)?.bytes : encoder.encode(text);
    if (file.type === "log" && from !== undefined) return this.#part(file, bytes, from);
    return { file, content: contentOf(bytes ?? new Uint8Array()), next: null };
  };

  page: Workspace["page"] = async ({ path, offset, limit }) => {
    const { file, content } = await this.read({ path });
    if ("bytes" in content) return { file, lines: null, total: 0, lineCut: false };
    const lines = content.text.split("\n").slice(0, -1);
    const total = lines.length;
    return { file, lines: lines.slice(offset, offset + limit), total, lineCut: false };
  };

  tree: Workspace["tree"] = async ({ directory = "", recursive, layer, after = "", limit }) => {
    const root = workspacePath(directory);
    const entries = new Map<string, Listed>();
    for (const file of this.#shown(layer)) {
      if (root !== "" && !file.path.startsWith(`${root}/`)) continue;
      const depth = root === "" ? 1 : root.split("/").length + 1;
      const path = recursive ? file.path : file.path.split("/").slice(0, depth).join("/");
      const shown = path === file.path ? file : null;
      entries.set(path, { path, layer: entries.get(path)?.layer ?? file.layer, file: shown });
    }
    if (root !== "" && entries.size === 0) throw notFound(`"${root}"`);
    const all = [...entries.values()].filter(({ path }) => path > after);
    const page = all.slice(0, limit ?? 1_000);
    return { entries: page, total: entries.size, cut: all.length > page.length };
  };

  history: Workspace["history"] = async (path) => {
    const versions = (this.#versions.get(workspacePath(path)) ?? []).toReversed();
    return versions.flatMap((stored): FileVersion[] => {
      if (!stored) return [];
      const { etag, at, by } = stored.info;
      const size = stored.bytes.length;
      return [{ version: Number(etag), etag, type: "text", size, at: at ?? 0, by: by ?? "" }];
    });
  };

  change: Workspace["change"] = async ({ changes, by, op }) => {
    const done = op === undefined ? undefined : this.#done.get(op);
    if (done) return done;
    const changed = changes.map((change) => this.#apply(change, by));
    if (op !== undefined) this.#done.set(op, changed);
    return changed;
  };

  stageImport: Workspace["stageImport"] = async (id, page) => {
    this.staged.set(id, [...(this.staged.get(id) ?? []), structuredClone(page)]);
  };

  commitImport: Workspace["commitImport"] = async (id, by) => {
    const pages = this.staged.get(id) ?? [];
    this.staged.delete(id);
    const before = new Map(this.own);
    for (const { changes, whiteouts = [] } of pages) {
      for (const change of changes) this.#apply(change, by);
      for (const path of whiteouts) this.hidden.add(path);
    }
    return [...this.own].filter(([path, file]) => before.get(path) !== file).length;
  };

  #apply(change: Change, by: string): Changed {
    const path = workspacePath(change.path);
    const present = this.#shown().find((file) => file.path === path);
    if ("expect" in change && change.expect !== undefined) {
      const etag = present?.etag ?? "absent";
      if (change.expect !== etag) throw new CarrelError("conflict", `"${path}" is now ${etag}.`);
    }
    if (change.kind === "write")
      this.#store(path, bytesOf(change.content), change.executable ?? false, by);
    else if (change.kind === "append") {
      const before = this.own.get(path)?.bytes ?? new Uint8Array();
      this.#store(path, Buffer.concat([before, encoder.encode(change.text)]), false, by);
    } else if (change.kind === "delete") {
      if (!present) throw notFound(`"${path}"`);
      this.own.delete(path);
      if (Object.hasOwn(this.#template, path)) this.hidden.add(path);
    } else if (change.kind === "reset") {
      this.own.delete(path);
      this.hidden.delete(path);
    } else if (change.kind === "undo") {
      const versions = this.#versions.get(path) ?? [];
      const wanted = versions.find((item) => item?.info.etag === `${change.version}`);
      const stored = change.version === undefined ? versions.at(-2) : wanted;
      if (!stored) throw notFound("An earlier version");
      this.#store(path, stored.bytes, stored.executable, by);
    } else throw new Error(`no ${change.kind} here`);
    const file = this.#shown().find((each) => each.path === path) ?? null;
    return {
      file,
      created: !present,
      touched: 1,
    };
  }

  #part(file: FileInfo, bytes: Uint8Array | undefined, from: number): ReadAnswer {
    const end = from + this.part;
    const part = (bytes ?? new Uint8Array()).slice(from, end);
    return { file, content: { bytes: part }, next: end < file.size ? end : null };
  }

  #store(path: string, bytes: Uint8Array, executable: boolean, by: string): void {
    const info = { etag: String(++this.#version), at: 1_700_000_000_000, by };
    const stored = { bytes, executable, info };
    this.own.set(path, stored);
    this.hidden.delete(path);
    this.#versions.set(path, [...(this.#versions.get(path) ?? []), stored]);
  }

  #shown(layer?: string): FileInfo[] {
    const own = [...this.own].map(([path, stored]) => this.#ownInfo(path, stored));
    const template = Object.entries(this.#template).flatMap(([path, text]): FileInfo[] => {
      const isHidden = this.own.has(path) || this.hidden.has(path);
      if (layer === undefined && isHidden) return [];
      const size = encoder.encode(text).length;
      const unknown = { executable: false, etag: "t0123456789ab", at: null, by: null };
      return [{ path, layer: "template", type: "text", size, ...unknown }];
    });
    return [...own, ...template]
      .filter((file) => layer === undefined || file.layer === layer)
      .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  }

  #ownInfo(path: string, { bytes, executable, info }: Stored): FileInfo {
    const type = path.endsWith(".log.jsonl") ? "log" : "text" in contentOf(bytes) ? "text" : "blob";
    return { path, layer: "own", type, size: bytes.length, executable, ...info };
  }
}

const bytesOf = (content: Content): Uint8Array =>
  "text" in content ? encoder.encode(content.text) : content.bytes;

function contentOf(bytes: Uint8Array): Content {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? { bytes } : { text };
  } catch {
    return { bytes };
  }
}
