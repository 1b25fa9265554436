import type { Change } from "../../src/shared/workspace-changes.ts";
import type { Content } from "../../src/shared/workspace-files.ts";
import { bytesOf, unitIn, type ModelFile, type ModelLayer } from "./model-file.ts";

/** None of them is a directory of another, whatever is moved where. */
const files = [
  "AGENTS.md",
  "tools.json",
  "knowledge/a.md",
  "knowledge/deep/b.md",
  "skills/x/SKILL.md",
  "skills/x/ref/n.md",
  "skills/y/SKILL.md",
  "skills/_drafts/x/SKILL.md",
  "MEMORY.md",
  "memory/day.md",
  "notes.md",
  "agents/main/s.log.jsonl",
];
const directories = ["knowledge", "knowledge/deep", "skills", "skills/x", "skills/x/ref", "memory"];
const targets = ["archive", "memory/old", "skills/z", "knowledge/deep"];
const texts = ["", "a", "ab", "abab", "é\n", '{"a":1}', '{"b":{"c":2}}', "[1]", "b".repeat(30)];
const blobs = ["\0", "\xff\xfe", `x${"\0".repeat(50)}`, "a", "é", "z".repeat(70), "\0".repeat(90)];
const patches = [{ a: 2 }, { a: null }, { b: { c: null, d: [1] } }, { x: "y" }, {}];

export type Random = () => number;

const pick = <Item>(random: Random, items: readonly [Item, ...Item[]] | readonly Item[]): Item =>
  items[Math.floor(random() * items.length)] as Item;

const chance = (random: Random, part: number): boolean => random() < part;

function contentOf(random: Random): Content {
  if (chance(random, 0.8)) return { text: pick(random, texts) };
  return { bytes: Uint8Array.from(Buffer.from(pick(random, blobs), "latin1")) };
}

const place = (random: Random): string =>
  chance(random, 0.6) ? pick(random, files) : pick(random, [...directories, ...targets]);

type Make = (random: Random) => Change;

const write: Make = (random) => ({
  kind: "write",
  path: pick(random, files),
  content: contentOf(random),
  ...(chance(random, 0.2) && { executable: chance(random, 0.5) }),
});

const edit: Make = (random) => ({
  kind: "edit",
  path: chance(random, 0.9) ? pick(random, files) : pick(random, directories),
  edits: [
    {
      oldText: pick(random, ["a", "ab", "b", "", "é", "q"]),
      newText: pick(random, ["", "c", "aa"]),
      ...(chance(random, 0.5) && { replaceAll: true }),
    },
  ],
});

const move: Make = (random) => {
  const overwrite = chance(random, 0.4);
  if (chance(random, 0.5))
    return { kind: "move", path: pick(random, files), to: pick(random, files), overwrite };
  const from = pick(random, [...directories, ...targets]);
  return { kind: "move", path: from, to: pick(random, targets), overwrite };
};

const makes: readonly Make[] = [
  write,
  write,
  write,
  edit,
  edit,
  move,
  move,
  (random) => ({ kind: "append", path: pick(random, files), text: pick(random, texts) }),
  (random) => ({ kind: "append", path: pick(random, files), text: pick(random, texts) }),
  (random) => ({ kind: "merge", path: pick(random, files), patch: pick(random, patches) }),
  (random) => ({ kind: "delete", path: place(random) }),
  (random) => ({ kind: "delete", path: place(random) }),
  (random) => ({ kind: "reset", path: chance(random, 0.05) ? "" : place(random) }),
];

const undo: Make = (random) => ({ kind: "undo", path: pick(random, files) });

/** One to three changes, now and then with an etag that nothing has. An undo comes alone. */
export function randomChanges(random: Random): Change[] {
  if (chance(random, 0.15)) return [undo(random)];
  const count = chance(random, 0.8) ? 1 : chance(random, 0.5) ? 2 : 3;
  return Array.from({ length: count }, () => {
    const change = pick(random, makes)(random);
    const takes = change.kind === "write" || change.kind === "edit" || change.kind === "delete";
    return takes && chance(random, 0.04) ? { ...change, expect: "nope" } : change;
  });
}

/** A lower layer: texts that tell where they come from, and in an upper one whiteouts. */
export function randomLayer(random: Random, name: string, canHide: boolean): ModelLayer {
  const layer: ModelLayer = new Map();
  for (const path of files) {
    if (!chance(random, 0.4) || path.endsWith(".jsonl")) continue;
    const data = bytesOf(chance(random, 0.2) ? '{"a":0}' : `${name} ab`);
    const file: ModelFile = { type: "text", data, executable: false };
    const unit = unitIn(path);
    layer.set(unit, new Map(layer.get(unit) ?? []).set(path, file));
  }
  if (canHide && chance(random, 0.5)) layer.set(pick(random, ["AGENTS.md", "skills/x"]), new Map());
  return layer;
}
