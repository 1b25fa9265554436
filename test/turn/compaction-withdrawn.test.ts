import * as z from "zod";
import { describe, expect, it } from "vitest";
import { defineTool } from "../../src/tools/define-tool.ts";
import { CompactionLab, textsOf } from "./compaction-lab.ts";

const page = defineTool({
  name: "read_page",
  description: "Reads a page.",
  input: z.strictObject({ no: z.number() }),
  effect: "read",
  replay: "pure",
  run: ({ no }) => Promise.resolve(`Page ${no}: ${"word ".repeat(1_500)}`),
});

/** Reads pages until they were cut from its context, says that it did, and is asked to answer anew. */
async function withdrawn(pages: number, triggerTokens: number) {
  let no = 0;
  const talking = new CompactionLab({
    window: 20_000,
    config: { reserved: 4_000, triggerTokens, prune: null },
    answer: (said) => {
      if (said !== "Read all pages." || no > pages) return { text: "Fine." };
      if (no++ === pages) return { text: "WITHDRAWN ".repeat(1_000) };
      return { text: "WITHDRAWN", calls: [{ name: "read_page", input: { no } }] };
    },
    summary: ({ messages }) =>
      `## SESSION INTENT\n${textsOf(messages).includes("WITHDRAWN") ? "WITHDRAWN" : "Nothing."}`,
    harness: { tools: [page] },
  });
  await talking.say("before", `Good morning. ${"word ".repeat(1_500)}`);
  await talking.say("first", "Read all pages.");
  return talking;
}

async function answeredAnew(talking: CompactionLab) {
  const { length } = talking.requests;
  talking.lab.say("again", { kind: "regenerate" });
  await talking.lab.settle();
  await talking.say("after", "And now?");
  return talking.requests.slice(length).map(({ messages }) => textsOf(messages));
}

const draftsOf = ({ lab }: CompactionLab) =>
  lab.sql.all("SELECT body FROM state WHERE name = 'drafted'");

describe("an answer that is given anew", () => {
  it.each([false, true])(
    "[C6, T13] after a cut in the middle of it is given from what was said before it (restarted: %s)",
    async (isRestarted) => {
      const talking = await withdrawn(30, 0);
      expect(talking.document.turn).toBeDefined();
      expect(talking.hows).toMatch(/^summary( summary)+$/);
      const { compacted } = talking.document;
      if (isRestarted) talking.lab.restart();
      const asked = await answeredAnew(talking);
      expect(asked).toHaveLength(2);
      for (const text of asked) {
        expect(text).not.toContain("WITHDRAWN");
        expect(text).toContain("Good morning.");
        expect(text.split("Read all pages.")).toHaveLength(2);
      }
      expect(talking.document).not.toHaveProperty("turn");
      expect(talking.document.compacted).toBe(compacted);
      expect(talking.violations).toEqual([]);
    },
  );

  it("[C6, T13] after a summary was begun at its end is given without that", async () => {
    const talking = await withdrawn(3, 8_000);
    expect(draftsOf(talking)).toHaveLength(1);
    const asked = await answeredAnew(talking);
    expect(asked.join()).not.toContain("WITHDRAWN");
    expect(talking.document).not.toHaveProperty("turn");
  });

  it("[C6] leaves no summary behind where the conversation begins anew", async () => {
    const talking = await withdrawn(3, 8_000);
    expect(draftsOf(talking)).toHaveLength(1);
    talking.lab.session.clear("ann");
    expect(draftsOf(talking)).toEqual([]);
  });
});
