import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { ZipWriter } from "../../src/http/zip-writer.ts";
import type { IsolationScope } from "../../src/workspace/workspace.ts";
import { scopedAgents } from "../support/agents.ts";
import { resetOutside } from "../support/outside.ts";
import { callersWithKeys, say, type AskAs, type Speaker } from "./callers.ts";
import { concat, namesOf, treeOf } from "./files-page.ts";
import {
  filesOf,
  groupOf,
  homeOf,
  nameOf,
  ownPathsIn,
  promptOf,
  recordsOf,
  speakersIn,
  users,
  useTools,
} from "./scope-lab.ts";
import { breathe } from "./session-object.ts";

const scopes: readonly IsolationScope[] = ["SESSION", "USER", "AGENT", "GLOBAL"];

let ask: AskAs;

beforeAll(async () => {
  ask = await callersWithKeys(users, ["root"]);
});

beforeEach(() => {
  resetOutside();
  vi.spyOn(console, "info").mockImplementation(() => {});
});

const put = (user: string, address: string, body: string) =>
  ask(user, address, { method: "PUT", body });

const noteOf = (speaker: Speaker) => `notes/${nameOf(speaker)}.md`;

/** Definition and memory by an admin, with the name of the group; a working file by each agent itself. */
async function fill(scope: IsolationScope): Promise<void> {
  for (const speaker of speakersIn(scope)) {
    const text = `These are the files of ${groupOf(scope, speaker)}\n`;
    for (const path of ["AGENTS.md", "MEMORY.md"]) {
      const address = filesOf(speaker, path, `&user=${speaker.user}`);
      expect((await put("root", address, text)).status).toBeLessThan(300);
    }
    const input = { path: noteOf(speaker), content: `By ${nameOf(speaker)}.` };
    expect(await useTools(ask, speaker, [{ name: "write_file", input }])).not.toContain(null);
  }
}

/** What a speaker sees over HTTP of the notes of all. */
async function notesOverHttp(speaker: Speaker, all: readonly Speaker[]) {
  const tree = await treeOf(await ask(speaker.user, filesOf(speaker, "", "&path=notes")));
  const reads = await Promise.all(
    all.map(async (other) => {
      const response = await ask(speaker.user, filesOf(speaker, noteOf(other)));
      const text = await response.text();
      return response.ok ? text : null;
    }),
  );
  return { listed: namesOf(tree), reads };
}

/** The same as the agent sees it. */
async function notesByTools(speaker: Speaker, all: readonly Speaker[]) {
  const [listed, found, searched, ...reads] = await useTools(ask, speaker, [
    { name: "list_files", input: { path: "notes" } },
    { name: "glob_files", input: { pattern: "notes/*" } },
    { name: "grep_files", input: { pattern: "By ", path: "notes" } },
    ...all.map((other) => ({ name: "read_file", input: { path: noteOf(other) } })),
  ]);
  return { lists: [listed, found, searched], reads };
}

async function logOf(speaker: Speaker): Promise<string> {
  const path = `agents/${speaker.agent}/sessions/${speaker.session}.log.jsonl`;
  const response = await ask(speaker.user, filesOf(speaker, path));
  return response.ok ? await response.text() : "";
}

describe.each(scopes)("under the scope %s", (scope) => {
  const all = speakersIn(scope);
  const groups = new Set(all.map((speaker) => groupOf(scope, speaker)));

  it("[I1] those who share a bucket see the same files, over HTTP, by tools and in prompts, and nobody else does", async () => {
    await fill(scope);
    for (const speaker of all) {
      const group = groupOf(scope, speaker);
      const near = all.filter((other) => groupOf(scope, other) === group);
      const expected = all.map((other) => (near.includes(other) ? `By ${nameOf(other)}.` : null));

      const seen = await notesOverHttp(speaker, all);
      expect(seen.listed).toEqual(near.map(noteOf).toSorted());
      expect(seen.reads).toEqual(expected);

      const tools = await notesByTools(speaker, all);
      const numbered = expected.map((text) => text && expect.stringContaining(text));
      expect(tools.reads).toEqual(numbered);
      for (const other of all)
        for (const list of tools.lists)
          expect(list?.includes(nameOf(other))).toBe(near.includes(other));

      const prompt = await promptOf(ask, speaker);
      expect(prompt.split(group)).toHaveLength(3);
      for (const other of groups) if (other !== group) expect(prompt).not.toContain(other);
    }
  });

  it("[I3, I4] what was said is in the user's own bucket, apart for each agent and session", async () => {
    for (const speaker of all) await say(ask, speaker, `This is ${nameOf(speaker)}.`);
    for (const speaker of all)
      while (!(await logOf(speaker)).includes(`This is ${nameOf(speaker)}.`)) await breathe();
    for (const speaker of all) {
      const { agent, user } = speaker;
      const others = all.filter((other) => other !== speaker);
      const log = await logOf(speaker);
      for (const other of others) expect(log).not.toContain(`This is ${nameOf(other)}.`);

      const records = ["s1.log.jsonl", "s2.log.jsonl", "sessions.json"].map(
        (name) => `agents/${agent}/sessions/${name}`,
      );
      const isRecord = (path: string) => path.startsWith("agents/");
      const tree = await treeOf(await ask(user, filesOf(speaker, "", "&recursive")));
      const home = homeOf(scope, speaker);
      expect(namesOf(tree).filter(isRecord)).toEqual(records);
      expect((await ownPathsIn(recordsOf(speaker))).filter(isRecord)).toEqual(records);
      if (home !== recordsOf(speaker))
        expect((await ownPathsIn(home)).filter(isRecord)).toEqual([]);

      const index = filesOf(speaker, `agents/${agent}/sessions/sessions.json`);
      const { sessions } = (await (await ask(user, index)).json()) as { sessions: object };
      expect(Object.keys(sessions).toSorted()).toEqual(["s1", "s2"]);

      const [hits] = await useTools(ask, speaker, [
        { name: "grep_files", input: { pattern: "This is ", regex: false } },
      ]);
      const isOwn = (other: Speaker) => other.agent === agent && other.user === user;
      for (const other of all)
        expect(hits?.includes(`This is ${nameOf(other)}.`)).toBe(isOwn(other));
    }
  });

  it("[I1] a user writes over HTTP where nobody else looks, and only an admin what users share", async () => {
    const isShared = scope === "AGENT" || scope === "GLOBAL";
    for (const speaker of all) {
      const address = filesOf(speaker, "notes/by-hand.md");
      const written = await put(speaker.user, address, "x");
      const deleted = await ask(speaker.user, address, { method: "DELETE" });
      expect([written.status, deleted.status]).toEqual(isShared ? [403, 403] : [201, 200]);
      expect((await put("root", address, "x")).status).toBeLessThan(300);
    }
  });
});

describe.each(["AGENT", "GLOBAL"] as const)("the shared layer under the scope %s", (scope) => {
  it("[W4] is the one bucket that users share, so that what an admin writes there shows", async () => {
    const [agent] = scopedAgents[scope];
    const path = `notes/for-all-of-${scope}.md`;
    const shared = `/v1/agents/${agent}/files/${path}?layer=shared`;
    expect((await put("root", shared, "for all")).status).toBe(201);
    for (const speaker of speakersIn(scope)) {
      const response = await ask(speaker.user, filesOf(speaker, path));
      const isIn = groupOf(scope, speaker) === groupOf(scope, { ...speaker, agent });
      expect(response.status).toBe(isIn ? 200 : 404);
    }
  });
});

describe("what looks like a record in files that users share", () => {
  it("[I3] shows to none of them", async () => {
    const [agent] = scopedAgents.AGENT;
    const path = `agents/${agent}/sessions/of-root.log.jsonl`;
    const writer = new ZipWriter();
    const bytes = new TextEncoder().encode('{"said":"xyzzy"}\n') as Uint8Array<ArrayBuffer>;
    const parts = [...writer.add({ path, bytes, executable: false, at: null, compress: true })];
    const body = concat([...parts, ...writer.end(new Uint8Array())]);
    const imported = await ask("root", `/v1/agents/${agent}/archive?layer=shared`, {
      method: "POST",
      body,
      headers: { "content-type": "application/zip" },
    });
    expect(imported.status).toBe(200);
    const ann = { agent, user: "ann", session: "s1" };
    const tree = await treeOf(await ask("ann", filesOf(ann, "", "&recursive")));
    expect(namesOf(tree)).not.toContain(path);
    expect((await ask("ann", filesOf(ann, path))).status).toBe(404);
    const [found, searched] = await useTools(ask, ann, [
      { name: "glob_files", input: { pattern: "**/of-root*" } },
      { name: "grep_files", input: { pattern: '"said":"xyz' } },
    ]);
    expect(found).not.toContain("of-root.log");
    expect(searched).not.toContain("of-root.log");
  });
});
