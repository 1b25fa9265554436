import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CarrelError } from "../../src/shared/errors.ts";
import { importArchive } from "../../src/http/archive-import.ts";
import { readBytes } from "../../src/http/body.ts";
import { fileAnswer } from "../../src/http/files-answer.ts";
import { filePathOf } from "../../src/http/files-query.ts";
import { defaultBucketLimits as limits } from "../../src/workspace/limits.ts";
import { buildZip } from "../support/zip-builder.ts";
import { Desk, ownPaths, problemOf } from "./files-fixture.ts";

let desk: Desk;
beforeEach(() => {
  desk = new Desk();
  vi.spyOn(console, "info").mockImplementation(() => {});
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const main = "/agents/main";

describe("the answer of a file route", () => {
  it("says nothing of the calls behind it", async () => {
    await desk.put("ann", `${main}/files/a.md`, "a\nb");
    for (const path of ["/files", "/files/a.md?offset=0", "/files/a.md?history", "/doctor"]) {
      const body: unknown = await (await desk.ask("ann", `${main}${path}`)).json();
      expect(JSON.stringify(body), path).not.toContain('"ok":');
    }
  });

  it.each([
    ["Zoë ☃", "Zo%C3%AB%20%E2%98%83"],
    ["a\r\nset-cookie: x", "a%0D%0Aset-cookie: x"],
    ["100%", "100%25"],
    ["\ud800", "%EF%BF%BD"],
    ["user:ann", "user:ann"],
  ])("[H1] has a header for every author, also for %j", (by, header) => {
    const file = {
      path: "ä ☃.bin",
      layer: "own",
      type: "blob",
      size: 1,
      etag: "1",
      at: 1,
    } as const;
    const content = { bytes: Uint8Array.of(0) };
    const answer = fileAnswer({ ...file, executable: false, by }, content, null);
    expect(decodeURIComponent(answer.headers.get("x-carrel-by") ?? "")).toBe(by.toWellFormed());
    expect(answer.headers.get("x-carrel-by")).toMatch(/^[ -~]*$/);
    if (!header.includes(" ") && !header.includes("%20"))
      expect(answer.headers.get("x-carrel-by")).toBe(header);
  });
});

describe("the path of a file route", () => {
  const of = (raw: string) =>
    filePathOf({ url: `http://carrel.example/v1/agents/main/files${raw}` });

  it.each([
    "/a/../x",
    "/a/%2e%2e/x",
    "/a/%2E./x",
    "/../../../admin/rescan",
    "/a\\b",
    "/a%5cb",
    "/..",
  ])("[W1] is judged as it was sent where the platform leaves it so: %s is refused", (raw) => {
    expect(() => of(raw)).toThrow(CarrelError);
  });

  it.each([
    ["", ""],
    ["/", ""],
    ["?path=a", ""],
    ["/a/./b//c", "a/b/c"],
    ["/a%20b%25.md?history", "a b%.md"],
    ["/a#b", "a"],
    ["/%252e%252e/x", "%2e%2e/x"],
  ])("[W1] %j means %j", (raw, path) => {
    expect(of(raw)).toBe(path);
  });

  it("[W1] that was resolved on the way is that of what it leads to", async () => {
    expect((await desk.put("ann", `${main}/files/a/../x.md`, "x")).status).toBe(201);
    expect((await desk.put("ann", `${main}/files/../archive`, "x")).status).toBe(404);
    expect((await desk.put("ann", `${main}/files/../../../admin/rescan`, "x")).status).toBe(403);
    expect(await ownPaths(desk.workspace())).toEqual(["x.md"]);
  });
});

describe("a reset of everything", () => {
  it("[W6] brings back all that lower layers have, and leaves what is only here", async () => {
    await desk.put("ann", `${main}/files/AGENTS.md`, "mine");
    await desk.put("ann", `${main}/files/notes.md`, "mine");
    await desk.ask("ann", `${main}/files/knowledge/a.md`, { method: "DELETE" });
    for (const path of ["/files?reset", "/files/?reset=true"]) {
      const response = await desk.ask("ann", `${main}${path}`, { method: "DELETE" });
      expect(response.status).toBe(200);
      const touched = path === "/files?reset" ? 2 : 0;
      expect(await response.json()).toEqual({ file: null, touched });
    }
    expect(await ownPaths(desk.workspace())).toEqual(["notes.md"]);
    const { entries } = await desk.workspace().tree({ recursive: true });
    expect(entries.map(({ path, layer }) => `${path} ${layer}`)).toEqual([
      "AGENTS.md template",
      "knowledge/a.md template",
      "knowledge/b.md template",
      "notes.md own",
    ]);
  });

  it("[W6] needs its name: everything cannot be deleted, and a shared layer is an admin's", async () => {
    const remove = (user: string, path: string) => desk.ask(user, path, { method: "DELETE" });
    expect((await remove("ann", `${main}/files`)).status).toBe(400);
    expect((await remove("ann", `${main}/files?reset=false`)).status).toBe(400);
    expect((await remove("ann", "/agents/team/files?reset")).status).toBe(403);
    expect((await remove("ann", `${main}/files?reset&layer=shared`)).status).toBe(403);
    expect((await remove("root", "/agents/team/files?reset")).status).toBe(200);
  });
});

describe("the doctor", () => {
  it("[C9] knows a user and a session, and refuses what it would not look at", async () => {
    for (const query of ["layer=shared", "layer=own", "layer=nope", "path=a", "undo"]) {
      const response = await desk.ask("ann", `${main}/doctor?${query}`);
      expect(response.status, query).toBe(400);
      expect((await problemOf(response)).message).toContain("Known: user, session.");
    }
    expect((await desk.ask("ann", `${main}/doctor`)).status).toBe(200);
    expect((await desk.ask("ann", `${main}/doctor?user=ann&session=s1`)).status).toBe(200);
  });
});

describe("an archive that is refused", () => {
  const send = (parts: Parameters<typeof buildZip>[0]) =>
    desk.ask("ann", `${main}/archive`, {
      method: "POST",
      body: buildZip(parts) as Uint8Array<ArrayBuffer>,
      headers: { "content-type": "application/zip" },
    });
  const waiting = () => desk.stored();

  it("[W16] by the bucket leaves nothing that waits, however often it is sent", async () => {
    await desk.put("ann", `${main}/files/w.md`, "a file");
    const before = JSON.stringify(await waiting());
    for (let times = 0; times < 3; times += 1) {
      const response = await send([
        { name: "big.md", content: "x".repeat(300_000) },
        { name: "w.md/x.md", content: "below a file" },
      ]);
      expect(response.status).toBe(409);
    }
    expect(JSON.stringify(await waiting())).toBe(before);
    expect((await send([{ name: "fine.md", content: "x" }])).status).toBe(200);
  });

  it("[W16] half on its way leaves nothing that waits", async () => {
    await desk.put("ann", `${main}/files/w.md`, "a file");
    const before = JSON.stringify(await waiting());
    const stage = vi.fn(() => Promise.reject(new Error("lost")));
    const workspace = desk.workspace();
    let pages = 0;
    const failing = {
      ...workspace,
      stageImport: (...asked: Parameters<typeof workspace.stageImport>) =>
        ++pages > 1 ? stage() : workspace.stageImport(...asked),
    };
    const bytes = buildZip([{ name: "a.md", content: "a" }]);
    const asked = importArchive(failing, bytes, { id: "i", by: "user:ann", limits });
    await expect(asked).rejects.toThrow("lost");
    expect(stage).toHaveBeenCalled();
    expect(JSON.stringify(await waiting())).toBe(before);
  });
});

describe("a body", () => {
  /** Sends these pieces and says that `length` bytes come. */
  function request(length: number | null, pieces: readonly Uint8Array[]): Request {
    const left = [...pieces];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = left.shift();
        if (piece) controller.enqueue(piece);
        else controller.close();
      },
    });
    const headers = length === null ? {} : { "content-length": String(length) };
    return { headers: new Headers(headers), body } as Request;
  }

  it("[H1] that announces much and sends little takes no memory for what it announced", async () => {
    const made: number[] = [];
    const Counting = new Proxy(Uint8Array, {
      construct(target, given: readonly unknown[]) {
        if (typeof given[0] === "number") made.push(given[0]);
        return Reflect.construct(target, given) as object;
      },
    });
    const sent = request(30_000_000, [Uint8Array.of(1, 2)]);
    vi.stubGlobal("Uint8Array", Counting);
    const asked = readBytes(sent, "It", 32_000_000, "32 MB");
    await expect(asked).rejects.toMatchObject({ code: "invalid" });
    vi.unstubAllGlobals();
    expect(Math.max(0, ...made)).toBeLessThan(1_000);
  });

  it.each([[null], [700_000]])("comes whole in many pieces, announced as %s", async (length) => {
    const pieces = Array.from({ length: 700 }, (_, at) => new Uint8Array(1_000).fill(at % 251));
    const bytes = await readBytes(request(length, pieces), "It", 1_000_000, "1 MB");
    expect(bytes.length).toBe(700_000);
    expect(Buffer.compare(bytes, Buffer.concat(pieces))).toBe(0);
    if (length !== null) expect(bytes.buffer.byteLength).toBe(700_000);
  });
});
