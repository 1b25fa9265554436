import { describe, expect, it } from "vitest";
import { entryId, memoryEntries } from "../../src/shared/memory-entries.ts";
import { ANN, MemoryLab, NOW, add, edit, takeAll } from "./consolidation/memory-lab.ts";

const PHONE = "Ann's phone number is 4711";

/** Everything that the bucket and its store hold, as text. */
async function everything(lab: MemoryLab): Promise<string> {
  const rows = await lab.lab.stored();
  const { entries } = await lab.lab.store.list("");
  const bodies = await Promise.all(
    entries.map(async ({ key }) => new TextDecoder().decode((await lab.lab.store.get(key))?.bytes)),
  );
  return JSON.stringify(rows) + bodies.join("\n");
}

/** A fact that was said, flushed, consolidated, edited, archived and copied into other files. */
async function remembered(): Promise<MemoryLab> {
  const lab = await MemoryLab.atNoon();
  await lab.flush("2026-11-29", [PHONE, "Ann lives in Oslo"]);
  await lab.run(takeAll);
  await lab.lab.pass(60_000);
  await lab.flush("2026-11-30", ["Ann's phone number is 4711 and her door code is 12"]);
  await lab.run(() => [edit("M1", "Ann's phone number is 4711; door code 12", ["L1"])]);
  await lab.append("memory/notes.md", `- ${PHONE}\n- other\n`);
  await lab.append("memory/archive/2026-01-01.md", `- ${PHONE}\n`);
  await lab.lab.pass(60_000);
  return lab;
}

describe("forgetting", () => {
  it("[M7] removes an entry, what it was made of and what was made of it, everywhere", async () => {
    const lab = await remembered();
    const forgotten = await lab.memory.forget([entryId(PHONE)], "user:ann", "op");
    expect(forgotten.entries).toBe(4);
    expect(forgotten.paths.toSorted()).toEqual([
      "MEMORY.md",
      "memory/2026-11-29.md",
      "memory/archive/2026-01-01.md",
      "memory/notes.md",
    ]);
    expect(forgotten.said).toContainEqual({ session: "main/s1", turn: "t1", text: PHONE });
    expect(await lab.entries()).toEqual(["Ann lives in Oslo"]);
    expect(await lab.entries("memory/2026-11-29.md")).toEqual(["Ann lives in Oslo"]);
    expect(await lab.entries("memory/notes.md")).toEqual(["other"]);
    const left = await lab.memory.forget(
      [entryId("Ann's phone number is 4711 and her door code is 12")],
      "user:ann",
      "op-2",
    );
    expect(left).toMatchObject({ entries: 1, paths: ["memory/2026-11-30.md"] });
  });

  it("[M7] leaves no word of it, in versions, records, tables or the store", async () => {
    const lab = await remembered();
    expect(await everything(lab)).toContain("4711");
    const id = entryId("Ann's phone number is 4711; door code 12");
    await lab.memory.forget([id], "user:ann", "op");
    await lab.memory.forget([entryId(PHONE)], "user:ann", "op-2");
    for (const path of ["MEMORY.md", "memory/2026-11-29.md", "memory/notes.md"]) {
      const versions = await lab.workspace.history(path);
      expect(versions.map(({ by }) => by)).toEqual(["user:ann"]);
    }
    const undo = { kind: "undo", path: "memory/notes.md" } as const;
    await lab.workspace.change({ by: "user:ann", changes: [undo] });
    expect(await lab.text("memory/notes.md")).toBeNull();
    for (const run of ["run-0001", "run-0002"]) {
      expect(await lab.record(run)).toContain("[forgotten]");
      expect(await lab.record(run)).not.toContain("4711");
    }
    expect(await lab.record("run-0001")).toContain("Ann lives in Oslo");
    // The store lets go within minutes, and the answers that may be asked for again.
    await lab.lab.pass(900_000);
    await lab.memory.tidy({
      maxTokens: 1,
      minGapMs: 0,
      ledgerRetentionDays: 90,
      sessionRetentionDays: null,
    });
    expect(await everything(lab)).not.toContain("4711");
    lab.lab.restart({ loss: true });
    expect(await lab.entries()).toEqual(["Ann lives in Oslo"]);
    expect(await lab.workspace.history("MEMORY.md")).toHaveLength(1);
    expect(await lab.run(takeAll)).toBeNull();
  });

  it("[M7] leaves no heading of a ledger's section without entries", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", ["Ann lives in Oslo"]);
    const before = await lab.text("memory/2026-11-30.md");
    await lab.flush("2026-11-30", [PHONE]);
    await lab.append("memory/notes.md", `## Numbers\n\n- ${PHONE}\n`);
    await lab.memory.forget([entryId(PHONE)], "user:ann", "op");
    expect((await lab.text("memory/2026-11-30.md"))?.trimEnd()).toBe(before?.trimEnd());
    expect(await lab.text("memory/notes.md")).toBe("## Numbers\n\n");
  });

  it("[M7] cannot be taken back through the run that made it", async () => {
    const lab = await remembered();
    await lab.memory.forget(
      [entryId("Ann's phone number is 4711; door code 12")],
      "user:ann",
      "op",
    );
    const undone = await lab.memory.undo({ by: "user:ann", run: "run-0002" }, "undo");
    expect(undone).toMatchObject({ restored: 0, refused: [{ why: "It was forgotten." }] });
  });

  it("[M7] gives what an entry was made of beside it to the next run", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-29", [PHONE, "Ann lives in Oslo", "Ann sails"]);
    await lab.run(() => [
      add("Ann lives in Oslo, phone number 4711", ["L1", "L2"]),
      add("Ann sails", ["L3"]),
    ]);
    await lab.memory.forget([entryId(PHONE)], "user:ann", "op");
    expect(await lab.entries()).toEqual(["Ann sails"]);
    await lab.run(takeAll);
    expect(await lab.entries()).toEqual(["Ann sails", "Ann lives in Oslo"]);
  });

  it("[M7] ends a run whose model was shown it", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-29", [PHONE, "Ann sails"]);
    await lab.begin({}, null, "run");
    await lab.memory.forget([entryId(PHONE)], "user:ann", "op");
    const operations = [add("Ann sails, phone 4711", ["L2"])];
    const result = await lab.memory.commitRun("run", { kind: "operations", operations });
    expect(result.state).toBe("lost");
    expect(await lab.text()).toBeNull();
  });

  it("[M7] leaves a record without a word of it, and a count", async () => {
    const lab = await remembered();
    await lab.memory.forget([entryId("other")], "user:ann", "op");
    const line = { at: lab.lab.clock.now(), by: "user:ann", ids: [entryId("other")], messages: [] };
    expect(await lab.text("memory/.forgotten.jsonl")).toBe(`${JSON.stringify(line)}\n`);
    expect((await lab.memory.overview(4_000)).forgotten).toBe(1);
  });

  it("is done once with the same op, and answers the same", async () => {
    const lab = await remembered();
    const forget = () => lab.memory.forget([entryId(PHONE)], "user:ann", "op");
    const first = await forget();
    lab.lab.restart();
    expect(await forget()).toEqual(first);
    expect(await lab.memory.forget(["nothing"], "user:ann", "x")).toEqual({
      entries: 0,
      paths: [],
      said: [],
      hidden: 0,
    });
    await expect(lab.memory.forget([], "user:ann", "y")).rejects.toMatchObject({ code: "invalid" });
  });

  it("is one commit: what somebody adds in between is planned in", async () => {
    const lab = await remembered();
    const bucket = lab.lab.bucket(ANN);
    const change = bucket.change.bind(bucket);
    let late = 1;
    bucket.change = async (request) => {
      if (request.purge && late-- > 0) await lab.append("MEMORY.md", `- ${PHONE}\n`);
      return change(request);
    };
    await lab.memory.forget([entryId(PHONE)], "user:ann", "op");
    expect(await lab.entries()).toEqual(["Ann lives in Oslo"]);
  });
});

const LOG = "agents/main/sessions/s1.log.jsonl";

const said = (turn: string, text: string, kind = "user") => {
  const parts = [{ type: "text", text }];
  return { seq: 1, turn, at: NOW, kind, ...(kind === "user" ? { content: parts } : { parts }) };
};

describe("messages that tell of it", () => {
  it("[M7] are named by line, so that search leaves them out; the log stays", async () => {
    const lab = await MemoryLab.atNoon();
    const call = {
      type: "tool-call",
      call: "c",
      name: "memory_save",
      input: `{"content":"${PHONE}"}`,
    };
    const lines = [
      said("t1", "By the way: my phone number is 4711, Ann speaking"),
      said("t1", "Noted, Ann: phone number 4711.", "step"),
      said("t1", "What is the weather like?"),
      { ...said("t1", "", "step"), parts: [call] },
      said("t2", "My number is up"),
      said("t2", "Ann here. Remind me: is my phone number 4711?"),
      { kind: "end", turn: "t1", at: NOW },
    ];
    await lab.append(LOG, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await lab.append("agents/main/sessions/s2.log.jsonl", `${JSON.stringify(said("t1", PHONE))}\n`);
    await lab.flush("2026-11-30", [PHONE]);
    const before = await lab.text(LOG);
    await lab.memory.forget([entryId(PHONE)], "user:ann", "op");
    const records = ((await lab.text("memory/.forgotten.jsonl")) ?? "").trim().split("\n");
    expect(JSON.parse(records[1] ?? "")).toEqual({
      at: NOW,
      by: "user:ann",
      ids: [],
      messages: [1, 2, 6].map((line) => ({ path: LOG, line })),
    });
    const elsewhere = [{ path: "agents/main/sessions/s2.log.jsonl", line: 1 }];
    expect(JSON.parse(records[2] ?? "")).toMatchObject({ messages: elsewhere });
    expect(await lab.text(LOG)).toBe(before);
    await lab.memory.forget([entryId(PHONE)], "user:ann", "op");
    expect(((await lab.text("memory/.forgotten.jsonl")) ?? "").trim().split("\n")).toHaveLength(3);
  });

  it("[I1] are looked for only in logs of the agent, whatever a mark says", async () => {
    const lab = await MemoryLab.atNoon();
    const hide = (session: string) =>
      lab.lab
        .memoryOf(ANN)
        .hideMessages("main", [{ session, turn: "t1", text: PHONE }], "user:ann", session);
    await lab.append(
      "agents/other/sessions/s1.log.jsonl",
      `${JSON.stringify(said("t1", PHONE))}\n`,
    );
    for (const session of ["other/s1", "main/../../other/sessions/s1", "main", "main/", "main/s9"])
      expect(await hide(session)).toEqual({ hidden: 0 });
  });
});

describe("search", () => {
  it("[M7] [I1] finds nothing of it any more, in memory and in conversations", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", [PHONE, "Ann lives in Oslo"]);
    await lab.run(takeAll);
    const lines = [said("t1", `By the way: ${PHONE}`), said("t1", "Oslo is cold today")];
    await lab.append(LOG, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const found = async (query: string, said: string) => {
      const { hits } = await lab.workspace.search({ query, limit: 100 });
      const those = hits.filter(({ snippet }) => snippet.includes(said));
      return those.map(({ path }) => path).toSorted();
    };
    const places = ["MEMORY.md", LOG, "memory/2026-11-30.md"];
    expect(await found("phone number 4711", "4711")).toEqual(places);
    await lab.memory.forget([entryId(PHONE)], "user:ann", "op");
    expect(await found("phone number 4711", "4711")).toEqual([]);
    expect(await found("Oslo", "Oslo")).toEqual(places);
  });

  it("[M7] keeps no word of it in its tables once it is forgotten, in memory and in conversations", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-30", ["Ann's cat is called Zanzibar", "Ann lives in Oslo"]);
    // Among many others a word that goes is only marked so.
    const others = Array.from({ length: 100 }, (_, no) => `- Ann knows of thing ${no}\n`);
    await lab.write("MEMORY.md", others.join(""));
    const lines = [said("t1", "My cat is called Zanzibar"), said("t1", "Oslo is cold today")];
    await lab.append(LOG, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    await lab.workspace.search({ query: "cat" });
    const holds = (word: string) =>
      lab.lab
        .sql(ANN)
        .all<{ held: number }>(
          `SELECT instr(block, CAST(?1 AS BLOB)) > 0 AS held FROM word_data
           UNION SELECT instr(lower(units), ?1) > 0 FROM excerpt`,
          word,
        )
        .some(({ held }) => held === 1);
    // A word may begin as the one before it does.
    expect([holds("zibar"), holds("oslo")]).toEqual([true, true]);
    await lab.memory.forget([entryId("Ann's cat is called Zanzibar")], "user:ann", "op");
    expect([holds("zibar"), holds("oslo")]).toEqual([false, true]);
    lab.lab.restart();
    const written = lab.lab.written();
    await lab.workspace.search({ query: "Oslo" });
    expect(lab.lab.written()).toBe(written);
  });
});

describe("earlier versions", () => {
  it("[W15] stay where nothing was forgotten", async () => {
    const lab = await MemoryLab.atNoon();
    for (const text of ["- one\n", "- two\n"]) {
      await lab.write("MEMORY.md", text);
      await lab.write("AGENTS.md", text);
      await lab.write("memory.md", text);
    }
    await lab.flush("2026-11-30", [PHONE]);
    await lab.memory.forget([entryId(PHONE)], "user:ann", "op");
    expect(await lab.workspace.history("AGENTS.md")).toHaveLength(2);
    expect(await lab.workspace.history("MEMORY.md")).toHaveLength(1);
    expect(memoryEntries((await lab.text()) ?? "")).toHaveLength(1);
  });
});
