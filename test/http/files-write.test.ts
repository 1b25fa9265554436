import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Desk, ownPaths, problemOf } from "./files-fixture.ts";

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
  vi.spyOn(console, "info").mockImplementation(() => {});
});
afterEach(() => {
  vi.restoreAllMocks();
});

const files = "/agents/main/files";
const put = (path: string, body: BodyInit, headers: Record<string, string> = {}) =>
  desk.put("ann", `${files}${path}`, body, headers);
const remove = (path: string, headers: Record<string, string> = {}) =>
  desk.ask("ann", `${files}${path}`, { method: "DELETE", headers });
const text = async (path: string) => (await desk.ask("ann", `${files}${path}`)).text();

describe("a PUT", () => {
  it("stores a file and tells what is there now", async () => {
    const response = await put("/notes/x.md", "hi", { "if-none-match": "*" });
    expect(response.status).toBe(201);
    expect(response.headers.get("etag")).toBe('"1"');
    const file = { path: "notes/x.md", layer: "own", size: 2, etag: "1", by: "user:ann" };
    expect(await response.json()).toMatchObject({ file, touched: 1 });
    expect((await put("/notes/x.md", "ho")).status).toBe(200);
    expect(await text("/notes/x.md")).toBe("ho");
  });

  it("is answered by 201 when nothing showed there before", async () => {
    expect((await put("/notes/x.md", "hi")).status).toBe(201);
    expect((await put("/notes/x.md", "ho")).status).toBe(200);
    expect((await put("/AGENTS.md", "mine")).status).toBe(200);
    await remove("/AGENTS.md");
    expect((await put("/AGENTS.md", "mine")).status).toBe(201);
  });

  it("[W9] happens only where the etag is that of what shows", async () => {
    const seen = { "if-match": `"${desk.lab.templateEtag}"` };
    expect((await put("/AGENTS.md", "mine", seen)).status).toBe(200);
    const late = await put("/AGENTS.md", "late", seen);
    expect(late.status).toBe(409);
    expect(await problemOf(late)).toMatchObject({ code: "conflict", message: /is now 1/ });
    expect((await put("/AGENTS.md", "new", { "if-none-match": "*" })).status).toBe(409);
    expect((await put("/AGENTS.md", "weak", { "if-match": 'W/"1"' })).status).toBe(200);
    expect(await text("/AGENTS.md")).toBe("weak");
  });

  it("[W6] of nothing stores a blank file", async () => {
    await put("/AGENTS.md", "");
    expect(await text("/AGENTS.md")).toBe("");
  });

  it("with an idempotency key is done once, and another request under it is another one", async () => {
    const key = { "idempotency-key": "k1" };
    const first = await (await put("/a", "1", key)).json();
    await put("/a", "2");
    expect(await (await put("/a", "1", key)).json()).toEqual(first);
    expect(await text("/a")).toBe("2");
    await put("/a", "3", key);
    expect(await text("/a")).toBe("3");
    await desk.put("bob", `${files}/a`, "1", key);
    expect(await ownPaths(desk.workspace("bob"))).toEqual(["a"]);
  });

  it("with an idempotency key is the same by any host name, and so is a DELETE", async () => {
    const key = { "idempotency-key": "k1" };
    const first = await put("/AGENTS.md", "1", key);
    const deleted = await remove("/AGENTS.md", key);
    desk.origin = "https://other.example:8787";
    expect(await (await put("/AGENTS.md", "1", key)).json()).toEqual(await first.json());
    const again = await remove("/AGENTS.md", key);
    expect([again.status, await again.json()]).toEqual([200, await deleted.json()]);
    expect(await desk.workspace().history("AGENTS.md")).toHaveLength(2);
  });

  it("[W15] brings an earlier version back with ?undo", async () => {
    for (const body of ["one", "two", "three"]) await put("/AGENTS.md", body);
    expect((await put("/AGENTS.md?undo", "")).status).toBe(200);
    expect(await text("/AGENTS.md")).toBe("two");
    await put("/AGENTS.md?undo=1", "");
    expect(await text("/AGENTS.md")).toBe("one");
  });

  it.each(["a b.md", "é/ü.md", "100%.md", "a#b?c.md", "a+b&c=d.md", "~..x", "😀.md", "%2e"])(
    "[W2] takes the name %s as it is, escaped once",
    async (name) => {
      const path = `/${name.split("/").map(encodeURIComponent).join("/")}`;
      await put(path, "x");
      expect(await ownPaths(desk.workspace())).toEqual([name]);
      expect(await text(path)).toBe("x");
    },
  );

  it.each(["//notes///x.md", "/./notes/x.md", "/notes/x.md/", "/notes%2Fx.md"])(
    "[W1] to %s is one to notes/x.md",
    async (path) => {
      await put(path, "x");
      expect(await ownPaths(desk.workspace())).toEqual(["notes/x.md"]);
    },
  );

  it("[W16] past 25 MiB is refused, whatever it says about its length", async () => {
    const response = await put("/big", new Uint8Array(25 * 2 ** 20 + 1));
    expect([response.status, (await problemOf(response)).code]).toEqual([413, "too_large"]);
    const lie = await put("/big", "x", { "content-length": String(25 * 2 ** 20 + 1) });
    expect(lie.status).toBe(413);
    const short = await put("/big", "x", { "content-length": "2" });
    expect([short.status, (await problemOf(short)).code]).toEqual([400, "invalid"]);
    expect(await desk.stored()).toEqual({});
  });
});

describe("a DELETE", () => {
  it("[W6] hides a file of the template, and ?reset brings it back", async () => {
    const deleted = await remove("/AGENTS.md", { "if-match": `"${desk.lab.templateEtag}"` });
    expect(await deleted.json()).toEqual({ file: null, touched: 1 });
    expect((await desk.ask("ann", `${files}/AGENTS.md`)).status).toBe(404);
    const back = await (await remove("/AGENTS.md?reset")).json();
    expect(back).toMatchObject({ file: { path: "AGENTS.md", layer: "template" } });
    expect(await text("/AGENTS.md")).toBe("# Template\n");
  });

  it("[W9] of something else than was seen is a conflict", async () => {
    await put("/a", "1");
    expect((await remove("/a", { "if-match": '"7"' })).status).toBe(409);
    expect(await text("/a")).toBe("1");
  });
});

describe("the shared layer, for an admin", () => {
  const shared = (method: string, path: string, init: RequestInit = {}) =>
    desk.ask("root", `${files}${path}?layer=shared`, { method, ...init });

  it("[W4] is written and read as a layer of its own, with etags of its own", async () => {
    const stored = await shared("PUT", "/AGENTS.md", { body: "for all" });
    expect(await stored.json()).toMatchObject({ file: { layer: "shared", etag: "s1" } });
    const seen = await shared("GET", "/AGENTS.md");
    expect([seen.headers.get("etag"), seen.headers.get("x-carrel-layer")]).toEqual([
      '"s1"',
      "shared",
    ]);
    const own = await shared("PUT", "/AGENTS.md", { body: "x", headers: { "if-match": '"1"' } });
    expect(own.status).toBe(409);
    const again = await shared("PUT", "/AGENTS.md", { body: "x", headers: { "if-match": '"s1"' } });
    expect(again.status).toBe(200);
    const { entries } = (await (await shared("GET", "")).json()) as { entries: unknown[] };
    expect(entries).toMatchObject([{ layer: "shared", file: { layer: "shared", etag: "s2" } }]);
    expect(await ownPaths(desk.workspace("root"))).toEqual([]);
    expect(await ownPaths(desk.lab.shared())).toEqual(["AGENTS.md"]);
  });

  it("[W15] has a history", async () => {
    for (const body of ["one", "two"]) await shared("PUT", "/AGENTS.md", { body });
    const versions = await desk.ask("root", `${files}/AGENTS.md?layer=shared&history`);
    expect(await versions.json()).toMatchObject({ versions: [{ version: 2 }, { version: 1 }] });
    const first = await desk.ask("root", `${files}/AGENTS.md?layer=shared&version=1`);
    expect(await first.text()).toBe("one");
  });
});
