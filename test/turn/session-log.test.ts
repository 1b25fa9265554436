import { describe, expect, it } from "vitest";
import { CarrelError } from "../../src/shared/errors.ts";
import type { Sql } from "../../src/shared/sql.ts";
import { utf8Length } from "../../src/shared/text.ts";
import { sessionLog } from "../../src/turn/session-log.ts";
import { LogFiles } from "../support/log-files.ts";
import { SessionLab } from "./session-lab.ts";

const LOG = "agents/main/sessions/s1.log.jsonl";
const INDEX = "agents/main/sessions/sessions.json";

function labWithLog() {
  const files = new LogFiles();
  const lab = new SessionLab({ capabilities: [sessionLog], workspace: () => files.workspace });
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
    await lab.settle();
    const first = files.files.get(LOG) ?? "";
    expect(files.lines(LOG)).toEqual(lab.entries());
    lab.say("b", [{ fail: "model_auth" }]);
    await lab.settle();
    lab.say("c", [{ hang: true }]);
    lab.say("d", "in line");
    await lab.settle();
    lab.session.stop("d");
    lab.session.stop();
    await lab.settle();
    expect(files.lines(LOG)).toEqual(lab.entries());
    expect(files.files.get(LOG)?.startsWith(first)).toBe(true);
    expect(files.lines(LOG).at(-1)).toMatchObject({ turn: "d", kind: "end", outcome: "stopped" });
  });

  it("comes with an index that says how the session began and when it was last heard of", async () => {
    const { lab, files, index } = labWithLog();
    lab.say("a", `  What is\n\n a   carrel? ${"Tell me. ".repeat(20)}`);
    await lab.settle();
    const summary = `What is a carrel? ${"Tell me. ".repeat(20)}`.slice(0, 80);
    const at = (ms: number) => ({
      version: 1,
      sessions: { s1: { summary, updatedAt: new Date(ms).toISOString() } },
    });
    expect(index()).toEqual(at(0));
    await lab.clock.pass(5_000);
    lab.restart();
    lab.say("b", "And now?");
    await lab.settle();
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
    await lab.settle();
    await finish(lab);
    expect(lost).toBe(4);
    expect(files.lines(LOG)).toEqual(lab.entries());
  });

  it("takes a long turn in parts that fit a write, never splitting a line between two", async () => {
    const { lab, files } = labWithLog();
    const big = { type: "image", mediaType: "image/png", data: "A".repeat(1_500_000) } as const;
    const wide = { type: "text", text: "漢".repeat(250_000) } as const;
    let calls = 0;
    files.before = async () => {
      if (++calls === 2) throw new Error("not now");
    };
    lab.say("a", { kind: "message", content: [big] });
    await lab.settle();
    await finish(lab);
    lab.say("b", { kind: "message", content: [wide] });
    await lab.settle();
    const seen: string[] = [];
    for (const { changes } of files.requests) {
      const texts = changes.flatMap((change) => (change.kind === "append" ? [change.text] : []));
      for (const text of texts) expect(utf8Length(text)).toBeLessThanOrEqual(1_048_576);
      expect(texts.at(-1)?.endsWith("\n")).toBe(true);
      seen.push(changes.map(({ kind }) => kind).join());
    }
    expect(seen).toEqual([
      Array(6).fill("append").join(),
      "append,merge",
      "append",
      "append,merge",
    ]);
    expect(files.lines(LOG)).toEqual(lab.entries());
    expect(new Set(files.requests.map(({ op }) => op)).size).toBe(4);
  });

  it("goes on when the index cannot be written", async () => {
    const { lab, files } = labWithLog();
    files.before = async ({ changes }) => {
      if (changes.some(({ kind }) => kind === "merge"))
        throw new CarrelError("too_large", "The file is larger than 1 MiB.");
    };
    lab.say("a", "hi");
    await lab.settle();
    expect(files.lines(LOG)).toEqual(lab.entries());
    expect(files.files.has(INDEX)).toBe(false);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });

  it("[R4] waits for a turn that cannot be written, and goes on without it once that is parked", async () => {
    const { lab, files } = labWithLog();
    files.before = async ({ op }) => {
      if (op?.includes("/bad/") === true) throw new CarrelError("too_large", "no room");
    };
    for (const turn of ["first", "bad", "last"]) lab.say(turn, "hi");
    await lab.settle();
    expect(files.lines(LOG)).toEqual(lab.entries("first"));
    await finish(lab);
    expect(files.lines(LOG)).toEqual([...lab.entries("first"), ...lab.entries("last")]);
    expect(lab.sql.all("SELECT id FROM job")).toEqual([{ id: "turn:bad" }]);
  });

  it("[T11] delays neither the answer nor the next turn", async () => {
    const { lab, files } = labWithLog();
    files.before = () => new Promise(() => {});
    for (const turn of ["a", "b"]) lab.say(turn, toolTurn);
    await lab.settle();
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
        await lab.settle();
      });
    await turn("first", "hi");
    const { alarm } = lab;
    let moves = 0;
    for (let n = 0; n < 40; n++) {
      const text = await turn(`text-${n}`, "hi");
      const tool = await turn(`tool-${n}`, toolTurn);
      // Now and then the start of the context moves, which is one more of each.
      const more = text.rows - 8 + (tool.rows - 12);
      moves += more;
      expect(text.statements + tool.statements).toBe(11 + 18 + more);
    }
    expect(moves).toBeLessThan(8);
    expect(lab.alarm).toBe(alarm);
    expect(files.lines(LOG)).toEqual(lab.entries());
  });

  it("[R3] leaves no alarm behind", async () => {
    const { lab } = labWithLog();
    lab.say("a", "hi");
    await lab.settle();
    await finish(lab);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });
});
