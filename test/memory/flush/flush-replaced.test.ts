import { describe, expect, it } from "vitest";
import { nodeWorkspace } from "../../support/node-workspace.ts";
import { latch } from "../../turn/after-turn-lab.ts";
import { counts, FlushLab, remembersAll } from "./flush-lab.ts";

describe("a flush whose object was replaced", () => {
  it("[M1] while the model was asked writes nothing of what the other one has read", async () => {
    const { opened, open } = latch();
    const lab = new FlushLab();
    lab.model.answer = async (request, no) => {
      if (no === 1) await opened;
      return remembersAll(request);
    };
    await lab.turn("a", "one");
    lab.restart();
    await lab.finish();
    expect(lab.model.asked).toHaveLength(2);
    open();
    await lab.rest();
    expect(counts(await lab.ledger(), ["one"])).toEqual([1]);
  });

  it("[M1] while its bullets were on the way does not take the other one's for them", async () => {
    const files = nodeWorkspace();
    const { change } = files;
    const back = latch();
    let calls = 0;
    files.change = async (request) => {
      const no = ++calls;
      if (no === 3) return new Promise(() => {});
      const answer = await change(request);
      if (no === 1) await back.opened;
      return answer;
    };
    const lab = new FlushLab({ workspace: files });
    await lab.turn("a", "one");
    lab.restart();
    await lab.finish();
    // This one's bullets do not leave.
    await lab.turn("b", "two");
    expect(calls).toBe(3);
    back.open();
    await lab.rest();
    lab.restart();
    await lab.finish();
    expect(counts(await lab.ledger(), ["one", "two"])).toEqual([1, 1]);
  });
});
