import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { skillRoutes } from "../../src/http/skills.ts";
import { expectRefusal } from "../worker/refusal.ts";
import { document, SkillsDesk, zipOf } from "./skills-desk.ts";

const H = "0".repeat(64);

/** Every route of skills: a request that is sound, and bodies that look like one of it and are none. */
const routes: readonly {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly body?: unknown;
  readonly wrong?: readonly string[];
}[] = [
  { method: "GET", path: "" },
  { method: "GET", path: "/audit" },
  { method: "GET", path: "/curator" },
  { method: "POST", path: "/curator" },
  { method: "POST", path: "/repositories/sync" },
  { method: "GET", path: "/drafts" },
  { method: "POST", path: "/drafts" },
  { method: "GET", path: "/drafts/:name" },
  {
    method: "POST",
    path: "/:name/promote",
    body: { hash: H },
    wrong: [
      "{}",
      '{"hash":7}',
      `{"hash":"${"F".repeat(64)}"}`,
      `{"hash":"${H}0"}`,
      `{"hash":["${H}"]}`,
      ...['"prod"', '[""]', "[7]", '["a b"]', '["../x"]', "null"].map(
        (list) => `{"hash":"${H}","environments":${list}}`,
      ),
      `{"hash":"${H}","environments":[${Array(21).fill('"x"').join()}]}`,
      `{"hash":"${H}","trust":"builtin"}`,
    ],
  },
  {
    method: "POST",
    path: "/:name/reject",
    body: { hash: H },
    wrong: [
      "{}",
      `{"hash":"${H}","reason":7}`,
      `{"hash":"${H}","reason":"${"x".repeat(1_001)}"}`,
      `{"hash":"${H}","by":"user:root"}`,
    ],
  },
  {
    method: "POST",
    path: "/:name/defer",
    body: { hash: H },
    wrong: [
      ...["0", "-1", "366", "1.5", "null", '"7"', "1e400"].map(
        (days) => `{"hash":"${H}","days":${days}}`,
      ),
      `{"hash":"${H}","until":1}`,
    ],
  },
  { method: "POST", path: "/:name/pin" },
  { method: "POST", path: "/:name/unpin" },
  { method: "POST", path: "/:name/archive" },
  {
    method: "POST",
    path: "/:name/restore",
    body: {},
    wrong: ['{"archived":""}', '{"archived":7}', `{"archived":"${"x".repeat(513)}"}`, '{"to":"x"}'],
  },
];

const noBodies: readonly BodyInit[] = [
  "",
  " \n",
  "{",
  "null",
  "7",
  '"x"',
  "[]",
  "true",
  '{"\\udc00":1}',
  '{"constructor":{}}',
  '{"__proto__":{"hash":"x"}}',
  `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`,
  new Uint8Array([0x7b, 0xff, 0x7d]),
  JSON.stringify({ x: "x".repeat(1_500_000) }),
];

/** Names that no skill has, as they come in an address. */
const names: readonly string[] = [
  "none",
  "..",
  "..%2F..%2Fbob",
  "%00",
  "a%0Ab",
  "%FF",
  "%",
  "%ED%A0%80",
  "__proto__",
  "constructor",
  "toString",
  "_drafts",
  ".archive",
  "minutes_template",
  "skills%2Fminutes",
  "x".repeat(129),
  "%E2%80%AE",
  encodeURIComponent("<script>alert(1)</script>"),
];

const json = { "content-type": "application/json" };

let desk: SkillsDesk;
let before: Readonly<Record<string, unknown>>;

beforeEach(async () => {
  desk = new SkillsDesk();
  await desk.drafted("ann", "deploy");
  before = await desk.lab.stored();
});

const send = (path: string, init: RequestInit = {}, user: string | null = "ann") =>
  desk.respond(user, `main/skills${path}`, init);

const expectNothingStored = async () => expect(await desk.lab.stored()).toEqual(before);

describe("the routes of skills", () => {
  it("[H1] are all here", () => {
    const served = skillRoutes().routes.map(
      ({ method, path }) => `${method} ${path === "/" ? "" : path}`,
    );
    const listed = routes.map(({ method, path }) => `${method} ${path}`);
    expect(new Set(served)).toEqual(new Set(listed));
  });

  it.each(routes)(
    "[H2] $method $path is for who has a key, and another's only for an admin",
    async ({ method, path, body }) => {
      const at = path.replace(":name", "deploy");
      const init: RequestInit = {
        method,
        ...(body === undefined ? {} : { headers: json, body: JSON.stringify(body) }),
      };
      await expectRefusal(await send(at, init, null), /^unauthorized$/);
      for (const query of ["?user=ann", "?layer=shared"])
        await expectRefusal(await send(`${at}${query}`, init, "bob"), /^forbidden$/);
      await expectRefusal(await send(`${at}?user=`, init, "root"));
      await expectRefusal(await send(`${at}?layer=template`, init, "root"));
      await expectNothingStored();
    },
  );

  it.each(routes)("[H1] $method $path knows its parameters", async ({ method, path }) => {
    const at = path.replace(":name", "deploy");
    for (const query of ["?x=1", "?layer=own&layer=own", "?layer=", "?layer=all", "?dryrun"])
      await expectRefusal(await send(`${at}${query}`, { method }));
    await expectNothingStored();
  });
});

describe("a name", () => {
  const named = routes.filter(({ path }) => path.includes(":name"));
  it.each(names)("[H1] %s is refused wherever it is sent, and nothing is stored", async (name) => {
    for (const { method, path, body } of named) {
      const init = body === undefined ? {} : { headers: json, body: JSON.stringify(body) };
      const response = await send(path.replace(":name", name), { method, ...init });
      await expectRefusal(response, /^(invalid|not_found|conflict|unsupported_media_type)$/);
    }
    await expectNothingStored();
  });
});

describe("a body", () => {
  const taking = routes.filter(({ method, path }) => method === "POST" && path !== "/drafts");
  it.each(taking)(
    "[H1] that is none of POST $path is refused in words that help",
    async ({ path, body, wrong = [] }) => {
      const at = path.replace(":name", "deploy");
      const user = path === "/repositories/sync" ? "root" : "ann";
      const bodies = [...noBodies, ...wrong, '{"more":1}'];
      for (const sent of bodies)
        await expectRefusal(await send(at, { method: "POST", headers: json, body: sent }, user));
      for (const type of ["text/plain", "application/x-www-form-urlencoded"]) {
        const init = { method: "POST", headers: { "content-type": type } };
        const response = await send(at, { ...init, body: JSON.stringify(body ?? {}) }, user);
        await expectRefusal(response, /^unsupported_media_type$/);
      }
      await expectNothingStored();
    },
  );

  it("[H1] that is no archive of a skill is refused, and so is a name that it cannot have", async () => {
    const good = zipOf({ "SKILL.md": document("notes") });
    const upload = (
      query: string,
      body: BodyInit,
      headers = { "content-type": "application/zip" },
    ) => send(`/drafts${query}`, { method: "POST", headers, body });
    for (const body of ["", "x", "PK", good.slice(0, -4), good.slice(9), new Uint8Array(70_000)])
      await expectRefusal(await upload("", body));
    await expectRefusal(await upload("", new Uint8Array(12_000_001)), /^too_large$/);
    for (const name of [
      "",
      "..",
      "a/b",
      "A B",
      "_drafts",
      ".x",
      "x".repeat(65),
      "__proto__",
      "%00",
    ])
      await expectRefusal(await upload(`?name=${name}`, good));
    await expectRefusal(await upload("?over=yes", good));
    await expectNothingStored();
  });

  it("[H1] that is a damaged archive is never a fault of the server", async () => {
    const good = zipOf({
      "notes/SKILL.md": document("notes"),
      "notes/scripts/run.sh": "#!/bin/sh\necho ok\n",
    });
    const flips = fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), {
      minLength: 1,
      maxLength: 6,
    });
    let no = 0;
    await fc.assert(
      fc.asyncProperty(flips, fc.nat(good.length), async (changes, cut) => {
        const bytes = good.slice(0, no++ % 2 === 0 ? good.length : cut);
        for (const [at, value] of changes) if (at < bytes.length) bytes[at] = value;
        const headers = { "content-type": "application/octet-stream" };
        const response = await send("/drafts?over", { method: "POST", headers, body: bytes });
        if (!response.ok) await expectRefusal(response, /^(invalid|too_large|conflict)$/);
      }),
      { numRuns: 400 },
    );
  });
});

describe("whatever comes", () => {
  it("[H1] is answered with what is no fault of the server, and what is refused stores nothing", async () => {
    const part = fc.oneof(
      fc.constantFrom(...names, "deploy", "minutes", "drafts", "curator", "audit"),
      fc.string({ maxLength: 20 }).map(encodeURIComponent),
    );
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom(H, 7, "x", ["prod"], true),
    );
    const body = fc.oneof(
      fc.dictionary(
        fc.constantFrom("hash", "reason", "days", "environments", "archived", "__proto__", "x"),
        value,
        { maxKeys: 4 },
      ),
      value,
    );
    const query = fc.dictionary(
      fc.constantFrom("from", "to", "limit", "op", "dry", "name", "over", "session", "layer"),
      fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("1", "own", "2026-01-01", "", "true")),
      { maxKeys: 2 },
    );
    const key = fc.option(fc.stringMatching(/^[\x21-\x7e]{0,140}$/), { nil: undefined });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...routes),
        part,
        body,
        query,
        key,
        async ({ method, path }, name, sent, asked, idempotency) => {
          const headers: Record<string, string> = { ...json };
          if (idempotency !== undefined) headers["idempotency-key"] = idempotency;
          const search = new URLSearchParams(asked).toString();
          const known = await desk.lab.stored();
          const init = {
            method,
            headers,
            ...(method === "POST" && { body: JSON.stringify(sent) }),
          };
          const response = await send(`${path.replace(":name", name)}?${search}`, init);
          if (response.ok) return;
          expect([await response.text(), response.status]).toEqual([
            expect.anything(),
            expect.toSatisfy((status: number) => status >= 400 && status < 500),
          ]);
          expect(await desk.lab.stored()).toEqual(known);
        },
      ),
      { numRuns: 1_500 },
    );
  });
});
