import { describe, expect, it } from "vitest";
import { SessionLab } from "./session-lab.ts";

const regenerate = { kind: "regenerate" } as const;

async function talked() {
  const lab = new SessionLab();
  for (const key of ["a", "b"]) {
    lab.say(key, `this is ${key}`);
    await lab.settle();
  }
  return lab;
}

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    return String((error as { code?: string }).code);
  }
  return "none";
};

const textsOf = (value: unknown): string[] => JSON.stringify(value).match(/this is \w/g) ?? [];

describe("a session that begins anew", () => {
  it("shows nothing from before: to the model, in the history, from any of its pages, in its state", async () => {
    const lab = await talked();
    const { start } = lab.session.stop("b") ?? {};
    lab.session.clear("ann");
    for (const session of [lab.session, lab.restart()]) {
      const { messages, before } = session.history({ limit: 10 });
      expect({ messages, before }).toEqual({ messages: [], before: null });
      for (const old of [1, 3, Number(start?.split(".")[0]) + 1, 1_000])
        expect(session.history({ limit: 10, before: old })).toMatchObject({
          messages: [],
          before: null,
        });
      expect(session.state().context).toEqual([]);
    }
    lab.say("c", "this is c");
    await lab.settle();
    expect(textsOf(lab.witness.requests.at(-1)?.messages)).toEqual(["this is c"]);
    expect(textsOf(lab.session.history({ limit: 10 }))).toContain("this is c");
    expect(textsOf(lab.session.history({ limit: 10 }))).not.toContain("this is b");
    expect(textsOf(lab.session.state())).not.toContain("this is b");
  });

  it("[T13] has no message to answer again", async () => {
    const lab = await talked();
    lab.session.clear("ann");
    expect(codeOf(() => lab.say("r", regenerate))).toBe("not_found");
    expect(codeOf(() => lab.say("r", { ...regenerate, reply: "b.reply" }))).toBe("not_found");
    lab.say("c", "this is c");
    await lab.settle();
    lab.say("r", regenerate);
    await lab.settle();
    expect(textsOf(lab.witness.requests.at(-1)?.messages)).toEqual(["this is c"]);
  });

  it("[S1] tells who follows it, and still replays all that happened, and then that", async () => {
    const lab = await talked();
    const tail = lab.listen();
    await lab.settle();
    lab.session.clear("ann");
    await lab.settle();
    const types = tail.frames().map(({ event }) => event.type);
    expect(types.filter((type) => type === "turn-end")).toHaveLength(2);
    expect(types.at(-1)).toBe("cleared");
    lab.restart();
    const again = lab.listen();
    await lab.settle();
    expect(again.frames().slice(1)).toEqual(tail.frames().slice(1));
  });

  it("keeps what is allowed, and says who did it", async () => {
    const lab = await talked();
    lab.session.setPermissions({ mode: "EXPLORE" }, "ann");
    const before = lab.session.permissions();
    lab.session.clear("ann");
    expect(lab.session.permissions()).toEqual(before);
    expect(lab.entries().at(-1)).toMatchObject({ kind: "cleared", turn: "", by: "user:ann" });
  });

  it("is refused while a turn runs or waits in line, and nothing is stored", async () => {
    const lab = new SessionLab();
    lab.say("a", [{ text: "on", hang: true }]);
    lab.say("b", "waits");
    await lab.settle();
    const before = lab.entries();
    expect(codeOf(() => lab.session.clear("ann"))).toBe("conflict");
    lab.session.stop("a");
    await lab.settle();
    expect(lab.entries().length).toBeGreaterThan(before.length);
    lab.session.clear("ann");
    expect(lab.session.history({ limit: 5 }).messages).toEqual([]);
  });

  it("changes nothing where nothing was said, and the second time", async () => {
    const empty = new SessionLab();
    empty.session.clear("ann");
    expect(empty.sql.all("SELECT 1 FROM sqlite_schema")).toEqual([]);
    const lab = await talked();
    lab.session.clear("ann");
    const entries = lab.entries();
    lab.session.clear("bob");
    lab.restart().clear("bob");
    expect(lab.entries()).toEqual(entries);
  });

  it("loses nothing to a crash around it", async () => {
    for (const point of ["commit:clear:before", "commit:clear:after"]) {
      const lab = await talked();
      lab.onPoint = (name) => {
        if (name === point) throw new Error("crash");
      };
      expect(() => lab.session.clear("ann")).toThrow("crash");
      lab.onPoint = () => {};
      const isClear = point.endsWith("after");
      expect(lab.restart().history({ limit: 10 }).messages).toHaveLength(isClear ? 0 : 4);
      expect(lab.session.state().context).toHaveLength(isClear ? 0 : 4);
    }
  });
});
