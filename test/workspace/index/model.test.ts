import { describe, expect, it } from "vitest";
import type { Change } from "../../../src/shared/workspace-changes.ts";
import { FORGOTTEN } from "../../../src/workspace/index/sources.ts";
import { seededRandom } from "../../support/random.ts";
import { indexOf, KEY, LOG, message, rebuilt, SearchLab } from "./search-lab.ts";

const LOGS = [LOG, "agents/main/sessions/s2.log.jsonl"] as const;
const FILES = [
  "MEMORY.md",
  "memory/2026-02-01.md",
  "memory/2026-02-02.md",
  "memory/archive/2026-01-01.md",
  "knowledge/a.md",
  "knowledge/b.md",
  "notes/elsewhere.md",
] as const;
const WORDS = "tea heron harbour 猫と犬 고양이 running 2026-02-02 closed the of".split(" ");
const template = { "knowledge/a.md": "# Tea\n\nheron", "knowledge/c.md": "harbour" };

/** Whatever somebody may do next. */
function someChange(random: () => number): Change {
  const one = <Item>(items: readonly Item[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error("there is none");
    return item;
  };
  const text = () =>
    Array.from({ length: 1 + Math.floor(random() * 6) }, () => one(WORDS)).join(" ");
  const entries = () =>
    Array.from({ length: Math.floor(random() * 5) }, () => `- ${text()}\n`).join("");
  const path = one(FILES);
  const line = () => ({ path: one(LOGS), line: 1 + Math.floor(random() * 6) });
  return one<() => Change>([
    () => ({ kind: "write", path, content: { text: `# ${text()}\n\n${entries()}` } }),
    () => ({ kind: "append", path, text: `\n${entries()}` }),
    () => ({ kind: "append", path: one(LOGS), text: message(text(), Math.floor(random() * 99)) }),
    () => ({ kind: "append", path: one(LOGS), text: message(text()) + message(text(), 5, "step") }),
    () => ({ kind: "delete", path: one([...FILES, ...LOGS, "memory", "knowledge/c.md"]) }),
    () => ({ kind: "move", path, to: one(FILES), overwrite: true }),
    () => ({ kind: "undo", path }),
    () => ({ kind: "reset", path: "knowledge" }),
    () => ({
      kind: "append",
      path: FORGOTTEN,
      text: `${JSON.stringify({ at: 1, by: "x", ids: [], messages: [line(), line()] })}\n`,
    }),
    () => ({ kind: "delete", path: FORGOTTEN }),
  ])();
}

describe("an index after any changes", () => {
  it.each(Array.from({ length: 8 }, (_, seed) => seed))(
    "[M8, W3] is what one from scratch would be (seed %i)",
    async (seed) => {
      const random = seededRandom(seed);
      const lab = new SearchLab({}, template);
      for (let step = 0; step < 60; step += 1) {
        // What cannot be done changes nothing.
        await lab.change(someChange(random)).catch(() => {});
        const then = random();
        if (then < 0.3) await lab.find("tea");
        else if (then < 0.4) await lab.pass(20_000);
        else if (then < 0.5) lab.restart();
      }
      expect(await lab.find("tea")).toMatchObject({ isComplete: true });
      const found = indexOf(lab.sql(KEY));
      expect(Object.keys(found).length).toBeGreaterThan(1);
      expect(await rebuilt(lab)).toEqual(found);
    },
  );
});
