import * as z from "zod";
import { CarrelError } from "../../src/shared/errors.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { CompactionLab, type Options, type Said } from "./compaction-lab.ts";

/** The text of a manual: its name and edition, then so many characters. */
export const manual = (name: string, edition: number, chars: number): string =>
  `MANUAL ${name} ${edition} BEGINS ${"step by step ".repeat(Math.ceil(chars / 13))} MANUAL ${name} ${edition} ENDS`;

const Manual = z.strictObject({
  name: z.string(),
  edition: z.number().default(1),
  chars: z.number().default(3_000),
  fails: z.boolean().default(false),
  activates: z.array(z.string()).default([]),
});

/** Shows a manual, which is kept under its name. */
export const openManual = defineTool({
  name: "open_manual",
  description: "Opens a manual.",
  input: Manual,
  effect: "read",
  replay: "pure",
  run: async ({ name, edition, chars, fails, activates }) => {
    if (fails) throw new CarrelError("not_found", `There is no manual ${name}.`);
    const content = [{ type: "text", text: manual(name, edition, chars) } as const];
    return { content, keep: `manual:${name}`, activates };
  },
});

/** Gives a long text that is kept under no name. */
export const readNews = defineTool({
  name: "read_news",
  description: "Reads the news.",
  input: z.strictObject({ chars: z.number().default(3_000) }),
  effect: "read",
  replay: "pure",
  run: async ({ chars }) => `NEWS ${"nothing new ".repeat(Math.ceil(chars / 12))}`,
});

/** A tool of the group `binding`. */
export const bindBook = defineTool({
  name: "bind_book",
  description: "Binds a book.",
  input: z.strictObject({}),
  effect: "read",
  replay: "pure",
  group: "binding",
  run: async () => "BOUND",
});

/** Calls what the message says, as JSON, in one step; then answers. */
export function obey(said: string, { messages }: { readonly messages: readonly object[] }): Said {
  const last = messages.at(-1);
  const isNew = last !== undefined && "role" in last && last.role === "user";
  if (!isNew || !said.startsWith("[")) return { text: `Done. ${"So it went. ".repeat(20)}` };
  return { text: "Well.", calls: JSON.parse(said) };
}

/** What has the model open manuals, beside each other. */
export const opening = (...manuals: readonly object[]): string =>
  JSON.stringify(manuals.map((input) => ({ name: "open_manual", input })));

export const reading = (chars: number, times = 1): string =>
  JSON.stringify(Array.from({ length: times }, () => ({ name: "read_news", input: { chars } })));

/** A session with these tools. */
export function keptLab({ harness = {}, ...options }: Options = {}): CompactionLab {
  const tools = [openManual, readNews, bindBook];
  return new CompactionLab({ answer: obey, ...options, harness: { tools, ...harness } });
}

/** How often the newest request has a text. */
export const times = ({ asked }: CompactionLab, text: string): number =>
  asked.split(text).length - 1;
