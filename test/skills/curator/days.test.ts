import { describe, expect, it } from "vitest";
import { BEGAN, CuratorLab, DAY } from "./curator-lab.ts";

/** Where a skill is at the end of a day. */
async function placeOf(lab: CuratorLab, name: string): Promise<string> {
  if ((await lab.text(`skills/_drafts/${name}/SKILL.md`)) !== null) return "draft";
  if ((await lab.text(`skills/${name}/SKILL.md`)) !== null)
    return (await lab.usageOf(name))?.state ?? "active";
  const [archived] = (await lab.archived()).filter((one) => one.name === name);
  return archived ? `archived ${archived.was}` : "nowhere";
}

/** Each name as it is from a day on until the next one. */
type Course = readonly (readonly [from: number, is: string])[];

const courseOf = (days: readonly string[]): Course =>
  days.flatMap((is, day) => (is === days[day - 1] ? [] : [[day, is] as const]));

const NAMES = ["daily", "never", "pinned", "human", "idea"];

/** 100 days, each with so many slots, in each of which the curator is asked; one skill is loaded every day. */
async function hundredDays(slots: number) {
  const lab = new CuratorLab();
  for (const name of ["daily", "never", "pinned"]) await lab.agentSkill(name);
  await lab.humanSkill("human");
  await lab.draft("idea");
  await lab.use("pinned", { pinned: true });
  const seen = new Map(NAMES.map((name) => [name, [] as string[]]));
  const runs: [day: number, state: string][] = [];
  for (let day = 0; day <= 100; day++)
    for (let slot = 0; slot < slots; slot++) {
      lab.now = BEGAN + day * DAY + (slot * DAY) / slots;
      if (slot === 0) await lab.load("daily");
      const before = await lab.files("skills");
      const run = await lab.curate();
      if (run.state !== "early") runs.push([day, run.state]);
      else if (day > 0) expect(await lab.files("skills")).toEqual(before);
      if (slot < slots - 1) continue;
      for (const name of NAMES) seen.get(name)?.push(await placeOf(lab, name));
    }
  return { lab, runs, courses: NAMES.map((name) => [name, courseOf(seen.get(name) ?? [])]) };
}

const dayOf = (ts: string): number => (Date.parse(ts) - BEGAN) / DAY;

const documented: readonly (readonly [string, Course])[] = [
  ["daily", [[0, "active"]]],
  [
    "never",
    [
      [0, "active"],
      [35, "stale"],
      [91, "archived skill"],
    ],
  ],
  ["pinned", [[0, "active"]]],
  ["human", [[0, "active"]]],
  [
    "idea",
    [
      [0, "draft"],
      [35, "archived draft"],
    ],
  ],
];

describe("a hundred days of the curator", () => {
  it("[K7] [K4] leave each skill in exactly the state that is documented, on each day", async () => {
    const { lab, runs, courses } = await hundredDays(1);
    expect(courses).toEqual(documented);
    const weeks = Array.from({ length: 14 }, (_, no) => 7 * (no + 1));
    expect(runs).toEqual(weeks.map((day) => [day, day === 7 ? "reported" : "done"]));
    const lines = await lab.audit();
    expect(lines.map(({ ts, target, decision }) => [dayOf(ts), `${target}: ${decision}`])).toEqual([
      [91, "never: stale -> archived"],
      [35, "idea: draft -> archived"],
      [35, "never: active -> stale"],
    ]);
  });

  it("[K7] [R1] are the same with a slot every six hours: those in between change nothing", async () => {
    expect((await hundredDays(4)).courses).toEqual(documented);
  });

  it("[K7] [R3] need only four looks where nothing is used, each when the one before has said", async () => {
    const lab = new CuratorLab();
    await lab.agentSkill("never");
    await lab.draft("idea");
    const looks: [day: number, state: string, done: readonly string[]][] = [];
    for (let at: number | null = lab.now; at !== null;) {
      lab.now = at;
      const { state, transitions, lookAt } = await lab.curate();
      const done = transitions.map(({ name, to }) => `${name}: ${to}`);
      looks.push([(at - BEGAN) / DAY, state, done]);
      at = lookAt;
    }
    expect(looks).toEqual([
      [0, "early", []],
      [7, "reported", []],
      [30, "done", ["never: stale", "idea: archived"]],
      [90, "done", ["never: archived"]],
    ]);
  });
});
