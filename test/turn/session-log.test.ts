import { NO_TURN } from "../../src/session/entries.ts";
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { CarrelError } from "../../src/shared/errors.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { utf8Length } from "../../src/shared/text.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import type { Tool } from "../../src/tools/tool.ts";
import { sessionLog } from "../../src/turn/records/session-log.ts";
import { LogFiles } from "../support/log-files.ts";
import { quiet } from "./after-turn-lab.ts";
import { SessionLab } from "./session-lab.ts";

const LOG = "agents/main/sessions/s1.log.jsonl";
const INDEX = "agents/main/sessions/sessions.json";

const bigThing = defineTool({
  name: "big_thing",
  description: "Shows a large picture.",
  input: z.object({}),
  effect: "read",
  replay: "pure",
  run: () =>
    Promise.resolve({
      content: [{ type: "image", mediaType: "image/png", data: "A".repeat(1_300_000) }],
    }),
});

function labWithLog(tools: readonly Tool[] = []) {
  const files = new LogFiles();
  const lab = new SessionLab({
    capabilities: [sessionLog, { name: "big", tools: () => tools }],
    workspace: () => files.workspace,
  });
  return { lab, files, index: () => JSON.parse(files.files.get(INDEX) ?? "null") as unknown };
}

const toolTurn = [{ calls: [{ name: "unsafe_thing", input: "{}" }] }, { text: "done" }];

/** Fires the alarm until none stands. */
async function finish(lab: SessionLab): Promise<void> {
  while (await lab.fireAlarm());
}

describe("the log of a session", () => {
  it("holds every entry of every turn whole, one a line, and is never rewritten", async () => {
    const { lab, files } = labWithLog();
    lab.say("a", toolTurn);
    await quiet(lab);
    const first = files.files.get(LOG) ?? "";
    expect(files.lines(LOG)).toEqual(lab.entries());
    lab.say("b", [{ fail: "model_auth" }]);
    await lab.settle();
    lab.say("c", [{ hang: true }]);
    lab.say("d", "in line");
    await lab.settle();
    lab.session.stop("d");
    lab.session.stop();
    await quiet(lab);
    expect(files.lines(LOG)).toEqual(lab.entries());
    expect(files.files.get(LOG)?.startsWith(first)).toBe(true);
    expect(files.lines(LOG).at(-1)).toMatchObject({ turn: "d", kind: "end", outcome: "stopped" });
  });

  it("comes with an index that says how the session began and when it was last heard of", async () => {
    const { lab, files, index } = labWithLog();
    lab.say("a", `  What is\n\n a   carrel? ${"Tell me. ".repeat(20)}`);
    await quiet(lab);
    const summary = `What is a carrel? ${"Tell me. ".repeat(20)}`.slice(0, 80);
    const at = (ms: number) => ({
      version: 1,
      sessions: { s1: { summary, updatedAt: new Date(ms).toISOString() } },
    });
    expect(index()).toEqual(at(0));
    await lab.clock.pass(4_000);
    lab.restart();
    lab.say("b", "And now?");
    await quiet(lab);
    expect(index()).toEqual(at(5_000));
    expect(
      files.requests.map(({ by, changes }) => [by, ...changes.map(({ kind }) => kind)]),
    ).toEqual([
      ["job:session-log", "append", "merge"],
      ["job:session-log", "append", "merge"],
    ]);
  });

  it("[W10] has each entry once when the answer to a write is lost", async () => {
    const { lab, files } = labWithLog();
    let lost = 0;
    files.after = async () => {
      if (++lost < 4) throw new Error("connection lost");
    };
    lab.say("a", "hi");
    await quiet(lab);
    await finish(lab);
    expect(lost).toBe(4);
    expect(files.lines(LOG)).toEqual(lab.entries());
  });

  it("takes long turns in parts that fit a write, in one request, never splitting a line between two", async () => {
    const { lab, files } = labWithLog();
    const big = { type: "image", mediaType: "image/png", data: "A".repeat(1_500_000) } as const;
    const wide = { type: "text", text: "漢".repeat(250_000) } as const;
    let calls = 0;
    files.before = async () => {
      if (++calls === 1) throw new Error("not now");
    };
    lab.say("a", { kind: "message", content: [big] });
    await lab.settle();
    lab.say("b", { kind: "message", content: [wide] });
    await lab.settle();
    await finish(lab);
    expect(files.requests).toHaveLength(1);
    const changes = files.requests.flatMap((request) => request.changes);
    const appends = changes.filter((change) => change.kind === "append");
    for (const { text } of appends) expect(utf8Length(text)).toBeLessThanOrEqual(1_048_576);
    const begun = appends.filter(({ text }) => !text.endsWith("\n"));
    expect(begun).toEqual(appends.slice(0, 5));
    expect(new Set(appends.map(({ op }) => op)).size).toBe(appends.length);
    expect(changes.map(({ kind }) => kind).at(-1)).toBe("merge");
    expect(files.lines(LOG)).toEqual(lab.entries().filter(({ turn }) => turn !== NO_TURN));
  });

  it("[W10] takes a turn that is too long for a request in several, each entry once", async () => {
    const { lab, files } = labWithLog([bigThing]);
    let calls = 0;
    files.after = async () => {
      if ([1, 3, 5].includes(++calls)) throw new Error("connection lost");
    };
    const big = Array.from({ length: 4 }, () => ({ name: "big_thing", input: "{}" }));
    lab.say("a", [{ calls: big }, { text: "done" }]);
    await quiet(lab);
    await finish(lab);
    const sizes = files.requests.map(({ changes }) => JSON.stringify(changes).length);
    for (const size of sizes) expect(size).toBeLessThan(4_100_000);
    expect(calls).toBeGreaterThan(5);
    expect(files.lines(LOG)).toEqual(lab.entries());
  });

  it("goes on when the index cannot be written", async () => {
    const { lab, files } = labWithLog();
    files.before = async ({ changes }) => {
      if (changes.some(({ kind }) => kind === "merge"))
        throw new CarrelError("too_large", "The file is larger than 1 MiB.");
    };
    lab.say("a", "hi");
    await quiet(lab);
    expect(files.lines(LOG)).toEqual(lab.entries());
    expect(files.files.has(INDEX)).toBe(false);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });

  it("[R4] waits for a turn that cannot be written, and goes on without it once that is parked", async () => {
    const { lab, files } = labWithLog();
    files.before = async ({ changes }) => {
      if (changes.some((change) => change.kind === "append" && change.op?.includes("/bad/")))
        throw new CarrelError("too_large", "no room");
    };
    for (const turn of ["first", "bad", "last"]) lab.say(turn, "hi");
    await quiet(lab);
    expect(files.requests).toEqual([]);
    for (let fires = 0; fires < 2; fires++) await lab.fireAlarm();
    expect(files.lines(LOG)).toEqual(lab.entries("first"));
    await finish(lab);
    expect(files.lines(LOG)).toEqual([...lab.entries("first"), ...lab.entries("last")]);
    expect(lab.sql.all("SELECT id FROM job")).toEqual([{ id: "turn:bad" }]);
  });

  it("[T11] delays neither the answer nor the next turn", async () => {
    const { lab, files } = labWithLog();
    files.before = () => new Promise(() => {});
    for (const turn of ["a", "b"]) lab.say(turn, toolTurn);
    await quiet(lab);
    expect(lab.story("b")).toMatch(/end:completed$/);
    expect(files.requests).toEqual([]);
    files.before = () => Promise.resolve();
    lab.restart();
    await finish(lab);
    expect(files.lines(LOG)).toEqual(lab.entries());
  });
});

/** Statements and rows written of `work`, as the platform would count them. */
async function costOf(lab: SessionLab, work: () => Promise<void>) {
  const plain = { ...lab.sql };
  const written = () => plain.all<{ rows: number }>("SELECT total_changes() AS rows")[0]?.rows ?? 0;
  let statements = 0;
  const counted: Omit<Sql, "transaction"> = {
    all(query, ...params) {
      statements++;
      return plain.all(query, ...params);
    },
    each(query, ...params) {
      statements++;
      return plain.each(query, ...params);
    },
    run(query, ...params) {
      statements++;
      return plain.run(query, ...params);
    },
  };
  Object.assign(lab.sql, counted);
  const before = written();
  await work();
  Object.assign(lab.sql, plain);
  return { statements, rows: written() - before };
}

describe("a turn of a session that is logged", () => {
  it("[T12] costs 8 rows and 11 statements, with one call of a tool 12 and 18, however long the session is", async () => {
    const { lab, files } = labWithLog();
    const turn = (key: string, what: Parameters<SessionLab["say"]>[1]) =>
      costOf(lab, async () => {
        lab.say(key, what);
        await quiet(lab);
      });
    await turn("first", "hi");
    const { alarm } = lab;
    let moves = 0;
    for (let n = 0; n < 40; n++) {
      const text = await turn(`text-${n}`, "hi");
      const tool = await turn(`tool-${n}`, toolTurn);
      // Now and then the context is compacted, in a turn or after it.
      const isCompacted = text.rows + tool.rows > 8 + 12;
      if (isCompacted) moves += 1;
      else expect(text.statements + tool.statements).toBe(11 + 18);
    }
    expect(moves).toBeLessThan(5);
    expect(lab.alarm).toBe(alarm);
    expect(files.lines(LOG)).toEqual(lab.entries().filter(({ turn }) => turn !== NO_TURN));
  });

  it("[R3] leaves no alarm behind", async () => {
    const { lab } = labWithLog();
    lab.say("a", "hi");
    await lab.settle();
    await finish(lab);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });
});
