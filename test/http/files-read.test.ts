import { beforeEach, describe, expect, it } from "vitest";
import { contentTypeOf } from "../../src/http/files-answer.ts";
import { Desk, problemOf } from "./files-fixture.ts";

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
});

const files = "/agents/main/files";
const get = (path: string, headers: Record<string, string> = {}) =>
  desk.ask("ann", `${files}${path}`, { headers });
const head = (path: string) => desk.ask("ann", `${files}${path}`, { method: "HEAD" });

describe("a tree", () => {
  it("[W2] lists a level or everything, with all that is known of each file", async () => {
    await desk.put("ann", `${files}/notes/x.md`, "hi");
    const level = await (await get("")).json();
    expect(level).toMatchObject({ total: 3, cut: false });
    expect(level).toMatchObject({
      entries: [
        {
          path: "AGENTS.md",
          layer: "template",
          file: { etag: desk.lab.templateEtag, at: null, by: null },
        },
        { path: "knowledge", layer: "template", file: null },
        { path: "notes", layer: "own", file: null },
      ],
    });
    const below = await (await get("?path=notes&recursive=true")).json();
    const file = { type: "text", size: 2, etag: "1", by: "user:ann", executable: false };
    expect(below).toMatchObject({ entries: [{ path: "notes/x.md", layer: "own", file }] });
  });

  it("comes in pages", async () => {
    const first = await (await get("?recursive=true&limit=2")).json();
    expect(first).toMatchObject({ total: 3, cut: true, entries: [{}, { path: "knowledge/a.md" }] });
    const next = await (await get("?recursive&limit=2&after=knowledge%2Fa.md")).json();
    expect(next).toMatchObject({ cut: false, entries: [{ path: "knowledge/b.md" }] });
  });

  it("[W4] of one layer shows what that layer itself holds", async () => {
    await desk.put("ann", `${files}/AGENTS.md`, "mine");
    const own = (await (await get("?layer=own")).json()) as { entries: unknown[] };
    expect(own.entries).toHaveLength(1);
    const template = (await (await get("?layer=template")).json()) as { entries: unknown[] };
    expect(template.entries).toHaveLength(2);
  });
});

describe("a file", () => {
  it("[W5] comes as its bytes, with what is known of it in the headers", async () => {
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x61, 0x0d, 0x0a);
    await desk.lab.clock.pass(1_700_000_000_000);
    await desk.put("ann", `${files}/notes/x.md`, bytes, { "x-carrel-executable": "true" });
    const response = await get("/notes/x.md");
    expect(response.status).toBe(200);
    expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "cache-control": "private, no-store",
      "content-length": "6",
      "content-security-policy": "sandbox; default-src 'none'",
      "content-type": "text/markdown; charset=utf-8",
      etag: '"1"',
      "last-modified": "Tue, 14 Nov 2023 22:13:20 GMT",
      "x-carrel-by": "user:ann",
      "x-carrel-executable": "true",
      "x-carrel-layer": "own",
      "x-content-type-options": "nosniff",
    });
  });

  it("answers HEAD with the same headers and no body", async () => {
    const [whole, short] = [await get("/AGENTS.md"), await head("/AGENTS.md")];
    expect(short.status).toBe(200);
    expect(await short.text()).toBe("");
    expect([...short.headers]).toEqual([...whole.headers]);
    expect((await head("/nothing")).status).toBe(404);
  });

  it.each([
    ['"ETAG"', 304],
    ['W/"ETAG"', 304],
    ['"1", "ETAG"', 304],
    ["*", 304],
    ['"1"', 200],
    ["ETAG", 200],
  ])("answers If-None-Match: %s with %i", async (header, status) => {
    const etag = desk.lab.templateEtag;
    const asked = { "if-none-match": header.replace("ETAG", etag) };
    const response = await get("/AGENTS.md", asked);
    expect(response.status).toBe(status);
    expect(response.headers.get("etag")).toBe(`"${etag}"`);
    expect(await response.text()).toBe(status === 304 ? "" : "# Template\n");
  });

  it.each([
    ["x.html", "text/html; charset=utf-8"],
    ["x.SVG", "image/svg+xml; charset=utf-8"],
    ["x.xml", "application/xml; charset=utf-8"],
    ["x.js", "text/javascript; charset=utf-8"],
    ["it's (1) é.xhtml", "application/xhtml+xml; charset=utf-8"],
  ])("[H5] that a browser could run, as %s, is a download", async (name, type) => {
    const at = `/${encodeURIComponent(name)}`;
    await desk.put("ann", `${files}${at}`, "<script>alert(1)</script>");
    const response = await get(at);
    expect(response.headers.get("content-type")).toBe(type);
    expect(response.headers.get("content-disposition")).toMatch(
      /^attachment; filename\*=UTF-8''[\w%.-]+$/,
    );
  });

  it.each([
    ["notes", "text", "text/plain; charset=utf-8"],
    ["a.log.jsonl", "log", "application/x-ndjson; charset=utf-8"],
    ["a.png", "blob", "image/png"],
    ["a.png", "text", "text/plain; charset=utf-8"],
    ["a.constructor", "text", "text/plain; charset=utf-8"],
    ["a.csv", "blob", "text/csv"],
    ["a", "blob", "application/octet-stream"],
  ] as const)("%s as %s is %s", (path, type, contentType) => {
    expect(contentTypeOf({ path, type })).toBe(contentType);
  });

  it("[W14] comes in pages of lines", async () => {
    await desk.put("ann", `${files}/a.txt`, "0\n1\n2\n3\n");
    const page = await (await get("/a.txt?offset=1&limit=2")).json();
    expect(page).toMatchObject({ lines: ["1", "2"], total: 4, file: { path: "a.txt" } });
  });

  it("[W15] tells its history and gives earlier versions", async () => {
    await desk.put("ann", `${files}/AGENTS.md`, "one");
    await desk.put("ann", `${files}/AGENTS.md`, "two");
    const { versions } = (await (await get("/AGENTS.md?history")).json()) as { versions: unknown };
    expect(versions).toMatchObject([{ version: 2, by: "user:ann" }, { version: 1 }]);
    expect(await (await get("/AGENTS.md?version=1")).text()).toBe("one");
    expect((await get("/AGENTS.md?version=9")).status).toBe(404);
  });

  it("[W4] is read from the layer that is named", async () => {
    await desk.put("ann", `${files}/AGENTS.md`, "mine");
    expect(await (await get("/AGENTS.md?layer=template")).text()).toBe("# Template\n");
    expect(await (await get("/AGENTS.md?layer=own")).text()).toBe("mine");
    const { code, message } = await problemOf(await get("/knowledge/a.md?layer=own"));
    expect([code, message]).toEqual(["not_found", '"knowledge/a.md" does not exist.']);
  });

  it("[I6] of somebody else, and one that does not exist, give the same answer", async () => {
    await desk.put("bob", `${files}/secret.md`, "of Bob");
    const foreign = await problemOf(await get("/secret.md"));
    const missing = await problemOf(await get("/secreT.md"));
    expect({ ...foreign, id: "" }).toEqual({ ...missing, id: "", message: foreign.message });
    expect(foreign.code).toBe("not_found");
  });
});
