import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { platformSql } from "../../durable-objects/sql.ts";
import { entryId } from "../../src/shared/memory-entries.ts";
import { ask, userBucket, workspaceStub } from "./workspace-object.ts";

const write = (path: string, text: string) => ({ kind: "write", path, content: { text } }) as const;

describe("search in a Durable Object", () => {
  it("[W3, M8] finds what was just written, in any language, and not what went", async () => {
    const bucket = userBucket("searcher");
    const change = (...changes: readonly ReturnType<typeof write>[]) =>
      ask(bucket, (api, key) => api.change(key, { by: "user:searcher", changes }));
    const find = async (query: string) =>
      (await ask(bucket, (api, key) => api.search(key, { query }))).hits.map(
        ({ snippet }) => snippet,
      );
    await change(write("MEMORY.md", "- Ann adopted two kittens\n- 黒猫が好き\n"));
    expect(await find("adopts a kitten")).toEqual(["Ann adopted two kittens"]);
    expect(await find("猫")).toEqual(["黒猫が好き"]);
    await change(write("MEMORY.md", "- Ann sold them\n"));
    expect(await find("adopts a kitten 黒猫")).toEqual([]);
    expect(await find("selling sold")).toEqual(["Ann sold them"]);
  });

  it("[M7] has no word of what was forgotten when the answer comes", async () => {
    const bucket = userBucket("forgetful-searcher");
    const others = Array.from({ length: 100 }, (_, no) => `- thing ${no}\n`).join("");
    const changes = [
      write("MEMORY.md", "- likes Zanzibar\n"),
      write("memory/2026-12-01.md", others),
    ];
    await ask(bucket, (api, key) => api.change(key, { by: "user:x", changes }));
    await ask(bucket, (api, key) => api.search(key, { query: "Zanzibar" }));
    const holds = () =>
      runInDurableObject(workspaceStub(bucket), (_, { storage }) =>
        platformSql(storage).all(
          "SELECT 1 FROM word_data WHERE instr(block, CAST('zibar' AS BLOB)) > 0",
        ),
      );
    expect(await holds()).toHaveLength(1);
    await ask(bucket, (api, key) =>
      api.forgetMemory(key, [entryId("likes Zanzibar")], "user:x", "op-forget"),
    );
    expect(await holds()).toEqual([]);
    const section = "\n## Memory Flush — 2026-12-01T12:00:00.000Z\n\n- likes Zanzibar\n- an owl\n";
    const letter = {
      path: "memory/2026-12-02.md",
      text: section,
      op: "flush/1",
      saidAt: 0,
      by: "x",
    };
    const noted = await ask(bucket, (api, key) => api.note(key, letter));
    expect(noted).toMatchObject({ noted: 1, leftOut: 1 });
  });

  it("[I3] leaves no word in the tables of a bucket that was erased", async () => {
    const bucket = userBucket("erased-searcher");
    await ask(bucket, (api, key) =>
      api.change(key, { by: "user:x", changes: [write("MEMORY.md", "- a heron\n")] }),
    );
    const found = await ask(bucket, (api, key) => api.search(key, { query: "heron" }));
    expect(found.hits).toHaveLength(1);
    const sizes = () =>
      runInDurableObject(workspaceStub(bucket), (_, { storage }) => {
        const sql = platformSql(storage);
        const [words] = sql.all<{ size: number }>(
          "SELECT sum(length(block)) AS size FROM word_data",
        );
        return [(words?.size ?? 0) > 100, sql.all("SELECT * FROM excerpt").length > 0];
      });
    expect(await sizes()).toEqual([true, true]);
    await ask(bucket, (api, key) => api.erase(key));
    expect(await sizes()).toEqual([false, false]);
  });
});
