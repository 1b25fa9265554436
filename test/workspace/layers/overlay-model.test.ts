import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createOverlay } from "../../../src/workspace/layers/overlay.ts";
import type { LayerName } from "../../../src/shared/workspace-files.ts";
import { planDelete, planReset, planWrite } from "../../../src/workspace/layers/overlay-change.ts";
import { type TextLayer, apply, at, lines, textLayer } from "../../support/layers.ts";

/** None of them is a directory of another, so that the model need not know what happens then. */
const files = [
  "AGENTS.md",
  "tools.json",
  "knowledge/a.md",
  "knowledge/deep/b.md",
  "skills/x/SKILL.md",
  "skills/x/ref/n.md",
  "skills/x/ref/m.md",
  "skills/y/SKILL.md",
  "skills/_drafts/x/SKILL.md",
  "subagents/critic.md",
  "MEMORY.md",
  "memory/2026-11-30.md",
  "notes.md",
];
const places = [
  ...files,
  "knowledge",
  "knowledge/deep",
  "skills",
  "skills/x",
  "skills/x/ref",
  "memory",
];
const names: readonly LayerName[] = ["own", "shared", "template"];

const isOwnOnly = (path: string) => /^(MEMORY|memory|skills\/_)/.test(path);
const unitOfModel = (path: string) => /^skills\/[xy]/.exec(path)?.[0] ?? path;
const isBelow = (path: string, place: string) => path === place || path.startsWith(`${place}/`);

/** Each layer is a map from a unit to all that it holds; an empty unit hides those below. */
class Model {
  readonly layers: Map<string, Map<string, string>>[] = [new Map(), new Map(), new Map()];

  /** The unit as it shows from layer `depth` on. */
  unit(depth: number, unit: string): { files: Map<string, string>; layer: LayerName | null } {
    for (const [at, layer] of this.layers.entries()) {
      const found = at < depth || (isOwnOnly(unit) && at > depth) ? null : layer.get(unit);
      if (found) return { files: found, layer: names[at] ?? null };
    }
    return { files: new Map(), layer: null };
  }

  /** The unit as it would show if layer `depth` had none. */
  below(depth: number, unit: string): Map<string, string> {
    return isOwnOnly(unit) ? new Map() : this.unit(depth + 1, unit).files;
  }

  write(depth: number, path: string, text: string): void {
    const unit = unitOfModel(path);
    this.layers[depth]?.set(unit, new Map(this.unit(depth, unit).files).set(path, text));
  }

  delete(depth: number, place: string): void {
    for (const unit of new Set(files.map(unitOfModel))) {
      const shown = [...this.unit(depth, unit).files];
      const rest = shown.filter(([path]) => !isBelow(path, place));
      if (rest.length === shown.length) continue;
      if (rest.length > 0 || this.below(depth, unit).size > 0)
        this.layers[depth]?.set(unit, new Map(rest));
      else this.layers[depth]?.delete(unit);
    }
  }

  reset(depth: number, place: string): void {
    for (const [unit, held] of this.layers[depth] ?? []) {
      const isMeant = isBelow(unit, place) || isBelow(place, unit);
      if (isMeant && (held.size === 0 || this.below(depth, unit).size > 0))
        this.layers[depth]?.delete(unit);
    }
  }

  upgrade(template: Record<string, string>): void {
    this.layers[2] = new Map();
    for (const [path, text] of Object.entries(template)) {
      const unit = unitOfModel(path);
      const held = this.layers[2].get(unit) ?? new Map<string, string>();
      this.layers[2].set(unit, held.set(path, text));
    }
  }

  lines(depth: number): string[] {
    const all = [...new Set(files.map(unitOfModel))].flatMap((unit) => {
      const { files: shown, layer } = this.unit(depth, unit);
      return [...shown].map(([path, text]) => ({ path, line: `${path} ${layer} ${text}` }));
    });
    return all.toSorted((a, b) => (a.path < b.path ? -1 : 1)).map(({ line }) => line);
  }
}

type Command =
  | { readonly do: "write"; readonly depth: number; readonly path: string; readonly text: string }
  | { readonly do: "delete" | "reset"; readonly depth: number; readonly place: string }
  | { readonly do: "upgrade"; readonly template: Record<string, string> };

const depth = fc.constantFrom(0, 0, 0, 1);
const text = fc.constantFrom("", "a", "b");
const place = fc.constantFrom(...places);
const commands = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("write"),
        depth,
        path: fc.constantFrom(...files),
        text,
      }),
    },
    { weight: 3, arbitrary: fc.record({ do: fc.constant("delete"), depth, place }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant("reset"), depth, place }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("upgrade"),
        template: fc.dictionary(fc.constantFrom(...files), text, { maxKeys: 9 }),
      }),
    },
  ),
  { minLength: 50, maxLength: 60 },
) as fc.Arbitrary<Command[]>;

type Layers = [TextLayer, TextLayer, TextLayer];

/** The user's view is of all layers, an admin's of the shared one and the template. */
const stack = (layers: Layers, from: number): [TextLayer, ...TextLayer[]] =>
  from === 0 ? layers : [layers[1], layers[2]];

function perform(layers: Layers, command: Command): void {
  if (command.do === "upgrade") {
    layers[2] = textLayer("template", command.template);
    return;
  }
  const overlay = createOverlay(stack(layers, command.depth));
  const [top] = stack(layers, command.depth);
  if (command.do === "delete") apply(top, planDelete(overlay, at(command.place)));
  if (command.do === "reset") apply(top, planReset(overlay, at(command.place)));
  if (command.do === "write") {
    apply(top, planWrite(overlay, at(command.path)));
    top.files.set(at(command.path), command.text);
  }
}

function performInModel(model: Model, command: Command): void {
  if (command.do === "upgrade") model.upgrade(command.template);
  else if (command.do === "write") model.write(command.depth, command.path, command.text);
  else model[command.do](command.depth, command.place);
}

describe("the overlay against a model", () => {
  it("[W4] [W6] [W7] 1,000 sequences of 50 and more commands of a user, an admin and an upgrade agree", () => {
    fc.assert(
      fc.property(commands, (sequence) => {
        const model = new Model();
        const layers: Layers = [textLayer("own"), textLayer("shared"), textLayer("template")];
        for (const command of sequence) {
          perform(layers, command);
          performInModel(model, command);
          for (const from of [0, 1])
            expect(lines(...stack(layers, from)).join(", ")).toBe(model.lines(from).join(", "));
        }
      }),
      { numRuns: 1_000 },
    );
  });
});

const crossing = fc
  .array(fc.constantFrom("a", "b", "skills"), { minLength: 1, maxLength: 4 })
  .map((parts) => at(parts.join("/")));

/** A layer that holds no name both as a file and as a directory. */
const crossingLayer = (name: LayerName) =>
  fc.uniqueArray(crossing, { maxLength: 5 }).map((paths) => {
    const layer = textLayer(name);
    for (const path of paths) {
      const isFree = [...layer.files.keys()].every(
        (other) => !isBelow(path, other) && !isBelow(other, path),
      );
      if (isFree) layer.files.set(path, `${name}:${path}`);
    }
    return layer;
  });

const crossingLayers = fc.tuple(
  crossingLayer("own"),
  crossingLayer("shared"),
  crossingLayer("template"),
);

/** Path and text of everything that shows; where a copy comes from does not matter. */
const texts = (layers: Layers) =>
  new Map(createOverlay(layers).entries.map(({ path, file }) => [path, file]));

const copyOf = ([own, ...lower]: Layers): Layers => [
  { ...own, files: new Map(own.files), whiteouts: new Set(own.whiteouts) },
  ...lower,
];

describe("layers where a file and a directory have one name", () => {
  it("[W4] show no path twice, and every directory that is listed leads to a file", () => {
    fc.assert(
      fc.property(crossingLayers, (layers) => {
        const overlay = createOverlay(layers);
        for (const { path } of overlay.entries) {
          expect(overlay.list(path)).toBeNull();
          expect(overlay.under(path)).toHaveLength(1);
        }
        const walk = (directory: string): string[] =>
          (overlay.list(at(directory)) ?? []).flatMap((it) =>
            it.file === null ? walk(it.path) : [it.path],
          );
        expect(walk("").toSorted()).toEqual(overlay.entries.map(({ path }) => path));
      }),
      { numRuns: 500 },
    );
  });

  it("[W6] a delete leaves nothing there and everything else", () => {
    fc.assert(
      fc.property(crossingLayers, crossing, (layers, path) => {
        const before = texts(layers);
        apply(layers[0], planDelete(createOverlay(layers), path));
        const expected = [...before].filter(([other]) => !isBelow(other, path));
        expect(texts(layers)).toEqual(new Map(expected));
      }),
      { numRuns: 1_000 },
    );
  });

  it("[W6] a reset shows the lower file, whatever hid it", () => {
    fc.assert(
      fc.property(crossingLayers, crossing, crossing, (layers, path, other) => {
        apply(layers[0], planDelete(createOverlay(layers), other));
        apply(layers[0], planReset(createOverlay(layers), path));
        const lower = texts([textLayer("own"), layers[1], layers[2]]).get(path);
        if (lower !== undefined) expect(texts(layers).get(path)).toBe(lower);
      }),
      { numRuns: 1_000 },
    );
  });

  it("[W4] a write is refused, or shows and changes nothing else", () => {
    fc.assert(
      fc.property(crossingLayers, crossing, (given, path) => {
        const layers = copyOf(given);
        const overlay = createOverlay(layers);
        const meets = overlay.entries.some(
          (it) => it.path !== path && (isBelow(it.path, path) || isBelow(path, it.path)),
        );
        if (meets) {
          expect(() => planWrite(overlay, path)).toThrow(/file|directory/);
          return;
        }
        apply(layers[0], planWrite(overlay, path));
        layers[0].files.set(path, "new");
        expect(texts(layers)).toEqual(texts(given).set(path, "new"));
      }),
      { numRuns: 1_000 },
    );
  });
});
