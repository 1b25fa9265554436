import { env } from "cloudflare:test";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { outside, resetOutside } from "../support/outside.ts";
import { script, type ScriptedStep } from "../support/scripted-model.ts";
import { callersWithKeys, say, type AskAs } from "./callers.ts";
import {
  askAndNote,
  Canaries,
  type Desk,
  LAST_WORD,
  nameOfDesk,
  ownSpellings,
  spellingsOf,
} from "./canaries.ts";
import { breathe } from "./session-object.ts";
import { ask as askBucket } from "./workspace-object.ts";

/** Legal ids that look like something else, and ids that begin one another. */
const users = ["skills", "agents", "a", "a.b", "A", "users"];
const agents = ["a", "users"];
const sessions = ["a", "users"];
const desks: readonly Desk[] = agents.flatMap((agent) => users.map((user) => ({ agent, user })));

/** Every user once, with one agent or the other: what its tools try takes most of the time. */
const seekers = desks.filter((_, at) => at % 2 === Math.floor(at / users.length));

/** The two users whose files this desk looks for. */
function othersOf({ user }: Desk): string[] {
  const at = users.indexOf(user);
  return [1, 2].flatMap((step) => users[(at + step) % users.length] ?? []);
}

const canaries = new Canaries();
const log: string[] = [];
let ask: AskAs;
let note: ReturnType<typeof askAndNote>;

beforeAll(async () => {
  resetOutside().variables = { SETTLE_QUIET_MS: "0" };
  for (const level of ["debug", "log", "info", "warn", "error"] as const)
    vi.spyOn(console, level).mockImplementation(
      (...said) => void log.push(said.map(String).join(" ")),
    );
  ask = await callersWithKeys(users);
  note = askAndNote(ask, canaries);
  await Promise.all(desks.map(fill));
});

/** A canary in every kind of place. What differs from desk to desk is nothing else. */
async function fill(desk: Desk): Promise<void> {
  const put = async (path: string, body: BodyInit) => {
    const init = { method: "PUT", body, headers: { "idempotency-key": `put-${path.slice(0, 5)}` } };
    expect(await note(desk, `/v1/agents/${desk.agent}/files/${path}`, init)).toBeLessThan(300);
  };
  const word = () => canaries.of(desk);
  await put("AGENTS.md", `Before: ${word()}`);
  await put("AGENTS.md", `# Persona\n${word()}`);
  await put("MEMORY.md", `- ${word()}\n`);
  await put("knowledge/KNOWLEDGE.md", word());
  await put(`knowledge/${word()}.md`, word());
  await put("knowledge/gone.md", word());
  await put("notes/secret.md", `line one\n${word()}\n`);
  await put(`${word()}/plain.md`, "in a directory with a name");
  await put("pictures/raw.bin", new Uint8Array([0, 255, ...new TextEncoder().encode(word())]));
  const gone = `/v1/agents/${desk.agent}/files/knowledge/gone.md`;
  expect(await note(desk, gone, { method: "DELETE" })).toBe(200);
  for (const session of sessions) {
    const message = `I am ${word()}, see @notes/secret.md`;
    const events = await say(ask, { ...desk, session }, message, "t1");
    canaries.shown(desk, "its first turn", JSON.stringify(events));
  }
}

/** Every route of one desk, and everything that may be asked of it. */
function routesOf({ agent }: Desk, others: readonly string[]): string[] {
  const base = `/v1/agents/${agent}`;
  const files = `${base}/files`;
  const paths = [
    ...ownSpellings(agents),
    ...others.flatMap((other) => spellingsOf(agent, other)),
  ].map(encodeURIComponent);
  const layers = ["own", "shared", "template"];
  const versions = Array.from({ length: 14 }, (_, no) => `?version=${no + 1}`);
  const forms = ["?history", "?offset=0&limit=10", "?session=a"];
  return [
    ...["", "?recursive", "?recursive&limit=2&after=A", "?recursive&session=users"].map(
      (query) => `${files}${query}`,
    ),
    ...layers.flatMap((layer) => [
      `${files}?recursive&layer=${layer}`,
      `${files}/AGENTS.md?layer=${layer}`,
    ]),
    ...paths.flatMap((path) => [`${files}/${path}`, `${files}?recursive&path=${path}`]),
    ...["AGENTS.md", "MEMORY.md", "knowledge/gone.md", "notes/secret.md"].flatMap((path) =>
      forms.map((form) => `${files}/${path}${form}`),
    ),
    ...versions.flatMap((version) => [
      `${files}/AGENTS.md${version}`,
      `${files}/knowledge/gone.md${version}`,
    ]),
    ...["", "?layer=all", "?path=notes", "?layer=shared"].map((query) => `${base}/archive${query}`),
    ...others.flatMap((other) =>
      ["files?recursive&", "files/AGENTS.md?", "archive?", "doctor?"].map(
        (route) => `${base}/${route}user=${other}`,
      ),
    ),
    `${base}/doctor`,
    `${base}/sessions`,
    ...sessions.flatMap((session) => [
      ...["", "/state", "/events", "?limit=1", "/permissions", "/mode"].map(
        (rest) => `${base}/sessions/${session}${rest}`,
      ),
      ...["messages", "stream"].map((rest) => `/api/chat/${session}/${rest}?agent=${agent}`),
    ]),
  ];
}

/** Requests that would change something, if a spelling led to it; and those that name somebody else. */
async function meddle(desk: Desk, other: string): Promise<void> {
  const files = `/v1/agents/${desk.agent}/files`;
  for (const spelling of spellingsOf(desk.agent, other)) {
    const path = `${files}/${encodeURIComponent(spelling)}`;
    await note(desk, path, { method: "PUT", body: "overwritten" });
    await note(desk, path, { method: "DELETE" });
  }
  for (const query of [`?user=${other}`, "?layer=shared"]) {
    const path = `${files}/notes/secret.md${query}`;
    expect(await note(desk, path, { method: "PUT", body: "overwritten" })).toBe(403);
    expect(await note(desk, path, { method: "DELETE" })).toBe(403);
  }
  const json = { "content-type": "application/json", "x-carrel-user": other };
  const rescan = JSON.stringify({ agent: desk.agent, user: other });
  const admin = { method: "POST", headers: json, body: rescan };
  expect(await note(desk, "/v1/admin/rescan", admin)).toBe(403);
  const named = { headers: { "x-carrel-user": other } };
  expect(await note(desk, `${files}/AGENTS.md`, named)).toBe(200);
}

/** What an agent tries that looks for another user's files, 25 calls a step. */
function searches(desk: Desk): ScriptedStep[] {
  const call = (name: string, input: object) => ({ name, input: JSON.stringify(input) });
  const paths = [
    ...ownSpellings(agents),
    ...othersOf(desk).flatMap((other) => spellingsOf(desk.agent, other)),
  ];
  const calls = [
    ...paths.flatMap((path, at) => [
      call("read_file", { path }),
      at % 2 === 0
        ? call("list_files", { path, recursive: true })
        : call("grep_files", { pattern: "canary-", path }),
    ]),
    ...["**/*", "**", "*", "../**", "/**/*", "**/*canary*", "{,v1/**/}*.md", "**/.*"].flatMap(
      (pattern) => [
        call("glob_files", { pattern }),
        call("grep_files", { pattern: "can[a]ry", regex: true, glob: pattern }),
      ],
    ),
    ...spellingsOf(desk.agent, othersOf(desk)[0] ?? "").map((path, at) => {
      if (at % 3 === 0) return call("write_file", { path, content: "overwritten" });
      if (at % 3 === 1) return call("move_file", { from: path, to: "notes/taken.md" });
      return call("delete_file", { path });
    }),
  ];
  const steps: ScriptedStep[] = [];
  for (let at = 0; at < calls.length; at += 25) steps.push({ calls: calls.slice(at, at + 25) });
  return steps;
}

describe("no user ever sees what is another's", () => {
  it("[I1] over HTTP, on any route, in any spelling", async () => {
    await Promise.all(
      desks.map(async (desk) => {
        for (const session of sessions) await say(ask, { ...desk, session }, LAST_WORD);
        await meddle(desk, othersOf(desk)[0] ?? "");
        for (const route of routesOf(desk, othersOf(desk))) await note(desk, route);
      }),
    );
    expect(canaries.leaks).toEqual([]);
  });

  it("[I1] by any file tool, in any spelling", async () => {
    await Promise.all(
      seekers.map(async (desk) => {
        const message = script(...searches(desk), { text: "That was all." });
        const events = await say(ask, { ...desk, session: "tools" }, message);
        expect(events.at(-1)).toMatchObject({ type: "turn-end", outcome: "completed" });
        canaries.shown(desk, "tool results", JSON.stringify(events));
      }),
    );
    expect(canaries.leaks).toEqual([]);
  });

  it("[I1] in any prompt or log line, and everybody has seen all that is their own", async () => {
    const { requests } = outside().witness;
    for (const request of requests)
      expect(canaries.ownersIn(JSON.stringify(request)).length).toBeLessThanOrEqual(1);
    const prompted = new Set(requests.flatMap(({ system }) => canaries.ownersIn(system)));
    expect([...prompted].toSorted()).toEqual(desks.map(nameOfDesk).toSorted());
    expect(log.filter((line) => canaries.ownersIn(line).length > 0)).toEqual([]);
    expect(canaries.unseen()).toEqual([]);
  });

  it("[I1, I2] in the store: a bucket's keys and what is under them are its own", async () => {
    for (const desk of desks) await untilSettled(desk);
    const held = new Map<string, Set<string>>();
    for (const { key, text } of await allStored()) {
      const desk = desks.find((one) => key.startsWith(prefixOf(one)));
      const owners = canaries.ownersIn(`${key} ${text}`);
      if (!desk) throw new Error(`nobody's: ${key}`);
      expect(owners.filter((owner) => owner !== nameOfDesk(desk))).toEqual([]);
      const kind = key.slice(0, key.indexOf("/", prefixOf(desk).length) + 1);
      held.set(kind, new Set([...(held.get(kind) ?? []), ...owners]));
    }
    const kinds = [...held.keys()];
    for (const kind of kinds)
      expect(kinds.filter((other) => other.startsWith(kind))).toEqual([kind]);
    for (const desk of desks)
      for (const kind of ["files", "versions", "segments", "blobs"])
        expect(held.get(`${prefixOf(desk)}${kind}/`), kind).toEqual(new Set([nameOfDesk(desk)]));
  });
});

const prefixOf = (desk: Desk) => bucketPrefix({ scope: "USER", ...desk });

async function untilSettled(desk: Desk): Promise<void> {
  for (let unsettled = 1; unsettled > 0; await breathe()) {
    const answer = await askBucket(prefixOf(desk), (api, key) => api.usage(key));
    unsettled = answer.usage.unsettled;
  }
}

async function allStored(): Promise<{ key: string; text: string }[]> {
  const store = env.WORKSPACE as R2Bucket;
  const found: { key: string; text: string }[] = [];
  for (let cursor: string | undefined; ;) {
    const page = await store.list(cursor === undefined ? {} : { cursor });
    for (const { key } of page.objects) {
      const object = await store.get(key);
      const body = object ? await object.text() : "";
      found.push({ key, text: `${JSON.stringify(object?.customMetadata)} ${body}` });
    }
    if (!page.truncated) return found;
    cursor = page.cursor;
  }
}
