import * as z from "zod";
import { MEMORY } from "../../context/prompt-sources.ts";
import { CarrelError } from "../../shared/errors.ts";
import type { Mark } from "../../shared/memory-marks.ts";
import { defineTool } from "../../tools/define-tool.ts";
import { count } from "../../tools/truncate.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import {
  allBulletsOf,
  bulletLimits,
  hasBullets,
  ledgerPath,
  ledgerSection,
  memoryBullets,
} from "../ledger.ts";

const MAX_CHARACTERS = 100_000;

/** Entries to be remembered; a text without a list is one. */
const content = z
  .string()
  .max(MAX_CHARACTERS)
  .describe(
    "What to remember, as a Markdown list: one fact in each bullet, so that it can be understood alone.",
  )
  .transform((text, context) => {
    const lines = allBulletsOf(text);
    const bullets = hasBullets(text) || lines.length === 0 ? lines : [lines.join("\n")];
    const problem = problemOf(bullets);
    if (problem === null) return bullets;
    context.addIssue({ code: "custom", message: problem });
    return z.NEVER;
  });

function problemOf(bullets: readonly string[]): string | null {
  const { bullets: most, characters } = bulletLimits;
  if (bullets.length === 0)
    return 'it holds nothing to remember. Write bullets, such as "- Ann likes tea"';
  if (bullets.length > most)
    return `it has ${count(bullets.length)} bullets, and one call saves at most ${most}. Save them in several calls`;
  const long = bullets.findIndex((text) => text.length > characters);
  if (long === -1) return null;
  return `bullet ${long + 1} has ${count(bullets[long]?.length ?? 0)} characters, and one may have ${count(characters)}. Say it in several shorter bullets`;
}

/** Remembers something at once: in MEMORY.md, and in the ledger of the person's day. */
export const memorySave = defineTool({
  name: "memory_save",
  description:
    "Remembers facts, preferences, decisions and corrections for later conversations. They are added to MEMORY.md and to today's ledger at once.",
  input: z.strictObject({ content }),
  effect: "write",
  replay: "idempotent",
  subjects: () => ({ paths: [MEMORY, "memory/"] }),
  async run(
    { content: bullets },
    { workspace, address, turn, zone, now, author, op, fromOutside },
  ) {
    const session = `${address.agent}/${address.session}`;
    const mark: Mark = { session, turn, ...(fromOutside() ? { outside: true } : {}) };
    const at = now();
    const text = `${await lineEndOf(workspace)}${memoryBullets(bullets, { ...mark, at })}`;
    const section = ledgerSection("Memory Save", at, mark, bullets);
    await workspace.change({
      by: author,
      changes: [
        { kind: "append", path: MEMORY, text, op: `${op}:memory` },
        { kind: "append", path: ledgerPath(zone, at), text: section, op: `${op}:ledger` },
      ],
    });
    const memories = bullets.length === 1 ? "memory" : "memories";
    return `Saved ${bullets.length} ${memories} to ${MEMORY}.`;
  },
});

/** The line end that MEMORY.md lacks, where somebody left it out. A file that cannot be read is not taken for an empty one. */
async function lineEndOf(workspace: Pick<Workspace, "read">): Promise<string> {
  try {
    const read = await workspace.read({ path: MEMORY });
    if (!("text" in read.content)) return "";
    return /[^\r\n]$/.test(read.content.text) ? "\n" : "";
  } catch (error) {
    if (error instanceof CarrelError && error.code === "not_found") return "";
    throw error;
  }
}
