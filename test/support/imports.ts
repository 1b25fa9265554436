import { posix } from "node:path";
import { type Source, place, walk } from "./source.ts";

export type Import = {
  /** As written; `null` when it is computed. */
  readonly specifier: string | null;
  /** The imported file's path in the project, or `null` for a package. */
  readonly target: string | null;
  readonly start: number;
};

/** Static imports, re-exports, `import()` and `import('…').Type`, types included. */
export function importsOf(source: Source): Import[] {
  const found: Import[] = [];
  walk(source.program, (node) => {
    switch (node.type) {
      case "ImportDeclaration":
      case "ExportAllDeclaration":
      case "ExportNamedDeclaration":
      case "ImportExpression":
      case "TSImportType":
        if (node.source) found.push(describeImport(source.path, node.source, node.start));
    }
  });
  return found;
}

function describeImport(
  from: string,
  specifier: { readonly type: string; readonly value?: unknown },
  start: number,
) {
  if (specifier.type !== "Literal" || typeof specifier.value !== "string")
    return { specifier: null, target: null, start };
  const local = specifier.value.startsWith(".") || specifier.value.startsWith("/");
  const target = local ? posix.join(posix.dirname(from), specifier.value) : null;
  return { specifier: specifier.value, target, start };
}

/** The layers of the design, top first. A unit is a folder (with the slash) or a single file. */
const rows: readonly (readonly string[])[] = [
  ["src/index.ts"],
  ["src/http/", "durable-objects/"],
  [
    "src/env.ts",
    "src/bindings.ts",
    "src/harness.ts",
    "src/agent.ts",
    "src/define-agent.ts",
    "src/check-definition.ts",
    "src/check-memory.ts",
    "src/check-skills.ts",
    "src/check-subagents.ts",
    "src/choose-model.ts",
    "src/compose-memory.ts",
    "src/compose-skills.ts",
    "src/compose-subagents.ts",
    "src/compose-tools.ts",
    "src/doctor.ts",
    "src/webhook.ts",
    "src/maintenance.ts",
    "src/maintenance/",
  ],
  ["src/memory/", "src/skills/", "src/subagents/", "src/plan/", "src/mcp/"],
  ["src/turn/"],
  ["src/context/", "src/tools/", "src/permissions/"],
  ["src/session/", "src/model/", "src/workspace/", "src/client/"],
  ["src/shared/"],
  [".template/"],
];

type Place = { readonly row: number; readonly unit: string };

/** Where a file stands; rows count from 1. `null` for a file that belongs to no row. */
export function rowOf(path: string): Place | null {
  for (const [index, units] of rows.entries()) {
    const unit = units.find((name) => (name.endsWith("/") ? path.startsWith(name) : path === name));
    if (unit) return { row: index + 1, unit };
  }
  return null;
}

/** In row 3 the composition may be spread over a few files; in every other row a unit imports only itself and what is below. */
const mayImport = (from: Place, to: Place): boolean =>
  to.row > from.row || (to.row === from.row && (from.row === 3 || from.unit === to.unit));

/** Imports that go up or sideways, leave the rows, are computed, or lack the `.ts` ending. */
export function wrongDirection(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const from = rowOf(source.path);
    if (!from) return [`${source.path} belongs to no row of the design`];
    return importsOf(source).flatMap((found) => {
      const problem = judge(from, found);
      return problem ? [`${place(source, found)} ${problem}`] : [];
    });
  });
}

function judge(from: Place, found: Import): string | null {
  if (found.specifier === null) return "imports a computed path";
  if (found.target === null) return null;
  if (!found.target.endsWith(".ts")) return `imports ${found.specifier} without the .ts ending`;
  const to = rowOf(found.target);
  if (!to) return `imports ${found.target}, which belongs to no row of the design`;
  return mayImport(from, to) ? null : `row ${from.row} imports ${found.target} of row ${to.row}`;
}

/** Each import cycle once, as `a -> b -> a`. */
export function importCycles(sources: readonly Source[]): string[] {
  const edges = new Map(
    sources.map((source) => [source.path, importsOf(source).flatMap((i) => i.target ?? [])]),
  );
  const cycles = new Map<string, string>();
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    const at = trail.indexOf(path);
    if (at >= 0) {
      const cycle = trail.slice(at);
      cycles.set([...cycle].sort().join(), [...cycle, path].join(" -> "));
    } else if (!done.has(path)) {
      for (const next of edges.get(path) ?? []) visit(next, [...trail, path]);
      done.add(path);
    }
  };
  for (const path of edges.keys()) visit(path, []);
  return [...cycles.values()];
}

/** Imports of a package by files outside `allowed`. */
export function packageOutside(
  sources: readonly Source[],
  name: string,
  allowed: string,
): string[] {
  return sources
    .filter((source) => !source.path.startsWith(allowed))
    .flatMap((source) =>
      importsOf(source)
        .filter((found) => found.specifier === name || found.specifier?.startsWith(`${name}/`))
        .map((found) => `${place(source, found)} imports ${found.specifier}`),
    );
}

/** zod bound by name instead of as a namespace: that form cannot be tree-shaken and triples its size. */
export function namedZod(sources: readonly Source[]): string[] {
  return sources.flatMap((source) =>
    source.program.body.flatMap((node) =>
      node.type === "ImportDeclaration" &&
      node.source.value === "zod" &&
      node.specifiers.some((specifier) => specifier.type !== "ImportNamespaceSpecifier") &&
      node.importKind !== "type"
        ? [`${place(source, node)} binds zod by name`]
        : [],
    ),
  );
}
