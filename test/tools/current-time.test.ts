import { toolContext } from "../support/tool-context.ts";
import { describe, expect, it } from "vitest";
import { currentTime } from "../../src/tools/current-time.ts";

const at = (iso: string, timezone?: string) =>
  currentTime
    .prepare(timezone === undefined ? {} : { timezone })
    .run(toolContext({ now: () => Date.parse(iso) }));

describe("current_time", () => {
  it("only reads and may run again", () => {
    expect(currentTime).toMatchObject({
      name: "current_time",
      effect: "read",
      replay: "pure",
      parallel: true,
    });
    expect(currentTime.inputSchema.required ?? []).toEqual([]);
  });

  it.each([
    ["2026-11-30T16:43:12Z", undefined, "2026-11-30T16:43:12+00:00 (Monday, UTC)"],
    ["2026-11-30T16:43:12Z", "Europe/Berlin", "2026-11-30T17:43:12+01:00 (Monday, Europe/Berlin)"],
    [
      "2026-07-01T00:00:00Z",
      "Europe/Berlin",
      "2026-07-01T02:00:00+02:00 (Wednesday, Europe/Berlin)",
    ],
    ["2026-12-31T23:30:00Z", "Asia/Kolkata", "2027-01-01T05:00:00+05:30 (Friday, Asia/Kolkata)"],
    [
      "2026-03-01T00:30:00Z",
      "America/New_York",
      "2026-02-28T19:30:00-05:00 (Saturday, America/New_York)",
    ],
    ["2026-11-30T00:00:00Z", "UTC", "2026-11-30T00:00:00+00:00 (Monday, UTC)"],
  ])("tells %s in %s", async (iso, timezone, told) => {
    expect(await at(iso, timezone)).toBe(told);
    expect(Date.parse(told.split(" ")[0] ?? "")).toBe(Date.parse(iso));
  });

  it("goes by the user's zone where none is named", async () => {
    const context = toolContext({ zone: "Asia/Tokyo", now: () => 0 });
    expect(await currentTime.prepare({}).run(context)).toBe(
      "1970-01-01T09:00:00+09:00 (Thursday, Asia/Tokyo)",
    );
    expect(await currentTime.prepare({ timezone: "UTC" }).run(context)).toContain(
      "(Thursday, UTC)",
    );
  });

  it.each(["Mars/Olympus", "", "Europe/Berlin; rm", "x".repeat(70)])(
    "[X5] refuses the zone %j",
    (timezone) => {
      expect(() => currentTime.prepare({ timezone })).toThrow(/timezone: /);
    },
  );
});
