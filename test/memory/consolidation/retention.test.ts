import { describe, expect, it } from "vitest";
import { parseProposal } from "../../../src/memory/consolidation/proposal.ts";
import { parseRecord } from "../../../src/memory/consolidation/record.ts";
import { memoryTokens } from "../../../src/memory/consolidation/plan.ts";
import type { FinishReason } from "../../../src/shared/messages.ts";
import type { Proposal } from "../../../src/shared/memory-api.ts";
import { memoryEntries } from "../../../src/shared/memory-entries.ts";
import { dayAfter } from "../../../src/shared/time-zone.ts";
import { MemoryLab, OPTIONS, add, drop, edit, noOf, takeAll, type Work } from "./memory-lab.ts";

const NAMES = ["Ann", "Bob", "Cleo", "Dan", "Eve", "Finn", "Gina", "Hugo", "Ida", "Jon"];
const THINGS = [
  "boat",
  "cello",
  "garden",
  "kiln",
  "loom",
  "orchard",
  "pony",
  "sauna",
  "tent",
  "violin",
];

/** Two hundred facts, none like another. */
const FACTS = Array.from({ length: 200 }, (_, at) => {
  const [name, thing] = [NAMES[at % 10], THINGS[Math.floor(at / 10) % 10]];
  return `${name} bought a ${thing} in ${1_800 + at}`;
});

const json = (operations: readonly unknown[]): string => JSON.stringify({ operations });

/** Answers that must change nothing, or little: one after the other, over and over. */
const POISON: readonly ((work: Work) => readonly [string, FinishReason])[] = [
  () => ["", "stop"],
  (work) => [json(takeAll(work) as readonly unknown[]).slice(0, -40), "length"],
  ({ memory }) => [
    json(memory.map(({ no }) => add(`much ${no} ${"more ".repeat(300)}`, [no]))),
    "stop",
  ],
  ({ memory }) => [json(memory.filter((_, at) => at % 2 === 0).map(({ no }) => drop(no))), "stop"],
  ({ memory }) => [
    json(memory.map(({ no }) => edit(no, "Zed flies a zeppelin to Zanzibar"))),
    "stop",
  ],
  () => [json([add("Zed owns the moon", []), drop("M9999"), add("Zed", ["L9999"])]), "stop"],
  () => ["Here is the new MEMORY.md:\n\n- Zed owns the moon\n", "stop"],
  ({ memory }) => [
    json([
      edit(
        "M1",
        "All is well",
        memory.map(({ no }) => no),
      ),
      ...memory.slice(1).map(({ no }) => drop(no, "in M1")),
    ]),
    "stop",
  ],
  () => ['{"operations":[{"op":"replace","text":"all"}]}', "stop"],
  ({ memory }) => [json(memory.map(({ no }) => ({ op: "drop", entry: no }))), "stop"],
];

/** A model that works: takes over what is new, and drops a fact in every tenth run, with a reason. */
function works(work: Work, no: number): Proposal {
  const gone = no % 10 === 9 ? [drop(noOf(work.memory, FACTS[no] ?? ""), "no longer true")] : [];
  const operations = [...(takeAll(work) as ReturnType<typeof add>[]), ...gone];
  return parseProposal(json(operations), "stop");
}

describe("what is remembered", () => {
  it("[M4] lasts through 30 runs and 30 poisoned answers", async () => {
    const lab = await MemoryLab.atNoon();
    const first = "2026-10-01";
    let poisoned = 0;
    for (let no = 0; no < 30; no += 1) {
      const facts = FACTS.slice(Math.floor((no * 200) / 30), Math.floor(((no + 1) * 200) / 30));
      await lab.flush(dayAfter(first, no), facts);
      const before = await lab.text();
      const poison = POISON[no % POISON.length];
      const result = await lab.run((work) => parseProposal(...(poison?.(work) ?? ["", "stop"])));
      poisoned += 1;
      expect(result, `poison ${no}`).toMatchObject({ state: "refused", why: expect.any(String) });
      expect(await lab.text()).toBe(before);
      expect(await lab.run((work) => works(work, no))).toMatchObject({ state: "applied" });
    }
    const text = (await lab.text()) ?? "";
    expect(memoryTokens(text)).toBeLessThanOrEqual(OPTIONS.maxTokens);
    const remain = memoryEntries(text).map((entry) => entry.text);
    const lost = FACTS.filter((fact) => !remain.includes(fact));
    expect(remain.filter((one) => !FACTS.includes(one))).toEqual([]);
    expect(lost.length).toBeLessThanOrEqual(10);
    const records = (await lab.below("memory/.consolidation")).filter((path) =>
      path.endsWith(".md"),
    );
    const dropped = await Promise.all(
      records.map(async (path) => parseRecord(await lab.text(path))?.changes ?? []),
    );
    const reasons = dropped
      .flat()
      .flatMap((it) => (it.what === "dropped" ? [[it.before.text, it.reason]] : []));
    expect(Object.fromEntries(reasons)).toEqual(
      Object.fromEntries(lost.map((fact) => [fact, "no longer true"])),
    );
    expect([poisoned, lost.length, lab.asked]).toEqual([30, 3, 60]);
  });

  it("[M9] keeps at most 50 records, those of runs that changed nothing last", async () => {
    const lab = await MemoryLab.atNoon();
    for (let no = 0; no < 30; no += 1) {
      await lab.flush("2026-11-30", [`Ann has ${no} plants`]);
      await lab.run(takeAll);
    }
    await lab.flush("2026-11-30", ["Ann has a boat"]);
    for (let no = 0; no < 40; no += 1) await lab.run(() => ({ kind: "unusable", why: "no JSON" }));
    const records = (await lab.below("memory/.consolidation")).filter((path) =>
      path.endsWith(".md"),
    );
    const { runs } = await lab.memory.overview(4_000);
    expect(records).toHaveLength(50);
    expect(records.filter((path) => path < "memory/.consolidation/run-0031.md")).toHaveLength(30);
    expect(runs).toHaveLength(20);
    expect(runs[0]).toMatchObject({ run: "run-0070", state: "refused", why: "no JSON" });
    expect(await lab.workspace.history("memory/.consolidation/run-0031.md")).toEqual([]);
    expect(await lab.begin()).toMatchObject({ fresh: [{ text: "Ann has a boat" }] });
  });
});
