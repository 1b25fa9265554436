import { zipSync, strToU8 } from "fflate";
import { beforeAll, describe, expect, it, vi } from "vitest";
import type { SkillsView } from "../../src/shared/skills-views.ts";
import { outside, resetOutside } from "../support/outside.ts";
import { callersWithKeys, type AskAs } from "./callers.ts";
import { askAndNote, Canaries, type Desk, nameOfDesk } from "./canaries.ts";
import { promptOf, useTools } from "./scope-lab.ts";

/** Fifty users with skills of their own; names begin one another, as those of their skills do. */
const users = Array.from({ length: 50 }, (_, no) => `u${no}`);
const desks: readonly Desk[] = users.map((user) => ({ agent: "skilled", user }));

const base = "/v1/agents/skilled";
const session = "s1";
const canaries = new Canaries();
const log: string[] = [];
let ask: AskAs;
let note: ReturnType<typeof askAndNote>;

/** The next two users. */
const othersOf = ({ user }: Desk): string[] => {
  const at = users.indexOf(user);
  return [1, 2].map((step) => users[(at + step) % users.length] ?? "");
};

const document = (name: string, word: string) =>
  `---\nname: ${name}\ndescription: Knows of ${word}.\n---\n\n# ${name}\n\n${word}\n`;

const send = async (desk: Desk, path: string, body?: unknown) => {
  const json = { "content-type": "application/json" };
  const init = body === undefined ? {} : { headers: json, body: JSON.stringify(body) };
  expect(await note(desk, `${base}/skills/${path}`, { method: "POST", ...init })).toBe(200);
};

const read = async <Body>(desk: Desk, path: string): Promise<Body> => {
  const response = await ask(desk.user, `${base}/${path}`);
  const text = await response.text();
  canaries.shown(desk, path, text);
  return JSON.parse(text) as Body;
};

/** What a user's agent loads and drafts in one turn: its own, and whatever it can think of of others. */
async function learn(desk: Desk): Promise<void> {
  const { user } = desk;
  const load = (skillId: string, path = "SKILL.md") => ({
    name: "load_skill_through_path",
    input: { skillId, path },
  });
  const own = [load("notes"), load(`of-${user}_own`), load(`of-${user}`, "references/more.md")];
  const foreign = othersOf(desk).flatMap((other) => [
    load(`of-${other}`),
    load(`of-${other}_own`),
    load(`of-${user}`, `../of-${other}/SKILL.md`),
    load("notes", `../../../${other}/files/skills/notes/SKILL.md`),
    load(`up-${other}`),
    load(`learnt-${other}`),
  ]);
  const text = document("x", canaries.of(desk)).split("\n\n").slice(1).join("\n\n");
  const skill = { name: `learnt-${user}`, description: `By ${canaries.of(desk)}.`, body: text };
  const results = await useTools(ask, { ...desk, session }, [
    ...own,
    ...foreign,
    { name: "propose_skill", input: skill },
  ]);
  canaries.shown(desk, "tool results", JSON.stringify(results));
  const [last, ...rest] = results.toReversed();
  expect(last).not.toBeNull();
  const loaded = rest.toReversed();
  expect(loaded.slice(0, own.length)).not.toContain(null);
  expect(loaded.slice(own.length).every((result) => result === null)).toBe(true);
}

/** Everything one user does with skills, from the first file to the archive. */
async function live(desk: Desk): Promise<void> {
  const { user } = desk;
  const word = () => canaries.of(desk);
  const files = {
    "skills/notes/SKILL.md": document("notes", word()),
    [`skills/of-${user}/SKILL.md`]: document(`of-${user}`, word()),
    [`skills/of-${user}/references/more.md`]: word(),
  };
  for (const [path, body] of Object.entries(files))
    expect(await note(desk, `${base}/files/${path}`, { method: "PUT", body })).toBe(201);
  const packed = { [`up-${user}/SKILL.md`]: strToU8(document(`up-${user}`, word())) };
  const upload = {
    method: "POST",
    headers: { "content-type": "application/zip" },
    body: new Uint8Array(zipSync(packed)),
  };
  expect(await note(desk, `${base}/skills/drafts`, upload)).toBe(201);
  await learn(desk);
  for (const name of [`up-${user}`, `learnt-${user}`]) {
    const { draft } = await read<{ draft: { hash: string } }>(desk, `skills/drafts/${name}`);
    await send(desk, `${name}/promote`, { hash: draft.hash });
  }
  await send(desk, `learnt-${user}/pin`);
  await send(desk, `up-${user}/archive`);
  await send(desk, "curator?dry=1");
}

beforeAll(async () => {
  resetOutside();
  for (const level of ["debug", "log", "info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation(
      (...said) => void log.push(said.map(String).join(" ")),
    );
  ask = await callersWithKeys(users);
  note = askAndNote(ask, canaries);
  await Promise.all(desks.map(live));
}, 60_000);

describe("fifty users who have skills of their own, at the same time", () => {
  it("[I1] [K2] each sees the own ones listed, and nobody else's", async () => {
    await Promise.all(
      desks.map(async (desk) => {
        const { user } = desk;
        const { skills, drafts, archived, leftOut, problems } = await read<SkillsView>(
          desk,
          "skills",
        );
        const own = skills.filter(({ source }) => source === "own").map(({ name }) => name);
        expect(own.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
          `learnt-${user}`,
          "notes",
          `of-${user}`,
        ]);
        expect(archived.map(({ name }) => name)).toEqual([`up-${user}`]);
        expect([drafts, leftOut, problems]).toEqual([0, [], []]);
      }),
    );
    for (const desk of desks) {
      const prompt = await promptOf(ask, { ...desk, session: "s2" });
      canaries.shown(desk, "a prompt", prompt);
      const entries = prompt.slice(prompt.indexOf("<available_skills>"));
      expect(entries).toContain(`of-${desk.user}_own`);
      expect(entries).toContain(`learnt-${desk.user}_own`);
    }
    expect(canaries.leaks).toEqual([]);
  });

  it("[I1] [K7] each load is counted once, with who made it alone", async () => {
    await Promise.all(
      desks.map(async (desk) => {
        const { user } = desk;
        const { skills } = await read<SkillsView>(desk, "skills");
        const counted = Object.fromEntries(
          skills.map(({ name, usage }) => [name, [usage.useCount, usage.viewCount]]),
        );
        expect(counted).toMatchObject({
          [`learnt-${user}`]: [0, 0],
          notes: [1, 0],
          [`of-${user}`]: [1, 1],
        });
        const loads = Object.values(counted).flat();
        expect(loads.reduce((sum, count) => sum + count, 0)).toBe(3);
      }),
    );
  });

  it("[I1] [K6] the audit of each has what was done there, and no more", async () => {
    await Promise.all(
      desks.map(async (desk) => {
        const { user } = desk;
        const { lines } = await read<{ lines: { target: string; op: string; actor: string }[] }>(
          desk,
          "skills/audit",
        );
        const done = lines.map(({ op, target }) => `${op} ${target}`);
        expect(done.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
          `archive up-${user}`,
          `pin learnt-${user}`,
          `promote learnt-${user}`,
          `promote up-${user}`,
          `propose learnt-${user}`,
          `propose up-${user}`,
        ]);
        for (const { actor } of lines)
          expect([`user:${user}`, `agent:skilled/${session}`]).toContain(actor);
      }),
    );
    expect(canaries.leaks).toEqual([]);
  });

  it("[I1] [K5] nobody reaches another's by naming it, or its user", async () => {
    const hash = "0".repeat(64);
    await Promise.all(
      desks.map(async (desk) => {
        const [other = ""] = othersOf(desk);
        const names = [`of-${other}`, `up-${other}`, `learnt-${other}`];
        for (const query of ["", `?user=${other}`, "?layer=shared"]) {
          const refused = query === "" ? 404 : 403;
          for (const name of names) {
            const at = `${base}/skills`;
            expect(await note(desk, `${at}/drafts/${name}${query}`)).toBe(refused);
            for (const wish of ["pin", "unpin", "archive", "restore"])
              expect([
                wish,
                await note(desk, `${at}/${name}/${wish}${query}`, { method: "POST" }),
              ]).toEqual([wish, refused]);
            for (const wish of ["promote", "reject", "defer"]) {
              const headers = { "content-type": "application/json" };
              const init = { method: "POST", headers, body: JSON.stringify({ hash }) };
              expect(await note(desk, `${at}/${name}/${wish}${query}`, init)).toBe(refused);
            }
          }
        }
      }),
    );
    expect(canaries.leaks).toEqual([]);
  });

  it("[I1] no prompt or log line has two users' words, and everybody has seen all of their own", () => {
    const { requests } = outside().witness;
    for (const request of requests)
      expect(canaries.ownersIn(JSON.stringify(request)).length).toBeLessThanOrEqual(1);
    const prompted = new Set(requests.flatMap(({ system }) => canaries.ownersIn(system)));
    expect(prompted).toEqual(new Set(desks.map(nameOfDesk)));
    expect(log.filter((line) => canaries.ownersIn(line).length > 0)).toEqual([]);
    expect(canaries.unseen()).toEqual([]);
  });
});
