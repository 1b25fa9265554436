import { exports } from "cloudflare:workers";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { Doctor } from "../../src/doctor.ts";
import { ZipWriter } from "../../src/http/zip-writer.ts";
import { concat, namesOf, treeOf } from "./files-page.ts";

const agent = "http://localhost/v1/agents/main";

type Options = {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: BodyInit;
};

/** A request of a user; without API keys, everybody on this machine is an admin. */
const ask = (user: string, path: string, { headers = {}, ...options }: Options = {}) =>
  exports.default.fetch(`${agent}${path}`, {
    ...options,
    headers: { ...headers, "x-carrel-user": user },
  });

const put = (user: string, path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  ask(user, `/files/${path}`, { method: "PUT", body, headers });

const bytesAt = async (user: string, path: string) =>
  new Uint8Array(await (await ask(user, `/files/${path}`)).arrayBuffer());

const importTo = (user: string, body: Uint8Array<ArrayBuffer>) =>
  ask(user, "/archive", { method: "POST", body, headers: { "content-type": "application/zip" } });

const problem = async (response: Response) =>
  ((await response.json()) as { error: { code: string; message: string } }).error;

const utf8 = (text: string) => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

const contents: readonly (readonly [string, Uint8Array<ArrayBuffer>])[] = [
  ["text", utf8("hello\n")],
  ["CRLF and a byte order mark", utf8("\ufeffa\r\nb\r\n")],
  ["nothing", new Uint8Array()],
  ["NUL", utf8("a\0b")],
  ["no UTF-8", Uint8Array.of(0xff, 0xfe, 0x00, 0x41)],
  ["a text of more than 1 MiB", utf8("0123456789abcde\n".repeat(70_000))],
];

describe("a file over HTTP", () => {
  it.each(contents)("[W5] that holds %s comes back byte for byte", async (name, bytes) => {
    const path = `kept/${name.replaceAll(/\W/g, "-")}.md`;
    const stored = await put("w5", path, bytes, { "if-none-match": "*" });
    expect(stored.status).toBe(201);
    expect(await bytesAt("w5", path)).toEqual(bytes);
    const head = await ask("w5", `/files/${path}`, { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe(String(bytes.length));
    expect(head.headers.get("etag")).toBe(stored.headers.get("etag"));
    const etag = stored.headers.get("etag") ?? "";
    const same = await ask("w5", `/files/${path}`, { headers: { "if-none-match": etag } });
    expect([same.status, await same.text()]).toEqual([304, ""]);
  });

  it("[W3] shows in the tree and under its name at once", async () => {
    await put("w3", "notes/a%20b%25.md", "x");
    expect(namesOf(await treeOf(await ask("w3", "/files?path=notes")))).toEqual(["notes/a b%.md"]);
    expect(await bytesAt("w3", "notes/a%20b%25.md")).toEqual(utf8("x"));
  });

  it("[W9] is written by one of many who saw that it was not there", async () => {
    const all = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        put("w9", "once.md", `writer ${index}`, { "if-none-match": "*" }),
      ),
    );
    const statuses = all.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([201, ...Array<number>(15).fill(409)]);
    const conflict = all.find(({ status }) => status === 409);
    expect((conflict && (await problem(conflict)))?.message).toContain('"once.md" exists already');
  });

  it("with an idempotency key is written once", async () => {
    const key = { "idempotency-key": "k1" };
    const first = await (await put("idem", "a.md", "1", key)).json();
    await put("idem", "a.md", "2");
    expect(await (await put("idem", "a.md", "1", key)).json()).toEqual(first);
    expect(await bytesAt("idem", "a.md")).toEqual(utf8("2"));
  });

  it("[W6] of the template is overridden, deleted and brought back", async () => {
    const template = await bytesAt("w6", "AGENTS.md");
    expect(template.length).toBeGreaterThan(0);
    await put("w6", "AGENTS.md", "");
    expect(await bytesAt("w6", "AGENTS.md")).toEqual(new Uint8Array());
    await ask("w6", "/files/AGENTS.md", { method: "DELETE" });
    expect((await ask("w6", "/files/AGENTS.md")).status).toBe(404);
    await ask("w6", "/files/AGENTS.md?reset", { method: "DELETE" });
    expect(await bytesAt("w6", "AGENTS.md")).toEqual(template);
  });

  it("[W15] has a history and is undone", async () => {
    for (const text of ["one", "two"]) await put("w15", "AGENTS.md", text);
    const answer = await (await ask("w15", "/files/AGENTS.md?history")).json();
    const { versions } = answer as { versions: { version: number; by: string }[] };
    expect(versions.map(({ by }) => by)).toContain("user:w15");
    await ask("w15", "/files/AGENTS.md?undo", { method: "PUT" });
    expect(await bytesAt("w15", "AGENTS.md")).toEqual(utf8("one"));
  });

  it("[I1] is its user's alone, and one of all agents' users in the shared layer", async () => {
    await put("i1-ann", "secret.md", "of Ann");
    expect((await ask("i1-bob", "/files/secret.md")).status).toBe(404);
    await put("i1-ann", "knowledge/i1.md?layer=shared", "for all");
    const seen = await ask("i1-new", "/files/knowledge/i1.md");
    expect([seen.headers.get("x-carrel-layer"), await seen.text()]).toEqual(["shared", "for all"]);
    await ask("i1-ann", "/files/knowledge/i1.md?layer=shared", { method: "DELETE" });
  });

  it.each(["..%2fx", "%00", "a%5Cb", "%ED%A0%80", "%", "%C0%AE", "a%0Ab", "x".repeat(600)])(
    "[H1] at %s is refused on every route",
    async (path) => {
      for (const method of ["GET", "PUT", "DELETE"]) {
        const body = method === "PUT" ? { body: "x" } : {};
        const response = await ask("h1", `/files/${path}`, { method, ...body });
        expect([400, 404]).toContain(response.status);
        expect((await problem(response)).code).toMatch(/^(invalid|not_found)$/);
      }
      expect(namesOf(await treeOf(await ask("h1", "/files?layer=own")))).toEqual([]);
    },
  );

  it("[W16] past 25 MiB is refused, and one of 25 MiB is not", async () => {
    const full = new Uint8Array(25 * 2 ** 20).fill(7);
    expect((await put("w16", "full.bin", full)).status).toBe(201);
    expect((await bytesAt("w16", "full.bin")).length).toBe(full.length);
    const more = await put("w16", "more.bin", new Uint8Array(full.length + 1));
    expect([more.status, (await problem(more)).code]).toEqual([413, "too_large"]);
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        sent += 2 ** 20;
        controller.enqueue(new Uint8Array(2 ** 20));
      },
    });
    expect((await put("w16", "more.bin", endless)).status).toBe(413);
    expect(sent).toBeLessThan(40 * 2 ** 20);
    expect(namesOf(await treeOf(await ask("w16", "/files?layer=own")))).toEqual(["full.bin"]);
  });
});

describe("an archive over HTTP", () => {
  it("[W5] [W17] takes in a log of 9 MiB, which comes back as a stream and in an archive", async () => {
    const lines = Array.from(
      { length: 200_000 },
      (_, no) => `{"no":${no},"said":"é漢😀 and a few words"}\n`,
    );
    const log = utf8(lines.join(""));
    expect(log.length).toBeGreaterThan(9_000_000);
    const writer = new ZipWriter();
    const entry = { path: "x.log.jsonl", bytes: log, executable: false, at: null, compress: true };
    const zip = concat([...writer.add(entry), ...writer.end(new Uint8Array())]);
    expect((await importTo("w5-log", zip)).status).toBe(200);
    const response = await ask("w5-log", "/files/x.log.jsonl");
    expect(response.headers.get("content-length")).toBe(null);
    const same = (bytes: Uint8Array) => Buffer.from(bytes).equals(log);
    expect(same(new Uint8Array(await response.arrayBuffer()))).toBe(true);
    const archive = new Uint8Array(await (await ask("w5-log", "/archive")).arrayBuffer());
    expect(same(unzipSync(archive)["x.log.jsonl"] ?? new Uint8Array())).toBe(true);
    expect((await importTo("w5-log-2", archive as Uint8Array<ArrayBuffer>)).status).toBe(200);
    expect(same(await bytesAt("w5-log-2", "x.log.jsonl"))).toBe(true);
  });

  it("[W17] of one user's files makes another's the same, byte for byte", async () => {
    for (const [name, bytes] of contents) {
      const executable = { "x-carrel-executable": String(name === "text") };
      await put("w17-a", `files/${encodeURIComponent(name)}`, bytes, executable);
    }
    await ask("w17-a", "/files/AGENTS.md", { method: "DELETE" });
    const zip = new Uint8Array(await (await ask("w17-a", "/archive")).arrayBuffer());
    expect(Object.keys(unzipSync(zip)).length).toBe(contents.length);
    const answer = await importTo("w17-b", zip);
    expect(await answer.json()).toEqual({ files: contents.length, whiteouts: 1 });
    for (const [name, bytes] of contents) {
      const response = await ask("w17-b", `/files/files/${encodeURIComponent(name)}`);
      expect(response.headers.get("x-carrel-executable")).toBe(String(name === "text"));
      expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    }
    expect((await ask("w17-b", "/files/AGENTS.md")).status).toBe(404);
    const again = new Uint8Array(await (await ask("w17-b", "/archive")).arrayBuffer());
    expect(unzipSync(again)).toEqual(unzipSync(zip));
  });

  it("[W17] with one bad entry stores nothing of the others", async () => {
    const writer = new ZipWriter();
    const file = { bytes: utf8("x"), executable: false, at: null, compress: true };
    const parts = [
      ...writer.add({ ...file, path: "good.md" }),
      ...writer.add({ ...file, path: "../x" }),
    ];
    const response = await importTo("w17-c", concat([...parts, ...writer.end(new Uint8Array())]));
    expect([response.status, (await problem(response)).code]).toEqual([400, "invalid"]);
    expect(namesOf(await treeOf(await ask("w17-c", "/files?layer=own")))).toEqual([]);
  });
});

describe("what an operator sees", () => {
  it("[C9] is what the prompt holds and costs", async () => {
    const report = await (await ask("c9", "/doctor")).json();
    expect(report).toMatchObject({ scope: "USER", store: "r2", usage: { files: 0 } });
    expect((report as { prompt: { tokens: number } }).prompt.tokens).toBeGreaterThan(0);
  });

  it("[C9] is what the agent is called, what its tools cost, and what its user's records take", async () => {
    const report: Doctor = await (await ask("c9", "/doctor")).json();
    expect(report.agent).toEqual({ id: "main", name: "main", description: null });
    const costs = report.tools.offered.map(({ tokens }) => tokens);
    expect(report.tools.offered.map(({ name }) => name)).toContain("read_file");
    expect(Math.min(...costs)).toBeGreaterThan(20);
    expect(report.tools.tokens).toBe(costs.reduce((sum, tokens) => sum + tokens, 0));
    expect([report.records, report.perTurn]).toEqual([null, []]);
    const shared: Doctor = await (await ask("c9", "/../by-agent/doctor")).json();
    expect(shared.records).toEqual({
      files: 0,
      whiteouts: 0,
      bytes: 0,
      logs: 0,
      logBytes: 0,
      unsettled: 0,
    });
  });
});
