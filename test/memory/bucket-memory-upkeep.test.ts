import { describe, expect, it } from "vitest";
import { entryId } from "../../src/shared/memory-entries.ts";
import { dayAfter } from "../../src/shared/time-zone.ts";
import { ANN, DAY, MemoryLab, NOW, OPTIONS, add, takeAll } from "./consolidation/memory-lab.ts";

const TODAY = "2026-12-01";

describe("tidying", () => {
  it("[M9] archives ledgers past their time once they were read, and nothing else", async () => {
    const lab = await MemoryLab.atNoon();
    const days = [91, 92, 90, 0].map((ago) => dayAfter(TODAY, -ago));
    for (const day of days) await lab.flush(day, [`Ann sailed on ${day}`]);
    await lab.write("memory/notes.md", "- by hand\n");
    expect(await lab.memory.tidy(OPTIONS)).toMatchObject({ removed: 0, hasMore: false });
    const texts = await Promise.all(days.map((day) => lab.text(`memory/${day}.md`)));
    await lab.run(takeAll);
    await lab.flush(days[1] ?? "", ["Ann came late"]);
    expect(await lab.memory.tidy(OPTIONS)).toMatchObject({ removed: 1, hasMore: false });
    expect(await lab.below("memory")).toEqual([
      "memory/.consolidation/run-0001.md",
      "memory/.consolidation/state.json",
      `memory/${days[1]}.md`,
      `memory/${days[2]}.md`,
      `memory/${TODAY}.md`,
      `memory/archive/${days[0]}.md`,
      "memory/notes.md",
    ]);
    expect(await lab.text(`memory/archive/${days[0]}.md`)).toBe(texts[0]);
    const [version] = await lab.workspace.history(`memory/archive/${days[0]}.md`);
    expect(version?.by).toBe("job:tidy");
    expect(await lab.run(takeAll)).toMatchObject({ added: 1 });
    expect(await lab.memory.tidy(OPTIONS)).toMatchObject({ removed: 1, hasMore: false });
    expect(await lab.run(takeAll)).toBeNull();
  });

  it("[M9] adds to what the archive has of that day", async () => {
    const lab = await MemoryLab.atNoon();
    const day = dayAfter(TODAY, -100);
    await lab.append(`memory/archive/${day}.md`, "- early\n");
    await lab.flush(day, ["late"]);
    await lab.run(takeAll);
    expect(await lab.memory.tidy(OPTIONS)).toMatchObject({ removed: 1, hasMore: false });
    expect(await lab.entries(`memory/archive/${day}.md`)).toEqual(["early", "late"]);
    expect(await lab.text(`memory/${day}.md`)).toBeNull();
  });

  it("[M9] does the rest where the archive cannot take a ledger, and says so", async () => {
    const lab = await MemoryLab.atNoon();
    const [full, spoilt, fine] = [102, 101, 100].map((ago) => dayAfter(TODAY, -ago));
    const archived = (day: string | undefined) => `memory/archive/${day}.md`;
    for (const day of [full, spoilt, fine]) await lab.flush(day ?? "", [`Ann sailed on ${day}`]);
    await lab.run(takeAll);
    await lab.write(archived(full), "x".repeat(1024 * 1024 - 10));
    const content = { bytes: new Uint8Array([0xff, 0xfe]) };
    const change = { kind: "write", path: archived(spoilt), content } as const;
    await lab.workspace.change({ by: "user:ann", changes: [change] });
    const { removed, hasMore } = await lab.memory.tidy(OPTIONS);
    expect({ removed, hasMore }).toEqual({ removed: 1, hasMore: false });
    expect(await lab.text(archived(fine))).toContain("Ann sailed");
    expect(await lab.text(`memory/${full}.md`)).toContain("Ann sailed");
    expect(await lab.text(`memory/${spoilt}.md`)).toContain("Ann sailed");
  });

  it("[M9] deletes logs of sessions only where a time is set, with their lines in the index", async () => {
    const lab = await MemoryLab.atNoon();
    const index = "agents/main/sessions/sessions.json";
    for (const id of ["old", "new"]) {
      const path = `agents/main/sessions/${id}.log.jsonl`;
      await lab.append(path, '{"kind":"end"}\n');
      const patch = { sessions: { [id]: { summary: id } } };
      const changes = [{ kind: "merge", path: index, patch }] as const;
      await lab.workspace.change({ by: "job:session-log", changes });
      await lab.lab.clock.pass(id === "old" ? 11 * DAY : 0);
    }
    await lab.append("agents/main/tasks/old.json", "{}");
    await lab.append("agents/main/sessions/old.jsonl", "{}");
    expect(await lab.memory.tidy(OPTIONS)).toMatchObject({ removed: 0, hasMore: false });
    const some = { ...OPTIONS, sessionRetentionDays: 10 };
    expect(await lab.memory.tidy(some)).toMatchObject({ removed: 1, hasMore: false });
    expect(await lab.below("agents")).toEqual([
      "agents/main/sessions/new.log.jsonl",
      "agents/main/sessions/old.jsonl",
      index,
      "agents/main/tasks/old.json",
    ]);
    expect(JSON.parse((await lab.text(index)) ?? "")).toEqual({
      sessions: { new: { summary: "new" } },
    });
  });

  it("[M9] deletes evicted results after 30 days, a hundred files a call", async () => {
    const lab = await MemoryLab.atNoon();
    const put = (no: number) =>
      ({ kind: "append", path: `large_tool_results/s1/${no}.txt`, text: "x" }) as const;
    const changes = Array.from({ length: 130 }, (_, no) => put(no));
    await lab.workspace.change({ by: "agent:main/s1", changes });
    await lab.lab.clock.pass(29 * DAY);
    await lab.append("large_tool_results/s1/late.txt", "x");
    expect(await lab.memory.tidy(OPTIONS)).toMatchObject({ removed: 0, hasMore: false });
    await lab.lab.clock.pass(2 * DAY);
    expect(await lab.memory.tidy(OPTIONS)).toMatchObject({ removed: 100, hasMore: true });
    expect(await lab.memory.tidy(OPTIONS)).toMatchObject({ removed: 30, hasMore: false });
    expect(await lab.below("large_tool_results")).toEqual(["large_tool_results/s1/late.txt"]);
  });

  it("leaves what changes meanwhile, and says that there is more", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.append("large_tool_results/s1/a.txt", "x");
    await lab.lab.clock.pass(31 * DAY);
    const bucket = lab.lab.bucket(ANN);
    const change = bucket.change.bind(bucket);
    bucket.change = async (request) => {
      if (request.by === "job:tidy") await lab.append("large_tool_results/s1/a.txt", "y");
      return change(request);
    };
    expect(await lab.memory.tidy(OPTIONS)).toMatchObject({ removed: 0, hasMore: true });
    expect(await lab.text("large_tool_results/s1/a.txt")).toBe("xy");
  });
});

describe("the overview", () => {
  it("[M7] says of each entry where it was said, when, and who wrote it", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-29", ["Ann likes tea"], { session: "main/s1", turn: "t1" });
    await lab.flush("2026-11-30", ["Ann prefers green tea"], { session: "main/s2", turn: "t2" });
    await lab.run(() => [add("Ann likes tea, green tea best", ["L1", "L2"], "Drinks")]);
    const saved = '- Bob rows <!-- carrel: {"session":"main/s3","turn":"t3"} -->\n- by hand\n';
    await lab.append("MEMORY.md", saved);
    await lab.flush(TODAY, ["unread one", "unread two"]);
    const overview = await lab.memory.overview(4_000);
    const at = (day: string) => Date.parse(`${day}T09:30:00Z`);
    expect(overview.entries).toEqual([
      {
        id: entryId("Ann likes tea, green tea best"),
        text: "Ann likes tea, green tea best",
        section: "Drinks",
        line: 3,
        run: "run-0001",
        sources: [
          {
            path: "memory/2026-11-29.md",
            line: 5,
            session: "main/s1",
            turn: "t1",
            at: at("2026-11-29"),
          },
          {
            path: "memory/2026-11-30.md",
            line: 5,
            session: "main/s2",
            turn: "t2",
            at: at("2026-11-30"),
          },
        ],
      },
      {
        id: entryId("Bob rows"),
        text: "Bob rows",
        section: "Drinks",
        line: 4,
        run: null,
        sources: [{ path: "MEMORY.md", line: 4, session: "main/s3", turn: "t3", at: null }],
      },
      {
        id: entryId("by hand"),
        text: "by hand",
        section: "Drinks",
        line: 5,
        run: null,
        sources: [],
      },
    ]);
    expect(overview).toMatchObject({ maxTokens: 4_000, pending: 2, forgotten: 0 });
    expect(overview.tokens).toBeGreaterThan(10);
    expect(overview.ledgers).toEqual([
      { path: "memory/2026-11-29.md", entries: 1 },
      { path: "memory/2026-11-30.md", entries: 1 },
      { path: `memory/${TODAY}.md`, entries: 2 },
    ]);
    expect(overview.runs).toMatchObject([
      { run: "run-0001", at: NOW, state: "applied", added: 1, undone: false },
    ]);
  });

  it("[M7] lists what is only in ledgers, the newest first, so that it can be forgotten", async () => {
    const lab = await MemoryLab.atNoon();
    await lab.flush("2026-11-29", ["Ann lives in Oslo", "It is raining"]);
    await lab.run(({ fresh }) => [add("Ann lives in Oslo, she says", [fresh[0]?.no ?? ""])]);
    await lab.flush("2026-11-30", ["Dan sails"], { session: "main/s2", turn: "t9" });
    const { notes } = await lab.memory.overview(4_000);
    expect(notes.map(({ text }) => text)).toEqual(["Dan sails", "It is raining"]);
    expect(notes[0]).toEqual({
      id: entryId("Dan sails"),
      text: "Dan sails",
      path: "memory/2026-11-30.md",
      line: 5,
      session: "main/s2",
      turn: "t9",
      at: Date.parse("2026-11-30T09:30:00Z"),
    });
    await lab.memory.forget([notes[0]?.id ?? ""], "user:ann", "op");
    expect((await lab.memory.overview(4_000)).notes).toHaveLength(1);
  });

  it("[M7] finds sources in the archive, and says of those that are gone only the day", async () => {
    const lab = await MemoryLab.atNoon();
    const [old, gone] = [dayAfter(TODAY, -200), dayAfter(TODAY, -10)];
    await lab.flush(old, ["Ann sailed"]);
    await lab.flush(gone, ["Ann rowed"]);
    await lab.run(takeAll);
    await lab.memory.tidy(OPTIONS);
    await lab.workspace.change({
      by: "user:ann",
      changes: [{ kind: "delete", path: `memory/${gone}.md` }],
    });
    const { entries } = await lab.memory.overview(4_000);
    expect(entries.map(({ sources }) => sources)).toEqual([
      [expect.objectContaining({ path: `memory/archive/${old}.md`, line: 5, turn: "t1" })],
      [{ path: `memory/${gone}.md`, line: null, session: null, turn: null, at: Date.parse(gone) }],
    ]);
  });

  it("is there for a memory of which there is nothing yet", async () => {
    const lab = await MemoryLab.atNoon();
    expect(await lab.memory.overview(4_000)).toEqual({
      entries: [],
      notes: [],
      tokens: 0,
      maxTokens: 4_000,
      pending: 0,
      ledgers: [],
      runs: [],
      forgotten: 0,
    });
    expect(await lab.lab.stored()).toEqual({});
  });
});
