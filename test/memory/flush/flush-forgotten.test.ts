import { describe, expect, it } from "vitest";
import { readNotes } from "../../../src/memory/flush/flush-notes.ts";
import type { Memory } from "../../../src/memory/memory-client.ts";
import { entryId } from "../../../src/shared/memory-entries.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";
import { latch } from "../../turn/after-turn-lab.ts";
import { counts, FlushLab } from "./flush-lab.ts";

const CAT = "My cat is called Turing";
const OSLO = "I live in Oslo";

/** Ann's sessions over her real memory, with clocks that go together. */
class Ann {
  readonly buckets = new WorkspaceLab();
  readonly memory: Memory = this.buckets.memory();
  readonly workspace = this.buckets.workspace();
  readonly labs: FlushLab[] = [];

  session(session = "s1", memory = this.memory): FlushLab {
    const address = { agent: "main", user: "ann", session };
    const lab = new FlushLab({ address, workspace: this.workspace, memoryOf: () => memory });
    this.labs.push(lab);
    return lab;
  }

  /** All clocks show what the latest one does, and a second more. */
  async pass(): Promise<void> {
    const clocks = [this.buckets.clock, ...this.labs.map(({ clock }) => clock)];
    const now = Math.max(...clocks.map((clock) => clock.now())) + 1_000;
    for (const clock of clocks) await clock.pass(now - clock.now());
    for (const lab of this.labs) await lab.rest();
  }

  /** What the agent saves by itself when it is told to. */
  async save(text: string): Promise<void> {
    const change = { kind: "append", path: "MEMORY.md", text: `- ${text}\n` } as const;
    await this.workspace.change({ by: "agent:main/s1", changes: [change] });
  }

  /** What the person does in the panel. */
  async forget(text: string): Promise<void> {
    await this.pass();
    await this.memory.forget([entryId(text)], "user:ann", `forget-${this.buckets.clock.now()}`);
    await this.pass();
  }
}

describe("what was forgotten", () => {
  it("[M7] before the flush of its turn has asked the model is not noted by it", async () => {
    const ann = new Ann();
    const { opened, open } = latch();
    const lab = ann.session();
    lab.model.answer = async () => {
      await opened;
      return { text: `- ${CAT}\n- ${OSLO}` };
    };
    await lab.turn("a", CAT);
    await ann.save(CAT);
    await ann.forget(CAT);
    open();
    await lab.finish();
    expect(counts(await lab.ledger(), [CAT, OSLO])).toEqual([0, 1]);
    const { hits } = await ann.workspace.search({ query: "Turing cat" });
    expect(hits.filter(({ source }) => source !== "session")).toEqual([]);
    expect(lab.notes()).toEqual({ cursor: { seq: lab.entries().at(-1)?.seq } });
  });

  it("[M7] between the letter and its arrival is taken out of it, and said later it is noted", async () => {
    const ann = new Ann();
    let isLost = true;
    ann.buckets.before = ({ method }) => {
      if (isLost && method === "note") throw new Error("lost on the way");
    };
    const lab = ann.session();
    await lab.turn("a", CAT);
    expect(lab.notes()).toMatchObject({ letter: { saidAt: 0 } });
    await ann.save(CAT);
    await ann.forget(CAT);
    isLost = false;
    lab.restart();
    await lab.finish();
    expect([await lab.ledger(), lab.model.asked.length]).toEqual(["", 1]);
    await lab.turn("b", CAT);
    await lab.finish();
    expect(counts(await lab.ledger(), [CAT])).toEqual([1]);
  });

  it("[M7] after a letter arrived whose answer was lost is not noted when it comes again", async () => {
    const ann = new Ann();
    let calls = 0;
    const lab = ann.session("s1", {
      ...ann.memory,
      note: async (request) => {
        const answer = await ann.memory.note(request);
        if (++calls === 1) throw new Error("lost on the way back");
        return answer;
      },
    });
    await lab.turn("a", CAT);
    expect(counts(await lab.ledger(), [CAT])).toEqual([1]);
    await ann.forget(CAT);
    expect(counts(await lab.ledger(), [CAT])).toEqual([0]);
    lab.restart();
    await lab.finish();
    expect([counts(await lab.ledger(), [CAT]), calls]).toEqual([[0], 2]);
  });

  it("[M7] is noted by no session that was told before, and by the one that is told again", async () => {
    const ann = new Ann();
    const { opened, open } = latch();
    const labs = ["s1", "s2"].map((session) => ann.session(session));
    for (const lab of labs) {
      lab.model.answer = async (_, no) => {
        if (no === 1) await opened;
        return { text: `- ${CAT}` };
      };
      await lab.turn("a", CAT);
    }
    await ann.save(CAT);
    await ann.forget(CAT);
    open();
    for (const lab of labs) await lab.finish();
    expect(await labs[0]?.ledger()).toBe("");
    await ann.pass();
    await labs[1]?.turn("b", CAT);
    await labs[1]?.finish();
    const ledger = (await labs[0]?.ledger()) ?? "";
    expect(counts(ledger, [CAT])).toEqual([1]);
    expect(ledger).toContain('"session":"main/s2"');
  });
});

it("[M7] a letter of before, without a time, was said before anything was forgotten", () => {
  const letter = { op: "flush/1", path: "memory/2026-12-01.md", text: "\n- x\n" };
  const notes = { read: () => ({ cursor: { seq: 3 }, letter }), write: () => {} };
  expect(readNotes(notes).letter).toEqual({ ...letter, saidAt: 0 });
});
