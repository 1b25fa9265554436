import { describe, expect, it } from "vitest";
import { CarrelError } from "../../../src/shared/errors.ts";
import { logLine, MemoryDesk } from "./desk.ts";

const AT = Date.UTC(2026, 10, 30, 23, 30);
const LOG = "agents/main/sessions/s1.log.jsonl";
const INDEX = "agents/main/sessions/sessions.json";

describe("session_search", () => {
  it("gives a row for each message: place, session, turn, day, who and what", async () => {
    const desk = new MemoryDesk({}, { zone: "Asia/Tokyo" });
    const said = { role: "assistant", session: "s7", turn: "t1" };
    const snippet = `I said\n[USER]: ${"x".repeat(300)}`;
    desk.finds(
      { path: LOG, line: 12, snippet, said, at: AT },
      { path: LOG, line: 2, snippet: "a" },
    );
    expect(await desk.use("session_search", { query: "tea" })).toBe(
      `Found 2 messages
[${LOG}#12] s7 t1 2026-12-01 - [ASSISTANT]: I said [USER]: ${"x".repeat(185)}…
[${LOG}#2] - [MESSAGE]: a`,
    );
    expect(desk.searches).toEqual([
      { query: "tea", sources: ["session"], path: "agents/main/sessions", limit: 10 },
    ]);
  });

  it("looks at another agent's sessions of the same person when it is named", async () => {
    const desk = new MemoryDesk();
    const input = { query: "tea", agentId: "helper", maxResults: 3 };
    expect(await desk.use("session_search", input)).toBe("No messages found for: tea");
    expect(desk.searches[0]).toMatchObject({ path: "agents/helper/sessions", limit: 3 });
    desk.answer = { hits: [], isComplete: false, pending: 2 };
    expect(await desk.use("session_search", input)).toContain("2 files are not searched yet");
  });
});

describe("session_list", () => {
  const index = (sessions: object) => JSON.stringify({ version: 1, sessions });
  const entry = (minute: number, summary: string) => {
    return { summary, updatedAt: new Date(AT + minute * 60_000).toISOString() };
  };

  it("lists the newest first, with title and time", async () => {
    const desk = new MemoryDesk();
    const sessions = { s1: entry(0, "Tea\nor not"), s2: entry(5, ""), s3: entry(2, "Cake") };
    await desk.workspace.put(INDEX, index(sessions));
    expect(await desk.use("session_list", {})).toBe(
      `- s2 (2026-11-30 23:35Z): (no title)
- s3 (2026-11-30 23:32Z): Cake
- s1 (2026-11-30 23:30Z): Tea or not`,
    );
    expect(await desk.use("session_list", { agentId: "helper" })).toMatch(
      /^No conversations with helper are listed/,
    );
  });

  it("shows 50, and says how many more there are", async () => {
    const desk = new MemoryDesk();
    const many = Array.from({ length: 75 }, (_, at) => [`s${at}`, entry(at, "x")]);
    await desk.workspace.put(INDEX, index(Object.fromEntries(many)));
    const lines = (await desk.use("session_list", {})).split("\n");
    expect(lines).toHaveLength(51);
    expect(lines[0]).toMatch(/^- s74 /);
    expect(lines.at(-1)).toBe("[25 older ones are not shown: use session_search.]");
  });

  it("leaves out lines that somebody has spoilt, and says it of a file", async () => {
    const desk = new MemoryDesk();
    const sessions = { "a/b": entry(0, "x"), s1: 7, s2: { updatedAt: "x" }, s3: entry(0, "Tea") };
    await desk.workspace.put(INDEX, index(sessions));
    expect(await desk.use("session_list", {})).toBe("- s3 (2026-11-30 23:30Z): Tea");
    for (const text of ["", "{", "[]", '{"sessions":[]}']) {
      await desk.workspace.put(INDEX, text);
      await expect(desk.use("session_list", {})).rejects.toThrow(
        /was spoilt.*session_search finds/,
      );
    }
  });
});

describe("session_history", () => {
  const history = (desk: MemoryDesk, more: object = {}) =>
    desk.use("session_history", { sessionId: "s1", ...more });

  it("shows the newest messages in order, with totals", async () => {
    const desk = new MemoryDesk();
    const tool = `${JSON.stringify({ kind: "result", at: AT, content: [{ type: "text", text: "no" }] })}\n`;
    const lines = [
      logLine("user", "one", AT),
      tool,
      logLine("step", "two\n[USER] me", AT + 60_000),
    ];
    await desk.workspace.put(LOG, [...lines, logLine("user", "y".repeat(900), AT)].join(""));
    expect(await history(desk)).toBe(
      `Session s1 of main: the newest 3 of 3 messages, of a log of 4 lines
[USER] 2026-11-30 23:30Z: one
[ASSISTANT] 2026-11-30 23:31Z: two
  [USER] me
[USER] 2026-11-30 23:30Z: ${"y".repeat(500)}…`,
    );
    expect((await history(desk, { lastN: 1 })).split("\n")).toHaveLength(2);
    expect(await history(desk, { lastN: 1 })).toContain("the newest 1 of 3 messages");
  });

  it("reads the end of a long log only", async () => {
    const desk = new MemoryDesk();
    for (let part = 0; part < 12; part += 1) {
      const lines = Array.from({ length: 700 }, (_, at) =>
        logLine("user", `${part}.${at} ${"é".repeat(500)}`),
      );
      const change = { kind: "append", path: LOG, text: lines.join("") } as const;
      await desk.workspace.change({ by: "x", changes: [change] });
    }
    const reads: number[] = [];
    const { read } = desk.workspace;
    desk.workspace.read = async (request) => {
      const answer = await read(request);
      reads.push("bytes" in answer.content ? answer.content.bytes.length : 0);
      return answer;
    };
    const answer = await history(desk, { lastN: 200 });
    expect(answer).toMatch(
      /^Session s1 of main: the newest 200 messages, of a log of 8,400 lines\n/,
    );
    expect(answer).toMatch(/\[USER\] 1970-01-01 00:00Z: 11\.500 é+…\n/);
    expect(answer).toMatch(/ 11\.699 é+…$/);
    expect(reads).toEqual([256 * 1024]);
    await history(desk, { lastN: 100 });
    expect(reads).toHaveLength(2);
  });

  it("goes further back where little was said, and gives up in the end", async () => {
    const desk = new MemoryDesk();
    const noise = `${JSON.stringify({ kind: "result", content: [{ type: "text", text: "z".repeat(900_000) }] })}\n`;
    const append = (text: string) =>
      desk.workspace.change({ by: "x", changes: [{ kind: "append", path: LOG, text }] });
    await append(logLine("user", "first"));
    for (let times = 0; times < 3; times += 1) await append(noise);
    await append(logLine("user", "last"));
    expect(await history(desk)).toMatch(/the newest 2 of 2 messages[^]*first[^]*last$/);
    for (let times = 0; times < 9; times += 1) await append(noise);
    expect(await history(desk)).toMatch(/the newest 1 message, of a log of 14 lines\n[^]*last$/);
    await append(noise);
    expect(await history(desk)).toBe(
      "Session s1 of main: nothing was said in words in the newest part, in a log of 15 lines.",
    );
  });

  it("says what is not there, and what was not said", async () => {
    const desk = new MemoryDesk();
    expect(await history(desk)).toMatch(/^No conversation s1 with main was found\. session_list/);
    expect(await history(desk, { agentId: "x" })).toMatch(/^No conversation s1 with x was found/);
    const other = LOG.replace("main", "other");
    await desk.workspace.put(other, logLine("user", "timeless", 1e300));
    expect(await history(desk, { agentId: "other" })).toContain(
      "[USER] 1970-01-01 00:00Z: timeless",
    );
    await desk.workspace.put(LOG, "spoilt\n");
    expect(await history(desk)).toBe(
      "Session s1 of main: nothing was said in words, in a log of 1 line.",
    );
    desk.workspace.page = async () => {
      throw new CarrelError("overloaded", "busy");
    };
    await expect(history(desk)).rejects.toThrow("busy");
  });
});

it.each([
  ["session_history", { sessionId: "../x" }, /sessionId: The session id must be/],
  ["session_history", { sessionId: "a/b" }, /sessionId: The session id must be/],
  ["session_history", { sessionId: "s1", agentId: ".." }, /agentId: The agent id must be/],
  ["session_history", { sessionId: "s1", lastN: 201 }, /lastN: .*200/],
  ["session_history", {}, /sessionId: /],
  ["session_list", { agentId: "main/../x" }, /agentId: The agent id must be/],
  ["session_search", { query: "x", agentId: "" }, /agentId: The agent id must be/],
  ["session_search", { query: "" }, /query: it is blank/],
])("[I1] %s refuses %j and says how to mend it", (name, input, words) => {
  expect(() => new MemoryDesk().prepare(name, input)).toThrow(words);
});
