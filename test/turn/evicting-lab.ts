import * as z from "zod";
import { defineTool } from "../../src/tools/define-tool.ts";
import { fileTools } from "../../src/tools/files/file-tools.ts";
import type { Replay, ToolOutput } from "../../src/tools/tool.ts";
import { defaultEviction, type EvictionConfig } from "../../src/turn/eviction/config.ts";
import { makeDigestsInstant } from "../support/instant-digest.ts";
import { nodeWorkspace, type NodeWorkspace } from "../support/node-workspace.ts";
import { SessionLab, type LabOptions } from "./session-lab.ts";

makeDigestsInstant();

/** Lines that say where they are. */
export const long = (chars: number): string =>
  Array.from({ length: Math.ceil(chars / 20) }, (_, at) => `${`line ${at}`.padEnd(19, ".")}\n`)
    .join("")
    .slice(0, chars - 1)
    .concat("!");

/** What tests need, so that results may be short. */
export const small: EvictionConfig = {
  ...defaultEviction,
  maxResultChars: 1_000,
  previewChars: 100,
};

type Giving = LabOptions & {
  readonly gives: () => ToolOutput;
  readonly name?: string;
  readonly replay?: Replay;
  readonly files?: NodeWorkspace;
};

/** A tool that gives something. */
export const giving = (
  gives: () => ToolOutput,
  { name = "fetch_page", replay = "pure" as Replay } = {},
) =>
  defineTool({
    name,
    description: "Gives.",
    input: z.object({}),
    effect: "read",
    replay,
    run: async () => gives(),
  });

/** A session whose tool `fetch_page` gives something, over real files. */
export function evictingLab({ gives, name = "fetch_page", replay = "pure", ...options }: Giving) {
  const files = options.files ?? nodeWorkspace();
  const give = giving(gives, { name, replay });
  const tools = [give, ...fileTools];
  const lab = new SessionLab({ eviction: small, tools, workspace: () => files, ...options });
  const say = async (key = "t") => {
    lab.say(key, [{ calls: [{ name, input: "{}" }] }, { text: "ok" }]);
    await lab.settle();
  };
  const result = () => {
    const found = lab.entries().find(({ kind }) => kind === "result");
    if (found?.kind !== "result") throw new Error("there is no result");
    return found;
  };
  const text = () =>
    result()
      .content.map((part) => ("text" in part ? part.text : ""))
      .join();
  return { lab, files, say, result, text };
}

/** What `read_file` shows of a path, numbers apart, page for page. */
export async function readBy(lab: SessionLab, path: string): Promise<string> {
  let shown = "";
  for (let offset = 0, page = 0; ; page++) {
    const key = `read-${page}`;
    const input = JSON.stringify({ path, offset });
    lab.say(key, [{ calls: [{ name: "read_file", input }] }, { text: "ok" }]);
    await lab.settle();
    const told = lab.entries(key).find(({ kind }) => kind === "result");
    const text =
      told?.kind === "result"
        ? told.content.map((part) => ("text" in part ? part.text : "")).join("\n")
        : "";
    const lines = text.split("\n").flatMap((line) => /^ *\d+\|(.*)$/.exec(line)?.[1] ?? []);
    shown += `${lines.join("\n")}\n`;
    const next = /Go on with offset=(\d+)/.exec(text)?.[1];
    if (next === undefined) return shown.slice(0, -1);
    offset = Number(next);
  }
}
