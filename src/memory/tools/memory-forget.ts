import * as z from "zod";
import { MEMORY } from "../../context/prompt-sources.ts";
import type { Forgotten } from "../../shared/memory-api.ts";
import type { SessionAddress } from "../../shared/session-address.ts";
import { defineTool } from "../../tools/define-tool.ts";
import type { Memory } from "../memory-client.ts";
import { bulletLimits } from "../ledger.ts";
import { shortened } from "./log-lines.ts";
import { EntryFinder, remembered, wishOf } from "./remembered.ts";

const MAX_ENTRIES = 20;
const MAX_SHOWN = 300;

const entry = z
  .string()
  .max(2 * bulletLimits.characters)
  .transform(wishOf)
  .refine((text) => text !== "", {
    message: "it is blank. Give the text of an entry, as memory_search or memory_get shows it",
  });

/**
 * Forgets entries for good. A person is asked in every mode, with the texts: places would say nothing to them, and may be
 * other ones by the time they answer.
 */
export const memoryForget = (memoryOf: (address: SessionAddress) => Pick<Memory, "forget">) =>
  defineTool({
    name: "memory_forget",
    description:
      "Forgets entries of MEMORY.md and of the ledgers for good, also what was made of them, in search and in earlier versions too. The person is asked first. Use it when they want something forgotten; correct what has changed with memory_save.",
    input: z.strictObject({
      entries: z
        .array(entry)
        .min(1)
        .max(MAX_ENTRIES)
        .describe("The whole text of each entry, as memory_search or memory_get shows it."),
    }),
    effect: "write",
    replay: "idempotent",
    subjects: () => ({ paths: [MEMORY, "memory/"] }),
    check: ({ entries }) => ({
      verdict: "ask",
      safety: true,
      reason: `It forgets for good: ${entries.map(quoted).join("; ")}`,
    }),
    async run({ entries }, { workspace, address, author, op }) {
      const finder = new EntryFinder(entries);
      for await (const batch of remembered(workspace)) finder.look(batch);
      const forgotten = await memoryOf(address).forget(finder.ids, author, `${op}:forget`);
      return [told(forgotten), ...missed(finder, forgotten)].join("\n");
    },
  });

function told({ entries, paths }: Forgotten): string {
  if (entries === 0) return "Nothing was forgotten.";
  const gone = entries === 1 ? "1 entry is gone" : `${entries} entries are gone`;
  return `${gone}, from ${paths.join(", ")}. Search and earlier versions do not have ${entries === 1 ? "it" : "them"} any more.`;
}

/** What was not there. A call that is made again finds nothing of what it has forgotten, so one text alone is not missed then. */
function missed(finder: EntryFinder, { entries }: Forgotten): string[] {
  const texts = finder.missed;
  if (texts.length === 0 || (entries > 0 && texts.length === finder.size)) return [];
  const lines = texts.flatMap(({ text, nearest }) => [
    `No entry says ${quoted(text)}.${nearest.length > 0 ? " The nearest:" : ""}`,
    ...nearest.map(({ text: said, path, line }) => `- ${shortened(said, 1_000)} (${path}#${line})`),
  ]);
  return [
    ...lines,
    "Call it again with the whole text of an entry, as it is shown here or by memory_get.",
  ];
}

const quoted = (text: string): string => `“${shortened(text, MAX_SHOWN, true)}”`;
