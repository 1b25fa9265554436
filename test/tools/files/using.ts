import type { ContentPart } from "../../../src/shared/messages.ts";
import { fileTools } from "../../../src/tools/files/file-tools.ts";
import type { Files } from "../../support/bucket-parts.ts";
import { nodeWorkspace, type NodeWorkspace } from "../../support/node-workspace.ts";
import { toolContext } from "../../support/tool-context.ts";

/** The file tools over some files, as one session uses them: what a tool showed whole counts as seen at once. */
export class Desk {
  readonly workspace: NodeWorkspace;
  readonly seen = new Map<string, string>();
  #calls = 0;

  constructor(files: Files = {}) {
    this.workspace = nodeWorkspace(files);
  }

  /** What a tool gives, in parts. Without `call` it is a new call. */
  async parts(
    name: string,
    input: unknown,
    call = `call-${++this.#calls}`,
  ): Promise<readonly ContentPart[]> {
    const tool = fileTools.find((candidate) => candidate.name === name);
    if (!tool) throw new Error(`no tool ${name}`);
    const output = await tool.prepare(input).run(
      toolContext({
        op: `s/${call}`,
        workspace: this.workspace,
        seen: (path) => this.seen.get(path) ?? null,
      }),
    );
    if (typeof output === "string") return [{ type: "text", text: output }];
    if ("holds" in output) throw new Error("no file tool waits for tasks");
    if (!("content" in output)) return output;
    for (const [path, etag] of Object.entries(output.seen ?? {})) this.seen.set(path, etag);
    return output.content;
  }

  /** The text that a tool gives. */
  async use(name: string, input: unknown, call?: string): Promise<string> {
    const parts = await this.parts(name, input, call);
    return parts
      .map((part) => (part.type === "text" ? part.text : `<${part.mediaType}>`))
      .join("\n");
  }
}

export const lines = (count: number, line = (at: number) => `line ${at}`): string =>
  Array.from({ length: count }, (_, at) => line(at + 1)).join("\n");
