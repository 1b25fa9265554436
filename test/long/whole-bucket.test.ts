import { describe, it } from "vitest";
import { carryLog, MIB } from "../support/whole-bucket.ts";

describe("an export of a whole bucket", () => {
  it("[W5] [W17] takes a log of 60 MiB in parts of 4, and another bucket has the same bytes", async () => {
    await carryLog(60 * MIB);
  });
});
