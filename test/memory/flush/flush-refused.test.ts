import { describe, expect, it } from "vitest";
import { counts, FlushLab, remembersAll, saidIn } from "./flush-lab.ts";

/** A message of so many words, each told from all others. */
const words = (name: string, count: number): string =>
  Array.from({ length: count }, (_, no) => `${name}${no}`).join(" ");

describe("a flush that a model does not answer", () => {
  it.each([
    ["is cut off", () => ({ text: "- cut of", finish: "length" }) as const],
    ["has too many bullets", () => ({ text: "- x\n".repeat(201) })],
    ["has no end", () => ({ text: `- ${"x".repeat(200_000)}` })],
    ["does not come, as the request is too long", () => ({ fail: "context_overflow" }) as const],
  ])("[M1] whole, as it %s, asks about less", async (_, answer) => {
    const lab = new FlushLab();
    const most = 20_000;
    lab.model.answer = (request) =>
      request.length > most ? answer() : { text: `- ${request.length}` };
    for (const key of ["a", "b"]) {
      lab.say(key, words(key, 1_300));
      await lab.settle();
    }
    await lab.quiet();
    await lab.finish();
    const read = lab.model.asked.filter((request) => request.length <= most).map(saidIn);
    for (const key of ["a", "b"])
      expect(read.join("\n").match(new RegExp(`\\[USER\\]: ${key}0 `, "g"))).toHaveLength(1);
    expect(await lab.ledger()).not.toContain("cut of");
    expect(lab.notes()).toEqual({ cursor: { seq: lab.entries().at(-1)?.seq } });
    expect(lab.sql.all("SELECT * FROM job")).toEqual([]);
  });

  it("[M1, R4] at all, as the provider refuses it, leaves that out, says so, and reads what comes after", async () => {
    const lab = new FlushLab();
    lab.model.answer = (request) =>
      saidIn(request).includes("refuse me") ? { fail: "model_refused" } : remembersAll(request);
    await lab.turn("a", "before");
    await lab.turn("b", "refuse me");
    await lab.finish();
    await lab.turn("c", "after");
    expect(counts(await lab.ledger(), ["before", "refuse me", "after"])).toEqual([1, 0, 1]);
    const told = lab.log.filter((line) => line.startsWith("error memory.flush_left_out"));
    expect(told).toEqual([expect.stringContaining('"turn":"b"')]);
  });

  // To try for as long as it takes would keep all that is said later from being remembered: only what no smaller request can
  // mend is given up, and what fails in another way never is.
  it.each([
    ["is cut off", () => ({ text: "- cut of", finish: "length" }) as const],
    ["calls a tool", () => ({ finish: "tool-calls" }) as const],
    ["has too many bullets", () => ({ text: "- x\n".repeat(201) })],
    ["does not come, as the request is too long", () => ({ fail: "context_overflow" }) as const],
  ])(
    "[M1, R4] whole, however little it is asked about, as it %s, leaves that out and reads what comes after",
    async (_, answer) => {
      const lab = new FlushLab();
      lab.model.answer = (request) =>
        saidIn(request).includes("poison") ? answer() : remembersAll(request);
      await lab.turn("a", "poison");
      await lab.finish();
      await lab.turn("b", "after");
      expect(counts(await lab.ledger(), ["poison", "after"])).toEqual([0, 1]);
      const told = lab.log.filter((line) => line.startsWith("error memory.flush_left_out"));
      expect(told).toEqual([expect.stringContaining('"turn":"a"')]);
      expect(lab.model.asked).toHaveLength(9);
    },
  );

  it("[R4] for want of a model is tried again for as long as it takes", async () => {
    const lab = new FlushLab();
    lab.model.answer = () => ({ fail: "unavailable" });
    for (const key of ["a", "b"]) {
      await lab.turn(key, key);
      await lab.finish();
    }
    lab.model.answer = remembersAll;
    await lab.turn("c", "c");
    expect(counts(await lab.ledger(), ["a", "b", "c"])).toEqual([1, 1, 1]);
  });
});
