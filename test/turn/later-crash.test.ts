import { expect, it } from "vitest";
import type { PointName } from "../../src/shared/point.ts";
import type { LaterScope } from "../../src/turn/capability.ts";
import { capability, done, quiet } from "./after-turn-lab.ts";
import { jobs, lastEnd, laterWork, noted } from "./later-lab.ts";
import { SessionLab } from "./session-lab.ts";

/** Notes the ends that it was called for, and that it was at it, as two commits with something outside between. */
async function noteEnds({ notes, ended, entries }: LaterScope): Promise<null> {
  const read = (notes.read() ?? { seen: [] }) as { readonly seen: readonly number[] };
  const from = read.seen.at(-1) ?? 0;
  const ends = entries(from + 1).filter(({ kind, seq }) => kind === "end" && seq <= ended);
  notes.write({ ...read, isAtIt: true });
  await Promise.resolve();
  notes.write({ seen: [...read.seen, ...ends.map(({ seq }) => seq)] });
  return null;
}

/** Two turns of a session whose object ends at the `no`th point; `at`: which that was, `null` when it came to none. */
async function crashedAt(no: number): Promise<{ lab: SessionLab; at: PointName | null }> {
  const { later } = laterWork(noteEnds);
  const lab = new SessionLab({ capabilities: [capability(done).after, later] });
  let count = 0;
  let at: PointName | null = null;
  lab.onPoint = (name) => {
    if (++count < no) return;
    at ??= name;
    throw new Error("crash");
  };
  const keys = ["a", "b"];
  for (let key = keys.shift(); key !== undefined; key = keys.shift()) {
    try {
      lab.say(key, "hi");
    } catch (error) {
      if (!(error instanceof Error) || error.message !== "crash") throw error;
      keys.unshift(key);
    }
    await quiet(lab);
    if (at === null || count < no) continue;
    lab.onPoint = () => {};
    count = -Infinity;
    lab.restart();
    // Nobody comes by: only the alarm knows.
    if (lab.alarm !== null) await lab.fireAlarm();
  }
  lab.onPoint = () => {};
  while (await lab.fireAlarm());
  return { lab, at };
}

it("[T11] work of a session's own is done for every turn wherever its object ends, and leaves nothing behind", async () => {
  const points = new Set<string>();
  for (let no = 1; ; no++) {
    const { lab, at } = await crashedAt(no);
    const where = `point ${no}: ${at ?? "none"}`;
    const ends = lab.entries().flatMap(({ kind, seq }) => (kind === "end" ? [seq] : []));
    expect(ends, where).toHaveLength(2);
    expect(noted(lab), where).toEqual({ seen: ends });
    expect(ends.at(-1), where).toBe(lastEnd(lab));
    expect([jobs(lab).filter((id) => id.startsWith("later:")), lab.alarm], where).toEqual([
      [],
      null,
    ]);
    if (at === null) break;
    points.add(at);
  }
  expect([...points]).toEqual(expect.arrayContaining(["commit:job:before", "commit:job:after"]));
});
