import { describe, expect, it } from "vitest";
import { waitingLab } from "./asking-lab.ts";
import { SessionLab } from "./session-lab.ts";

describe("what a session holds of its context", () => {
  it("[T12] bounds what a model is asked in a long session, and stays after the object is gone", async () => {
    const lab = new SessionLab();
    for (let n = 0; n < 120; n++) {
      if (n % 7 === 0) lab.restart();
      lab.say(`t${n}`, `message ${n}: ${"word ".repeat(30)}`);
      await lab.settle();
    }
    const sizes = lab.witness.requests.map(({ messages }) => messages.length);
    expect(sizes).toHaveLength(120);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(60);
    expect(Math.min(...sizes.slice(60))).toBeGreaterThanOrEqual(19);
    expect(lab.witness.summaries.length).toBeLessThanOrEqual(6);
    expect(lab.session.history({ limit: 1_000 }).messages).toHaveLength(240);
  });

  it("[T12] is moved past answers that were given anew, which nobody sees any more", async () => {
    const lab = new SessionLab();
    lab.say("first", "hi");
    await lab.settle();
    for (let n = 0; n < 400; n++) {
      lab.say(`again${n}`, { kind: "regenerate" });
      await lab.settle();
    }
    const [context] = lab.sql.all<{ body: string }>(
      "SELECT body FROM state WHERE name = 'context'",
    );
    expect(JSON.parse(context?.body ?? "{}").from).toBeGreaterThan(900);
    expect(lab.witness.requests.at(-1)?.messages).toHaveLength(1);
    expect(lab.witness.summaries).toEqual([]);
  });

  it("[T12] holds no permissions, however often they are changed", async () => {
    const lab = await waitingLab("one");
    const list = (name: string) =>
      Array.from({ length: 100 }, (_, no) => ({ tool: `${name}${no}`, path: "y".repeat(400) }));
    const all = lab.sql.all.bind(lab.sql);
    let read = 0;
    const counted: typeof all = (query, ...params) => {
      const rows = all(query, ...params);
      read += JSON.stringify(rows).length;
      return rows as never[];
    };
    Object.assign(lab.sql, { all: counted });
    /** The characters that another object reads to go on with the turn. */
    const readAgain = async (): Promise<number> => {
      lab.again();
      read = 0;
      lab.session.setPermissions({ mode: "ACCEPT_EDITS" }, "ann");
      lab.session.setPermissions({ mode: "DEFAULT" }, "ann");
      await lab.settle();
      return read;
    };
    lab.session.setPermissions({ allow: list("first") }, "ann");
    await lab.settle();
    const before = await readAgain();
    for (let n = 0; n < 30; n++) {
      lab.session.setPermissions({ allow: list(`n${n % 10}`) }, "ann");
      await lab.settle();
    }
    expect(await readAgain()).toBeLessThan(before + 20_000);
    expect(lab.facts("permissions").split(" ")).toHaveLength(35);
  });
});
