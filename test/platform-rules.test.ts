import { describe } from "vitest";
import { mutableModuleState } from "./support/module-state.ts";
import { looseStorage, readsEnv, unguardedFetch, ungatedStreams } from "./support/platform.ts";
import { rule } from "./support/rule.ts";
import { readSources } from "./support/source.ts";

const product = readSources("src", "durable-objects");

describe("state and platform", () => {
  describe("[I5] nothing mutable lives at module level", () => {
    rule(
      product,
      mutableModuleState,
      [
        `let a = 1;`,
        `export var a = 1;`,
        `const a = new Map<string, string>();`,
        `export const a = new WeakMap();`,
        `const a = Object.freeze(new Set([1]));`,
        `const a: string[] = [];`,
        `const a = {};`,
        `const a = { count: 0, add() {} };`,
        `const a = Object.create(null);`,
        `type A = { b: number }; const a: A = { b: 1 };`,
        `class A { static seen = 1; }`,
        `class A { static readonly seen = new Set(); }`,
      ],
      [
        `const a = 1; const b = /x/g; const c = new TextEncoder(); const d = new Intl.NumberFormat('en');`,
        `const a = [1] as const; const b = { c: 1 } as const satisfies C; const d = Object.freeze([1]);`,
        `const a: readonly string[] = []; const b: ReadonlyMap<string, 1> = new Map(); const c: Readonly<C> = {};`,
        `const a = { run() {}, go: () => 1 }; class A { static readonly limit = 3; }`,
        `function f() { let a = 1; const b = new Map(); }`,
        [
          `src/turn/a.ts: import type { B } from './b.ts'; const b: B = { c: 1 };`,
          `src/turn/b.ts: export type B = { readonly c: number };`,
        ],
      ],
    );
  });

  describe("env is read in rows 1 to 3 only", () => {
    rule(
      product,
      readsEnv,
      [
        `process.env;`,
        `function f({ env }: Context) {}`,
        `const f = (env: Env) => 1;`,
        `import { env } from 'x';`,
      ],
      [
        `const schema = { env: 1 }; type Server = { readonly env: string };`,
        `src/http/a.ts: const key = context.env.KEY;`,
        `durable-objects/a.ts: const key = this.env.KEY;`,
      ],
    );
  });

  describe("only the guarded fetch reaches the network", () => {
    rule(
      product,
      unguardedFetch,
      [
        `await fetch('https://a');`,
        `send({ fetch });`,
        `const get = fetch;`,
        `globalThis.fetch(url);`,
        `self['fetch'](url);`,
        `stub.fetch(request);`,
        `durable-objects/a.ts: this.env.ASSETS.fetch(request);`,
      ],
      [
        `src/shared/guarded-fetch.ts: await fetch(url);`,
        `src/http/a.ts: stub.fetch(request);`,
        `src/index.ts: export default { fetch: (request) => app.fetch(request) };`,
        `function f(fetch: typeof globalThis.fetch) { return fetch(url); }`,
        `type A = typeof fetch; const a = { fetch: guardedFetch }; a.fetch;`,
      ],
    );
  });

  describe("event streams wait for the output gate", () => {
    rule(
      product,
      ungatedStreams,
      [
        `durable-objects/a.ts: new ReadableStream({});`,
        `src/turn/a.ts: const { readable } = new TransformStream();`,
        `src/session/a.ts: ReadableStream.from(events);`,
      ],
      [
        `durable-objects/a.ts: new IdentityTransformStream();`,
        `src/turn/a.ts: type A = ReadableStream<Uint8Array>; function f(a: ReadableStream): void {}`,
        `src/http/a.ts: new TransformStream();`,
      ],
    );
  });

  describe("storage is synchronous and confirmed", () => {
    rule(
      product,
      looseStorage,
      [
        `await storage.transaction(async () => {});`,
        `this.ctx.storage.transaction(work);`,
        `put(key, value, { allowUnconfirmed: true });`,
        `o['allowUnconfirmed'];`,
      ],
      [`storage.transactionSync(() => {});`, `sql.transaction(() => {});`],
    );
  });
});
