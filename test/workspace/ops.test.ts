import { describe, expect, it } from "vitest";
import { applyChanges } from "../../src/workspace/change.ts";
import { answerOf, forgetOps } from "../../src/workspace/ops.ts";
import { BY, writableBucket } from "../support/writable-bucket.ts";

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
