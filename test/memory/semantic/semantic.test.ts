import { describe, expect, it } from "vitest";
import { fuseSearches } from "../../../src/memory/semantic/fuse.ts";
import { keepMeanings } from "../../../src/memory/semantic/keep-meanings.ts";
import { createSemanticSearch } from "../../../src/memory/semantic/semantic-search.ts";
import { bucketPrefix } from "../../../src/shared/bucket-key.ts";
import type { SearchHit } from "../../../src/shared/workspace-api.ts";
import { MeaningsLab } from "../../support/meanings.ts";
import { WorkspaceLab } from "../../support/workspace-lab.ts";

const bucketOf = (user: string) => bucketPrefix({ scope: "USER", agent: "main", user });

function open(user = "ann", files = new WorkspaceLab(), lab = new MeaningsLab()) {
  const workspace = files.workspace({ user });
  const bucket = bucketOf(user);
  const logged: string[] = [];
  const search = createSemanticSearch(workspace, bucket, lab.meanings);
  const write = (path: string, text: string) =>
    workspace.change({ by: "user:ann", changes: [{ kind: "write", path, content: { text } }] });
  return {
    lab,
    files,
    workspace,
    search,
    write,
    keep: (over = workspace) =>
      keepMeanings(
        over,
        bucket,
        lab.meanings,
        undefined,
        (_level, event) => void logged.push(event),
      ),
    logged,
  };
}

describe("meanings of a bucket", () => {
  it("[M8] follow its memory: what is new is put once, what is gone is removed", async () => {
    const { lab, write, keep, workspace } = open();
    await write("MEMORY.md", "- Ann drinks tea.\n- Ann has a dog.\n");
    await write("memory/2026-11-30.md", "## Memory Save\n\n- Ann moved to Lisbon.\n");
    await write("memory/.consolidation/run.md", "- Bookkeeping.\n");
    expect(await keep()).toEqual({ put: 3, removed: 0, hasMore: false });
    expect(await keep()).toEqual({ put: 0, removed: 0, hasMore: false });
    await write("MEMORY.md", "- Ann drinks tea.\n- Ann has a cat.\n");
    expect(await keep()).toEqual({ put: 1, removed: 1, hasMore: false });
    await workspace.change({
      by: "job:tidy",
      changes: [{ kind: "move", path: "memory/2026-11-30.md", to: "memory/archive/2026-11-30.md" }],
    });
    expect(await keep()).toEqual({ put: 1, removed: 1, hasMore: false });
    expect([...lab.vectors.values()].map(({ metadata }) => metadata.path).toSorted()).toEqual([
      "MEMORY.md",
      "MEMORY.md",
      "memory/archive/2026-11-30.md",
    ]);
  });

  it("[M8] end the same wherever bringing them up to date was cut off", async () => {
    for (let at = 0; ; at += 1) {
      const { lab, write, keep } = open();
      await write("MEMORY.md", "- One thing.\n- Another.\n");
      await keep();
      await write("MEMORY.md", "- One thing.\n- A third one.\n");
      let calls = 0;
      lab.before = () => {
        if (calls++ === at) throw new Error("cut off");
      };
      const wasCut = await keep().then(
        () => false,
        () => true,
      );
      lab.before = () => {};
      await keep();
      expect([...lab.vectors.values()].map(({ metadata }) => metadata.entry)).toHaveLength(2);
      if (!wasCut) break;
    }
  });

  it("[M8] are made anew where what is known of them cannot be read", async () => {
    const { write, keep } = open();
    await write("MEMORY.md", "- One thing.\n");
    await keep();
    await write("memory/.consolidation/meanings.json", "{spoilt");
    expect(await keep()).toMatchObject({ put: 1 });
  });

  it("[M8] keep nothing of what was forgotten after bringing them up to date was cut off", async () => {
    for (let at = 0; ; at += 1) {
      const { lab, workspace, write, keep } = open();
      await write("MEMORY.md", "- My phone is 4711.\n- Another thing.\n");
      let changes = 0;
      const cut: typeof workspace = {
        ...workspace,
        change: async (request) => {
          if (changes++ === at) throw new Error("cut off");
          return workspace.change(request);
        },
      };
      const wasCut = await keep(cut).then(
        () => false,
        () => true,
      );
      await write("MEMORY.md", "- Another thing.\n");
      await keep();
      expect(lab.vectors.size).toBe(1);
      if (!wasCut) break;
    }
  });

  it("[M8] are removed by the copy of a state that is spoilt or gone", async () => {
    const state = "memory/.consolidation/meanings.json";
    for (const kind of ["spoilt", "gone"]) {
      const { lab, workspace, write, keep, logged } = open();
      await write("MEMORY.md", "- My phone is 4711.\n- Another thing.\n");
      await keep();
      if (kind === "spoilt") await write(state, "{}");
      else await workspace.change({ by: "user:ann", changes: [{ kind: "delete", path: state }] });
      await write("MEMORY.md", "- Another thing.\n");
      expect(await keep()).toEqual({ put: 1, removed: 1, hasMore: false });
      expect(lab.vectors.size).toBe(1);
      expect(logged).toEqual([]);
    }
  });

  it("[M8] are told as lost where neither can be read", async () => {
    const { write, keep, logged } = open();
    await write("memory/.consolidation/meanings.json", "{}");
    await keep();
    expect(logged).toEqual(["memory.meanings_lost"]);
  });
});

describe("search by meaning", () => {
  it("[M8, M7] finds an entry where it stands, and not once it is changed or gone", async () => {
    const { search, write, keep } = open();
    await write(
      "MEMORY.md",
      '# About\n\n- Ann drinks tea. <!-- carrel: {"run":"r"} -->\n- Likes dogs.\n',
    );
    await keep();
    const { hits } = await search.search({ query: "who drinks tea" });
    expect(hits).toMatchObject([
      { path: "MEMORY.md", line: 3, source: "memory", snippet: "Ann drinks tea." },
    ]);
    await write("MEMORY.md", "- Likes dogs.\n");
    expect((await search.search({ query: "who drinks tea" })).hits).toEqual([]);
  });

  it("[I1] never shows a bucket what another one remembers", async () => {
    const ann = open();
    const bob = open("bob", ann.files, ann.lab);
    await ann.write("MEMORY.md", "- The secret word is xylophone.\n");
    await bob.write("MEMORY.md", "- Nothing of note.\n");
    await ann.keep();
    await bob.keep();
    expect((await bob.search.search({ query: "secret word xylophone" })).hits).toEqual([]);
    expect((await ann.search.search({ query: "secret word xylophone" })).hits).toHaveLength(1);
  });

  it("[M8] looks below a path however it is written", async () => {
    const { search, write, keep } = open();
    await write("MEMORY.md", "- Ann drinks tea.\n");
    await keep();
    const found = async (path: string) =>
      (await search.search({ query: "who drinks tea", path })).hits.length;
    for (const path of ["", "/", ".", "./MEMORY.md", "MEMORY.md/"])
      expect([path, await found(path)]).toEqual([path, 1]);
    for (const path of ["memory", "MEMORY"]) expect([path, await found(path)]).toEqual([path, 0]);
  });

  it("[M8] asks no model for a query without words", async () => {
    const { lab, search } = open();
    expect((await search.search({ query: " ?! " })).hits).toEqual([]);
    expect(lab.embedded).toEqual([]);
  });
});

describe("two searches as one", () => {
  const hit = (line: number): SearchHit => ({
    path: "MEMORY.md",
    line,
    endLine: line,
    source: "memory",
    snippet: `line ${line}`,
    score: 0.5,
    at: null,
  });
  const gives = (...lines: number[]) => ({
    search: async () => ({ hits: lines.map(hit), isComplete: false, pending: 3 }),
  });
  const silent = () => {};

  it("[M8] put first what both find, each once, and keep to the limit", async () => {
    const { search } = fuseSearches(gives(1, 2, 3), gives(3, 4), silent);
    const answer = await search({ query: "x", limit: 3 });
    expect(answer.hits.map(({ line }) => line)).toEqual([3, 1, 2]);
    expect(answer).toMatchObject({ isComplete: false, pending: 3 });
    expect(answer.hits.every(({ score }) => score > 0 && score <= 1)).toBe(true);
  });

  it("[M8] answer with the first one where the second one fails", async () => {
    const events: string[] = [];
    const failing = { search: () => Promise.reject(new Error("no model")) };
    const { search } = fuseSearches(gives(1), failing, (_level, event) => void events.push(event));
    expect((await search({ query: "x" })).hits.map(({ line }) => line)).toEqual([1]);
    expect(events).toEqual(["memory.semantic_search_failed"]);
  });
});
