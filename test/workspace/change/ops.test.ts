import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import { applyChanges } from "../../../src/workspace/change/change.ts";
import { answerOf, forgetOps } from "../../../src/workspace/change/ops.ts";
import { BY } from "../../support/bucket-parts.ts";
import { writableBucket } from "../../support/writable-bucket.ts";

describe("the ledger of operations", () => {
  it("[W9] keeps the answer of what was done, not of what was refused, and forgets by age", async () => {
    const bucket = writableBucket();
    const append = (op: string, path: string) =>
      applyChanges(bucket, { by: BY, op, changes: [{ kind: "append", path, text: "x" }] });
    const first = await append("old", "a");
    await bucket.clock.pass(10);
    await append("new", "a");
    await expect(append("refused", "a/b")).rejects.toMatchObject({ code: "conflict" });
    expect(answerOf(bucket.rows, "old")).toEqual(first);
    expect(answerOf(bucket.rows, "refused")).toBeNull();
    await append("refused", "b");
    bucket.rows.commit("forget", (tx) => forgetOps(tx, 10));
    expect(answerOf(bucket.rows, "old")).toBeNull();
    expect(await bucket.lines()).toEqual(["a own xx", "b own x"]);
    await append("new", "a");
    await append("old", "a");
    expect(await bucket.show("a")).toBe("xxx");
  });

  it("is written for a request that had nothing to do, too", async () => {
    const bucket = writableBucket();
    const reset = { by: BY, op: "reset", changes: [{ kind: "reset", path: "" }] as const };
    const first = await applyChanges(bucket, reset);
    expect(await applyChanges(bucket, reset)).toEqual(first);
    expect(bucket.sql.all("SELECT id FROM op")).toEqual([{ id: "reset" }]);
    expect(bucket.sql.all("SELECT * FROM job")).toEqual([]);
  });
});

describe("an append with an operation of its own", () => {
  const append = (op: string, text = op, path = "a.log.jsonl"): Change => {
    return { kind: "append", path, text, op };
  };
  const index: Change = { kind: "merge", path: "index.json", patch: { last: "now" } };
  const request = (...changes: readonly Change[]) => ({ by: BY, changes });

  it("[W9] is done once, whatever comes with it, and the rest of its request is done", async () => {
    const bucket = writableBucket();
    await applyChanges(bucket, request(append("1"), append("2"), index));
    const grown = request(append("1"), append("2"), append("3"), index);
    const changed = await applyChanges(bucket, grown);
    expect(await bucket.show("a.log.jsonl")).toBe("123");
    expect(changed.map(({ touched }) => touched)).toEqual([0, 0, 1, 1]);
    expect(changed[0]).toMatchObject({ created: false, file: { path: "a.log.jsonl", size: 2 } });
    await applyChanges(bucket, request(append("2")));
    expect(await bucket.show("a.log.jsonl")).toBe("123");
  });

  it("[W9] is done once in one request, too, and when requests race", async () => {
    const bucket = writableBucket({ template: { "a.md": "begin " } });
    const twice = request(append("1", "1", "a.md"), append("1", "1", "a.md"));
    const more = request(append("1", "1", "a.md"), append("2", "2", "a.md"));
    await Promise.all([twice, more, twice].map((one) => applyChanges(bucket, one)));
    expect(await bucket.show("a.md")).toBe("begin 12");
  });

  it("writes nothing when it is repeated alone", async () => {
    const bucket = writableBucket();
    await applyChanges(bucket, request(append("1"), append("2", "")));
    const before = bucket.sql.written();
    const changed = await applyChanges(bucket, request(append("1"), append("2", "x")));
    expect(changed.map(({ touched }) => touched)).toEqual([0, 0]);
    expect(bucket.sql.written()).toBe(before);
    expect(await bucket.show("a.log.jsonl")).toBe("1");
  });

  it("leaves no trace where its request was refused", async () => {
    const bucket = writableBucket();
    const refused = request(append("1"), append("2", "x", "a.log.jsonl/b"));
    await expect(applyChanges(bucket, refused)).rejects.toMatchObject({ code: "conflict" });
    expect(bucket.sql.all("SELECT * FROM op")).toEqual([]);
    await applyChanges(bucket, request(append("1")));
    expect(await bucket.show("a.log.jsonl")).toBe("1");
  });

  it("counts as a request of its own", async () => {
    const bucket = writableBucket();
    const [first] = await applyChanges(bucket, request(append("1"), append("2")));
    const plain: Change = { kind: "append", path: "a.log.jsonl", text: "3" };
    expect(await applyChanges(bucket, { ...request(plain), op: "1" })).toEqual([first]);
    await applyChanges(bucket, { ...request(plain), op: "3" });
    await applyChanges(bucket, request(append("3")));
    expect(await bucket.show("a.log.jsonl")).toBe("123");
  });

  it("[H1] has an id that can be printed and is not that of its request", async () => {
    const bucket = writableBucket();
    for (const op of ["", "a b", "é", "x".repeat(1_025)])
      await expect(applyChanges(bucket, request(append(op)))).rejects.toMatchObject({
        code: "invalid",
      });
    const same = { ...request(append("1")), op: "1" };
    await expect(applyChanges(bucket, same)).rejects.toMatchObject({ code: "invalid" });
    expect(await bucket.lines()).toEqual([]);
  });
});
