import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importCycles, namedZod, packageOutside, wrongDirection } from "./support/imports.ts";
import {
  longFiles,
  longFunctions,
  silencedChecks,
  uncheckedTypes,
  undocumented,
  unfairTests,
  unfinished,
} from "./support/shape.ts";
import { rule } from "./support/rule.ts";
import { filesIn, readSources, readText, root } from "./support/source.ts";

const product = readSources("src", "durable-objects");
const tests = readSources("test");
const everything = [...product, ...tests, ...readSources("scripts", "bench")];

const repeat = (lines: number, line = ";\n") => line.repeat(lines);

describe("imports", () => {
  describe("go down the rows of the design, or stay in their folder", () => {
    rule(
      product,
      wrongDirection,
      [
        `src/shared/a.ts: import { b } from '../model/b.ts';`,
        `src/turn/a.ts: import type { Env } from '../http/env.ts';`,
        `src/turn/a.ts: type A = import('../harness.ts').Harness;`,
        `src/turn/a.ts: export * from '../memory/b.ts';`,
        `src/turn/a.ts: const b = await import('../skills/b.ts');`,
        `src/turn/a.ts: const b = await import(name);`,
        `src/session/a.ts: import '../model/b.ts';`,
        `src/context/a.ts: export { b } from '../tools/b.ts';`,
        `src/memory/a.ts: import { b } from '../plan/b.ts';`,
        `src/http/a.ts: import type { S } from '../../durable-objects/session.ts';`,
        `durable-objects/a.ts: import { b } from '../src/http/b.ts';`,
        `src/agent.ts: import worker from './index.ts';`,
        `src/turn/a.ts: import { b } from './b';`,
        `src/turn/a.ts: import { b } from '../../test/b.ts';`,
        `src/extras/a.ts: export const a = 1;`,
      ],
      [
        `src/index.ts: import { S } from '../durable-objects/session.ts'; import { app } from './http/app.ts';`,
        `durable-objects/a.ts: import { b } from './b.ts'; import { DurableObject } from 'cloudflare:workers';`,
        `src/agent.ts: import { defineAgent } from './define-agent.ts'; import { x } from './maintenance/x.ts';`,
        `src/turn/a.ts: import { b } from './b.ts'; import type { T } from '../tools/tool.ts';`,
        `src/workspace/a.ts: import { template } from '../../.template/template.ts'; // import '../http/a.ts'`,
      ],
    );
  });

  describe("make no cycle, types included", () => {
    rule(
      everything,
      importCycles,
      [
        [
          `src/a/a.ts: import './b.ts';`,
          `src/a/b.ts: import type { C } from '../c.ts';`,
          `src/c.ts: export * from './a/a.ts';`,
        ],
        `src/a.ts: import type { B } from './a.ts';`,
      ],
      [
        [
          `src/a.ts: import './b.ts'; import './c.ts';`,
          `src/b.ts: import './c.ts';`,
          `src/c.ts: ;`,
        ],
      ],
    );
  });

  describe("of cloudflare:workers stay in durable-objects/", () => {
    rule(
      product,
      (sources) => packageOutside(sources, "cloudflare:workers", "durable-objects/"),
      [`src/index.ts: import { env } from 'cloudflare:workers';`],
      [`durable-objects/a.ts: import { DurableObject } from 'cloudflare:workers';`],
    );
  });

  describe("bind zod as a namespace", () => {
    rule(
      everything,
      namedZod,
      [`import { z } from 'zod';`, `import z from 'zod';`],
      [`import * as z from 'zod';`, `import type { ZodType } from 'zod';`],
    );
  });
});

describe("shape", () => {
  it("files have at most 300 lines", () => {
    const folders = ["src", "durable-objects", "test", "scripts", "bench", "public"];
    const files = filesIn(folders, [".ts", ".js", ".mjs", ".css", ".html"]);
    expect(
      longFiles(
        files.map((path) => ({ path, text: readText(path) })),
        300,
      ),
    ).toEqual([]);
    expect(
      longFiles(
        [
          { path: "a.ts", text: repeat(300) },
          { path: "b.ts", text: repeat(301) },
        ],
        300,
      ),
    ).toHaveLength(1);
  });

  it("Durable Objects have at most 200 lines", () => {
    const objects = product.filter(({ path }) => path.startsWith("durable-objects/"));
    expect(longFiles(objects, 200)).toEqual([]);
  });

  describe("functions have at most 60 lines", () => {
    rule(
      product,
      (sources) => longFunctions(sources, 60),
      [
        `function f() {\n${repeat(59)}}`,
        `const f = () => {\n${repeat(59, "// }\n")}}`,
        `class A { m() {\n${repeat(59, '"}";\n')}} }`,
        `function f() {\n  return class {\n m() {\n${repeat(59)}}\n}\n}`,
        `const a = { get m() {\n${repeat(59, "`}${1}`;\n")}} };`,
      ],
      [
        `function f() {\n${repeat(58)}}\n${repeat(60)}`,
        `function f() {\n  return class {\n m() {\n${repeat(40)}}\n n() {\n${repeat(40)}}\n}\n}`,
        `const f = (x: number) =>\n${repeat(60, "// y\n")} x;`,
      ],
    );
  });

  describe("types are checked: no any, no !", () => {
    rule(
      everything,
      uncheckedTypes,
      [
        `let a: Array<any>;`,
        `f(a as any);`,
        `a.b!.c;`,
        `let a!: string;`,
        `class A { b!: string }`,
      ],
      [`const any = "any"; a !== b; !a; // any`, `f<unknown>(!!a);`],
    );
  });

  describe("no check is switched off", () => {
    rule(
      everything,
      silencedChecks,
      [
        `// @ts-ignore\na;`,
        `/* @ts-expect-error: b */ a;`,
        `// @ts-nocheck\na;`,
        `// oxlint-disable-next-line no-console\na;`,
        `/* eslint-disable */ a;`,
      ],
      [`const a = '// @ts-ignore';`, `// is ignored by ts\na;`],
    );
  });

  describe("src announces no unfinished work", () => {
    rule(
      product,
      unfinished,
      [`// TODO: a`, `throw new Error('FIXME');`, `/* XXX */`],
      [`const todo = 'todo_write'; const TODOS = 1;`],
    );
  });

  describe("exported functions, classes and interfaces have a docstring", () => {
    rule(
      product,
      undocumented,
      [
        `export function f() {\n  a();\n  return b();\n}`,
        `export function f() {\n  return [\n${repeat(6, "1,\n")}];\n}`,
        `// a\nexport class A {}\n/** b */\nexport class B {}`,
        `/** a */\n\nexport interface A {}`,
        `/* a */\nexport const f = () => {\n  a();\n  return b();\n};`,
        `export default async function () {\n  await a();\n  return b();\n}`,
        `export function f(a: 1): 1;\n/** a */\nexport function f(a: unknown): unknown {\n  return a;\n}`,
      ],
      [
        `/** a */\nexport function f() {\n  a();\n  b();\n}\nfunction g() {\n  a();\n  b();\n}`,
        `export const f = (a: number) =>\n  a;\nexport function g() {\n  return 1;\n}`,
        `/** a */\nexport function f(a: 1): 1;\nexport function f(a: unknown): unknown {\n  b();\n  return a;\n}`,
        `export const limits = {\n a: 1,\n b: 2,\n} as const;`,
      ],
    );
  });

  describe("every test runs, beside the others and once", () => {
    rule(
      tests,
      unfairTests,
      [
        `it.skip('a', () => {});`,
        `describe.only('a', () => {});`,
        `test.each([1]).only('a', () => {});`,
        `it.todo('a');`,
        `it('a', { retry: 2 }, () => {});`,
        `test/vitest.config.ts: export default { test: { retry: 1 } };`,
      ],
      [`it('a .only', () => { list.skip(1); call({ retry: 2 }); });`],
    );
  });
});

describe("the tree", () => {
  const known =
    `src durable-objects seed-workspace test scripts docs bench public .ci README.md LICENSE package.json
    package-lock.json tsconfig.json wrangler.toml .oxlintrc.json .gitignore .git`.split(/\s+/);
  const strangers = (names: readonly string[]) => {
    const built = readText(".gitignore")
      .split("\n")
      .map((line) => line.replace(/\/$/, ""));
    return names.filter(
      (name) => !known.includes(name) && !built.includes(name) && !name.endsWith(".log"),
    );
  };

  it("has only the known files and folders at its top", () => {
    expect(strangers(readdirSync(root))).toEqual([]);
    expect(strangers(["src", "node_modules", "npm-debug.log", "utils", "notes.md"])).toEqual([
      "utils",
      "notes.md",
    ]);
  });
});
