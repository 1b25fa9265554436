import { CarrelError } from "../../src/shared/errors.ts";
import type { ChangeRequest } from "../../src/shared/workspace-changes.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import type { Workspace } from "../../src/workspace/workspace.ts";
import { BY, type Files } from "./bucket-parts.ts";
import { WorkspaceLab } from "./workspace-lab.ts";

/** A user's workspace in real buckets, as a test of something else uses it; its methods can be replaced. */
export type NodeWorkspace = { -readonly [Method in keyof Workspace]: Workspace[Method] } & {
  /** Every request for a change, also those that were refused. */
  readonly requests: readonly ChangeRequest[];
  /** Somebody else writes a file. */
  readonly put: (path: string, text: string) => Promise<void>;
  /** What shows: each file with its text, or how many bytes it has, and who wrote it. */
  readonly files: () => Promise<Record<string, string>>;
  /** The text at a path; `null` when nothing is there. */
  readonly text: (path: string) => Promise<string | null>;
};

/** Ann's workspace, which begins with `files` as its template. */
export function nodeWorkspace(files: Files = {}): NodeWorkspace {
  const workspace = new WorkspaceLab({ template: files }).workspace();
  const requests: ChangeRequest[] = [];
  return {
    ...workspace,
    requests,
    change(request) {
      requests.push(request);
      return workspace.change(request);
    },
    async put(path, text) {
      const change = { kind: "write", path, content: { text } } as const;
      await workspace.change({ by: BY, changes: [change] });
    },
    async files() {
      const { entries } = await workspace.tree({ recursive: true, limit: 2_000 });
      const read = entries.map(async ({ path, file }) => {
        const { content } = await workspace.read({ path });
        return [path, `${file?.by ?? "template"}: ${shown(content)}`];
      });
      return Object.fromEntries(await Promise.all(read));
    },
    async text(path) {
      try {
        return shown((await workspace.read({ path })).content);
      } catch (error) {
        if (error instanceof CarrelError && error.code === "not_found") return null;
        throw error;
      }
    },
  };
}

const shown = (content: Content): string =>
  "text" in content ? content.text : `${content.bytes.length} bytes`;
