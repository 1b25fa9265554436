import { beforeEach, describe, expect, it } from "vitest";
import { ZipWriter } from "../../src/http/zip-writer.ts";
import { outside, resetOutside } from "../support/outside.ts";
import { callersWithKeys, type AskAs } from "./callers.ts";
import { concat, namesOf, treeOf } from "./files-page.ts";

const KIB = 1024;

let ask: AskAs;

beforeEach(async () => {
  resetOutside();
  ask = await callersWithKeys(["ann", "bob", "cat", "dan"]);
});

const agent = "/v1/agents/by-user";

const put = (user: string, path: string, body: BodyInit) =>
  ask(user, `${agent}/files/${path}`, { method: "PUT", body });

const failureOf = async (response: Response) => {
  const { error } = (await response.json()) as { error: { code: string; message: string } };
  return [response.status, error.code, error.message];
};

const ownOf = async (user: string) =>
  namesOf(await treeOf(await ask(user, `${agent}/files?recursive&layer=own`)));

const limitTo = (limits: object) => {
  outside().variables = { WORKSPACE_LIMITS: JSON.stringify(limits) };
};

describe("WORKSPACE_LIMITS", () => {
  it("[W16] bounds what one bucket holds, and leaves nothing of what goes past it", async () => {
    limitTo({ files: 2 });
    for (const path of ["a.md", "b.md"]) expect((await put("ann", path, "x")).status).toBe(201);
    const [status, code, message] = await failureOf(await put("ann", "c.md", "x"));
    expect([status, code]).toEqual([507, "quota_exceeded"]);
    expect(message).toContain("It may hold 2 files");
    expect((await put("ann", "a.md", "y")).status).toBe(200);
    expect(await ownOf("ann")).toEqual(["a.md", "b.md"]);
  });

  it("[W16] bounds each file that is put, and names the bound", async () => {
    limitTo({ textBytes: 64 * KIB, blobBytes: 128 * KIB });
    expect((await put("bob", "full.bin", new Uint8Array(128 * KIB))).status).toBe(201);
    const more = await failureOf(await put("bob", "more.bin", new Uint8Array(128 * KIB + 1)));
    expect(more).toEqual([413, "too_large", expect.stringContaining("larger than 128 KiB.")]);
    const longest = "x".repeat(100 * KIB);
    expect(await (await put("bob", "long.md", longest)).json()).toMatchObject({
      file: { type: "blob" },
    });
    expect(await ownOf("bob")).toEqual(["full.bin", "long.md"]);
  });

  it("[W16] lets texts be larger than other files", async () => {
    limitTo({ textBytes: 1_500 * KIB, blobBytes: 64 * KIB });
    const stored = await put("cat", "long.md", "x".repeat(1_500 * KIB));
    expect(await stored.json()).toMatchObject({ file: { type: "text", size: 1_500 * KIB } });
    const refused = await failureOf(await put("cat", "a.bin", new Uint8Array(65 * KIB)));
    expect(refused).toEqual([413, "too_large", expect.stringContaining("larger than 64 KiB.")]);
    expect(await ownOf("cat")).toEqual(["long.md"]);
  });

  it("[W16] bounds what an archive brings", async () => {
    limitTo({ textBytes: 64 * KIB, blobBytes: 64 * KIB });
    const writer = new ZipWriter();
    const file = { executable: false, at: null, compress: true };
    const parts = [
      ...writer.add({ ...file, path: "a.md", bytes: new Uint8Array(10) }),
      ...writer.add({ ...file, path: "b.bin", bytes: new Uint8Array(64 * KIB + 1) }),
    ];
    const response = await ask("dan", `${agent}/archive`, {
      method: "POST",
      body: concat([...parts, ...writer.end(new Uint8Array())]),
      headers: { "content-type": "application/zip" },
    });
    const [status, code, message] = await failureOf(response);
    expect([status, code]).toEqual([400, "invalid"]);
    expect(message).toContain('"b.bin" is larger than 64 KiB.');
    expect(await ownOf("dan")).toEqual([]);
  });
});
