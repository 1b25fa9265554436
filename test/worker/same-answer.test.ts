import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { IsolationScope } from "../../src/workspace/workspace.ts";
import { scopedAgents } from "../support/agents.ts";
import { resetOutside } from "../support/outside.ts";
import { callersWithKeys, say, type AskAs } from "./callers.ts";
import { resultsOf, type Call } from "./scope-lab.ts";

type Request = { readonly method: string; readonly path: string; readonly body?: string };

const scopes: readonly IsolationScope[] = ["SESSION", "USER"];
const NOTE = "notes/of-bob.md";
const KNOWLEDGE = "knowledge/of-bob.md";
const LOG = (agent: string) => `agents/${agent}/sessions/of-bob.log.jsonl`;

let ask: AskAs;

beforeAll(async () => {
  ask = await callersWithKeys(["ann", "bob"]);
});

beforeEach(() => {
  resetOutside();
});

/** Every request for one thing that can be asked without making it. */
function requestsFor(agent: string): Request[] {
  const base = `/v1/agents/${agent}`;
  const get = (path: string): Request => ({ method: "GET", path });
  const files = [NOTE, KNOWLEDGE, LOG(agent)].flatMap((path): Request[] => {
    const file = `${base}/files/${path}?session=s1`;
    const queries = ["", "&history", "&version=1", "&offset=0", "&layer=own", "&layer=shared"];
    return [
      ...queries.map((query) => get(file + query)),
      { method: "HEAD", path: file },
      { method: "DELETE", path: file },
      { method: "DELETE", path: `${file}&reset` },
      { method: "PUT", path: `${file}&undo` },
      { method: "PUT", path: `${file}&undo=1` },
    ];
  });
  return [
    ...files,
    ...["", "&path=notes", "&recursive", "&recursive&after=m"].map((query) =>
      get(`${base}/files?session=s1${query}`),
    ),
    ...["", "&layer=all", "&path=notes"].map((query) => get(`${base}/archive?session=s1${query}`)),
    get(`${base}/files?session=of-bob`),
    get(`${base}/doctor?session=s1`),
    get(`${base}/sessions/of-bob`),
    get(`${base}/sessions/of-bob/state`),
    get(`/api/chat/of-bob/messages?agent=${agent}`),
    get(`/api/chat/of-bob/stream?agent=${agent}`),
    { method: "POST", path: `${base}/sessions/of-bob/stop`, body: '{"turn":"t1"}' },
  ];
}

/** What Ann's agent asks its tools. */
const calls = (agent: string): Call[] =>
  [NOTE, KNOWLEDGE, LOG(agent)].flatMap((path) => [
    { name: "read_file", input: { path } },
    { name: "list_files", input: { path: path.slice(0, path.lastIndexOf("/")) } },
    { name: "glob_files", input: { pattern: `${path}*` } },
    { name: "grep_files", input: { pattern: "of Bob", path } },
    { name: "edit_file", input: { path, edits: [{ old_text: "a", new_text: "b" }] } },
    { name: "move_file", input: { from: path, to: "notes/mine.md" } },
    { name: "delete_file", input: { path } },
  ]);

/** All answers that Ann gets, but for what differs from one time to the next anyway. */
async function answersTo(agent: string): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const { method, path, body } of requestsFor(agent)) {
    const init = { method, ...(body ? { body, headers: JSON_TYPE } : {}) };
    const response = await ask("ann", path, init);
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder("latin1").decode(bytes);
    answers.push([`${method} ${path}`, response.status, text.replaceAll(UUID, "<id>")]);
  }
  return answers;
}

const JSON_TYPE = { "content-type": "application/json" };
const UUID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

async function fill(agent: string): Promise<void> {
  for (const path of [NOTE, KNOWLEDGE]) {
    const address = `/v1/agents/${agent}/files/${path}?session=s1`;
    for (const body of ["of Bob", "of Bob, too"])
      expect((await ask("bob", address, { method: "PUT", body })).ok).toBe(true);
  }
  await say(ask, { agent, user: "bob", session: "of-bob" }, "I am Bob.", "t1");
}

describe.each(scopes)("what another user has, under the scope %s,", (scope) => {
  const [agent] = scopedAgents[scope];
  const ann = { agent, user: "ann", session: "s1" };

  it("[I6] is answered like what nobody has, on every route", async () => {
    const before = await answersTo(agent);
    await fill(agent);
    const path = `/v1/agents/${agent}/files/${NOTE}?session=s1`;
    expect((await ask("bob", path)).status).toBe(200);
    expect(await answersTo(agent)).toEqual(before);
    expect(await (await ask("bob", path)).text()).toBe("of Bob, too");
  });

  it("[I6] is answered like what nobody has, by every file tool", async () => {
    const empty = scopedAgents[scope][1];
    const absent = await resultsOf(ask, { ...ann, agent: empty }, calls(agent));
    await fill(agent);
    const foreign = await resultsOf(ask, { ...ann, session: "tools" }, calls(agent));
    expect(foreign).toEqual(absent);
  });
});
