import { describe, expect, it } from "vitest";
import type { SessionNews } from "../../src/shared/registry-api.ts";
import { CarrelError } from "../../src/shared/errors.ts";
import { sessionLog } from "../../src/turn/records/session-log.ts";
import { createSessionIndex } from "../../src/turn/records/session-index.ts";
import { LogFiles } from "../support/log-files.ts";
import { noSettings } from "../support/no-settings.ts";
import { quiet } from "./after-turn-lab.ts";
import { SessionLab } from "./session-lab.ts";

const INDEX = "agents/main/sessions/sessions.json";

function listedLab(options: { readonly hasLog: boolean } = { hasLog: true }) {
  const files = new LogFiles();
  const told: SessionNews[] = [];
  const hear = async (news: SessionNews) => {
    told.push(news);
    return noSettings;
  };
  const index = createSessionIndex((_, news) => hear(news));
  const lab = new SessionLab({
    capabilities: options.hasLog ? [sessionLog, index] : [index],
    workspace: () => files.workspace,
  });
  lab.index = async (news) => void (await hear(news));
  const line = () => {
    const file = JSON.parse(files.files.get(INDEX) ?? "{}") as {
      sessions?: Record<string, unknown>;
    };
    return file.sessions?.s1;
  };
  return { lab, told, files, line };
}

const titleIn = (lab: SessionLab): string => lab.session.history({ limit: 1 }).title;

describe("the title of a session", () => {
  it("is how its first message begins, and stays so", async () => {
    const { lab } = listedLab();
    expect(titleIn(lab)).toBe("");
    lab.say("a", `  What is\n\n a   carrel? ${"Tell me. ".repeat(20)}`);
    const opening = `What is a carrel? ${"Tell me. ".repeat(20)}`.slice(0, 80);
    expect(titleIn(lab)).toBe(opening);
    await lab.settle();
    lab.say("b", "And now?");
    await lab.settle();
    expect(titleIn(lab)).toBe(opening);
    lab.restart();
    expect(titleIn(lab)).toBe(opening);
  });

  it("is empty when the first message has no text, and comes from no later one", async () => {
    const { lab } = listedLab();
    const data = { type: "image", mediaType: "image/png", data: "AAAA" } as const;
    lab.say("a", { kind: "message", content: [data] });
    await lab.settle();
    lab.say("b", "And this?");
    await lab.settle();
    expect(titleIn(lab)).toBe("");
  });

  it("is what a person named it, in every object, and with a blank name how it begins again", async () => {
    const { lab } = listedLab();
    lab.say("a", "What is a carrel?");
    await lab.settle();
    expect(lab.session.rename("  Reading desks  ")).toBe("Reading desks");
    expect(titleIn(lab)).toBe("Reading desks");
    lab.restart();
    expect(titleIn(lab)).toBe("Reading desks");
    expect(lab.session.rename(" ")).toBe("What is a carrel?");
    lab.restart();
    expect(titleIn(lab)).toBe("What is a carrel?");
  });

  it("cannot be given to a session in which nothing happened, and that leaves nothing", () => {
    const { lab } = listedLab();
    expect(() => lab.session.rename("x")).toThrow(expect.objectContaining({ code: "not_found" }));
    expect(lab.sql.all("SELECT name FROM sqlite_schema")).toEqual([]);
  });

  it.each(["x".repeat(201), "two\nlines", "a\tb", "a\u2028b", "a\u0000b"])(
    "[H1] is refused when it is not one line of at most 200 characters: %j",
    async (title) => {
      const { lab, told } = listedLab();
      lab.say("a", "hi");
      await lab.settle();
      expect(() => lab.session.rename(title)).toThrow(/^A title must be one line of at most 200/);
      await lab.settle();
      expect([titleIn(lab), told]).toEqual(["hi", []]);
      expect(lab.session.rename("x".repeat(200))).toHaveLength(200);
    },
  );
});

describe("a session that is renamed", () => {
  it("is renamed in the lists and among the user's files at once, and does not move in them", async () => {
    const { lab, told, line } = listedLab();
    lab.say("a", "What is a carrel?");
    await quiet(lab);
    const updatedAt = new Date(0).toISOString();
    expect(line()).toEqual({ summary: "What is a carrel?", updatedAt });
    await lab.clock.pass(9_000);
    lab.session.rename("Desks");
    await lab.settle();
    expect(told.at(-1)).toEqual({ title: "Desks", at: 10_000, updatedAt: 0, isWaiting: false });
    expect(line()).toEqual({ summary: "Desks", updatedAt });
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });

  it("is named so after its later turns, too", async () => {
    const { lab, told, line } = listedLab();
    lab.say("a", "hi");
    await quiet(lab);
    lab.session.rename("Desks");
    await lab.settle();
    await lab.clock.pass(5_000);
    lab.say("b", "And now?");
    await quiet(lab);
    expect(told.at(-1)).toMatchObject({ title: "Desks", updatedAt: 6_000, isWaiting: false });
    expect(line()).toMatchObject({ summary: "Desks", updatedAt: new Date(6_000).toISOString() });
  });

  it("leaves the files alone where there is no log, or no turn has ended", async () => {
    for (const hasLog of [true, false]) {
      const { lab, told, files } = listedLab({ hasLog });
      lab.say("a", hasLog ? [{ hang: true }] : "hi");
      await quiet(lab);
      lab.session.rename("Desks");
      await lab.settle();
      expect(told.at(-1)).toMatchObject({ title: "Desks" });
      expect(files.requests).toEqual([]);
      expect(lab.sql.all("SELECT id FROM job WHERE kind = 'index'")).toEqual([]);
    }
  });

  it("does not mind a list of files that cannot be written, and tries again where it may", async () => {
    const { lab, files, line } = listedLab();
    lab.say("a", "hi");
    await quiet(lab);
    let calls = 0;
    files.before = () => (++calls < 3 ? Promise.reject(new Error("not now")) : Promise.resolve());
    lab.session.rename("Desks");
    await lab.settle();
    while (await lab.fireAlarm());
    expect([calls, line()]).toEqual([3, expect.objectContaining({ summary: "Desks" })]);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });

  it("is not held up by a list of files that cannot take it", async () => {
    const { lab, files, told } = listedLab();
    lab.say("a", "hi");
    await quiet(lab);
    files.before = () =>
      Promise.reject(new CarrelError("quota_exceeded", "The workspace is full."));
    lab.session.rename("Desks");
    await lab.settle();
    expect(told.at(-1)).toMatchObject({ title: "Desks" });
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });

  it("tells it after a crash right behind the commit", async () => {
    const { lab, told } = listedLab();
    lab.say("a", "hi");
    await quiet(lab);
    lab.onPoint = (name) => {
      if (name === "commit:title:after") throw new Error("crash");
    };
    expect(() => lab.session.rename("Desks")).toThrow("crash");
    lab.onPoint = () => {};
    lab.restart();
    expect(titleIn(lab)).toBe("Desks");
    // Its job waits for whoever wakes the object next.
    await lab.session.alarm();
    await lab.settle();
    expect(told.at(-1)).toMatchObject({ title: "Desks" });
  });
});

describe("the lists of sessions", () => {
  it("[T11] hear of ended turns, several at once, and again when they could not", async () => {
    const calls: SessionNews[] = [];
    let isDown = true;
    const index = createSessionIndex(async (address, news) => {
      expect(address).toEqual({ agent: "main", user: "ann", session: "s1" });
      calls.push(news);
      if (isDown) throw new Error("connection lost");
      return noSettings;
    });
    const lab = new SessionLab({ capabilities: [index] });
    lab.say("a", "hi");
    await lab.clock.pass(400);
    lab.say("b", "And now?");
    await lab.clock.pass(1_000);
    isDown = false;
    while (await lab.fireAlarm());
    const news = { title: "hi", at: 400, updatedAt: 400, isWaiting: false };
    expect(calls).toEqual([news, news]);
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });
});
