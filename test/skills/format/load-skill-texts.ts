import { expect } from "vitest";
import { headOf } from "../../../src/shared/skill-head.ts";
import { parseSkill } from "../../../src/skills/format/parse-skill.ts";
import type { ParsedSkill } from "../../../src/skills/format/skill.ts";
import { skillText } from "./skill-texts.ts";

/** Half of what a text may take: what takes longer is looked at twice. */
const SUSPECT_MS = 2.5;

/** How many could be loaded, and what the longest took: of the processor, the least of ten, in milliseconds. */
export type LoadedTexts = {
  readonly skills: number;
  readonly maxMs: number;
  readonly slowest: number;
};

/**
 * Loads the texts of `count` seeds, and checks of each what must hold for every text there is. `isTimed`: it is also
 * measured, which takes three times as long.
 */
export function loadSkillTexts(first: number, count: number, isTimed = false): LoadedTexts {
  let [skills, maxMs, slowest] = [0, 0, first];
  const suspects: number[] = [];
  const before = Object.getOwnPropertyNames(Object.prototype);
  for (let seed = first; seed < first + count; seed += 1) {
    const text = skillText(seed);
    const parsed = assertLoads(text, seed);
    if (parsed.kind === "skill") skills += 1;
    if (!isTimed) continue;
    const ms = costOf(text, SUSPECT_MS);
    if (ms > SUSPECT_MS) suspects.push(seed);
    else if (ms > maxMs) [maxMs, slowest] = [ms, seed];
  }
  // What was slow is measured again later: other work on the machine only adds, and may last longer than ten runs.
  for (const seed of suspects) {
    const ms = costOf(skillText(seed), maxMs);
    if (ms > maxMs) [maxMs, slowest] = [ms, seed];
  }
  expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  expect(globalThis).not.toHaveProperty("wasRun");
  return { skills, maxMs, slowest };
}

function assertLoads(text: string, seed: number): ParsedSkill {
  const parsed = parseSkill(text, "pdf");
  const head = headOf(text);
  // Quicker than an assertion for each; the seed says which.
  if (!text.startsWith(head) || head.length > 40_000)
    expect.fail(`seed ${seed}: the head is wrong`);
  const ofHead = head === text ? parsed : parseSkill(head, "pdf");
  if (parsed.kind === "bad") {
    if (parsed.why === "") expect.fail(`seed ${seed}: no reason`);
    if (JSON.stringify(ofHead) !== JSON.stringify(parsed)) expect.fail(`seed ${seed}: the head`);
    return parsed;
  }
  const { header, body } = parsed;
  const isSame =
    ofHead.kind === "skill" &&
    JSON.stringify(ofHead.header) === JSON.stringify(header) &&
    body.startsWith(ofHead.body);
  if (!isSame) expect.fail(`seed ${seed}: the head has another header`);
  if (!text.endsWith(body)) expect.fail(`seed ${seed}: the body is no end of the text`);
  if (header.description.trim() === "") expect.fail(`seed ${seed}: a blank description`);
  if (!/^[^\p{Cc}\p{Zl}\p{Zp}]{1,128}$/u.test(header.name) || header.name.length > 128)
    expect.fail(`seed ${seed}: the name ${JSON.stringify(header.name)}`);
  if (!isPlain(header.metadata, 0)) expect.fail(`seed ${seed}: its metadata is not plain`);
  return parsed;
}

/** Nothing but text, finite numbers, booleans, `null`, lists and objects without prototypes, at most 10 deep. */
function isPlain(value: unknown, depth: number): boolean {
  if (typeof value === "number") return Number.isFinite(value);
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value !== "object" || depth > 10) return false;
  if (Array.isArray(value)) return value.every((item) => isPlain(item, depth + 1));
  if (Object.getPrototypeOf(value) !== null) return false;
  return Object.values(value).every((item) => isPlain(item, depth + 1));
}

function costOf(text: string, atLeast: number): number {
  let least = Infinity;
  for (let run = 0; run < 10 && least > atLeast; run += 1) {
    const started = performance.now();
    parseSkill(text, "pdf");
    least = Math.min(least, performance.now() - started);
  }
  return least;
}
