import { env, runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import { platformSql } from "../../durable-objects/sql.ts";
import type { Doctor } from "../../src/doctor.ts";
import type { ModelRequest } from "../../src/model/model.ts";
import { sessionTables } from "../../src/session/schema.ts";
import { readState } from "../../src/session/state-documents.ts";
import { sessionKey } from "../../src/shared/ids.ts";
import { fileTools } from "../../src/tools/files/file-tools.ts";
import { switches } from "../support/agents.ts";
import { outside, resetOutside } from "../support/outside.ts";
import { callersWithKeys, say, type AskAs } from "./callers.ts";
import { filesOf } from "./scope-lab.ts";
import { breathe } from "./session-object.ts";

/** What came of two turns of one user, the first of which names a file. */
type Seen = {
  readonly fileTools: number;
  readonly persona: boolean;
  readonly attached: boolean;
  readonly remembered: boolean;
  readonly log: boolean;
  readonly index: boolean;
  readonly memoryTools: number;
  /** Whether what was said was read for its memory. */
  readonly flushed: boolean;
};

const everything: Seen = {
  fileTools: fileTools.length,
  persona: true,
  attached: true,
  remembered: true,
  log: true,
  index: true,
  memoryTools: 7,
  flushed: true,
};

/** What each switch takes away, and nothing else. */
const without: Readonly<Record<(typeof switches)[number], Partial<Seen>>> = {
  disableFilesystemTools: { fileTools: 0 },
  disableAtPathExpansion: { attached: false },
  disableTranscript: { log: false, index: false },
  disableSessionPersistence: { remembered: false, log: false, index: false },
  disableWorkspaceContext: { persona: false },
  disableMemoryTools: { memoryTools: 0 },
  disableMemoryHooks: { flushed: false },
};

const memoryTools = [
  "memory_save",
  "memory_search",
  "memory_get",
  "memory_forget",
  "session_search",
  "session_list",
  "session_history",
];

const agents = ["all-on", ...switches];

type Talk = { readonly first: ModelRequest; readonly second: ModelRequest };

const talks = new Map<string, Talk>();
let ask: AskAs;

beforeAll(async () => {
  resetOutside();
  ask = await callersWithKeys(["ann"]);
  for (const agent of agents) talks.set(agent, await talkWith(agent));
  await Promise.all(agents.map(untilIdle));
});

const speaker = (agent: string) => ({ agent, user: "ann", session: "s1" });

async function talkWith(agent: string): Promise<Talk> {
  for (const [path, body] of [
    ["AGENTS.md", "You are a kiwi."],
    ["notes/a.md", "Kiwis sleep by day."],
  ] as const)
    await ask("ann", filesOf(speaker(agent), path), { method: "PUT", body });
  const { requests } = outside().witness;
  const before = requests.length;
  await say(ask, speaker(agent), "When do they sleep? @notes/a.md");
  await say(ask, speaker(agent), "Thanks.");
  // Memory of the agents before is read meanwhile, without tools.
  const [first, second, ...others] = requests.slice(before).filter(({ tools }) => tools.length > 0);
  if (!first || !second || others.length > 0) throw new Error("not two requests");
  return { first, second };
}

/** Until nothing of the agent's session waits to be done, so that what is not there then never comes. */
async function untilIdle(agent: string): Promise<void> {
  const stub = env.SESSIONS.getByName(sessionKey(speaker(agent)));
  const jobs = () =>
    runInDurableObject(stub, (_, state) =>
      sessionTables(platformSql(state.storage)).all("SELECT id FROM job"),
    );
  while ((await jobs()).length > 0) await breathe();
}

const isFlushed = (agent: string): Promise<boolean> =>
  runInDurableObject(
    env.SESSIONS.getByName(sessionKey(speaker(agent))),
    (_, state) => readState(sessionTables(platformSql(state.storage)), "notes:memory") !== null,
  );

const isThere = async (agent: string, path: string): Promise<boolean> => {
  const response = await ask("ann", filesOf(speaker(agent), `agents/${agent}/sessions/${path}`));
  expect([200, 404]).toContain(response.status);
  return response.ok;
};

function talkOf(agent: string): Talk {
  const talk = talks.get(agent);
  if (!talk) throw new Error(`nobody talked with ${agent}`);
  return talk;
}

async function seenOf(agent: string): Promise<Seen> {
  const { first, second } = talkOf(agent);
  const offered = new Set(first.tools.map(({ name }) => name));
  const told = JSON.stringify(first.messages);
  return {
    fileTools: fileTools.filter(({ name }) => offered.has(name)).length,
    persona: first.system.includes("You are a kiwi."),
    attached: told.includes("Kiwis sleep by day."),
    remembered: JSON.stringify(second.messages).includes("When do they sleep?"),
    log: await isThere(agent, "s1.log.jsonl"),
    index: await isThere(agent, "sessions.json"),
    memoryTools: memoryTools.filter((name) => offered.has(name)).length,
    flushed: await isFlushed(agent),
  };
}

describe("an agent", () => {
  it("has everything that no switch takes away", async () => {
    expect(await seenOf("all-on")).toEqual(everything);
  });

  it.each(switches)("with %s lacks just that", async (agent) => {
    expect(await seenOf(agent)).toEqual({ ...everything, ...without[agent] });
  });

  it.each(agents)("[C9] %s is told by the doctor as the model meets it", async (agent) => {
    const response = await ask("ann", `/v1/agents/${agent}/doctor?session=s1`);
    const doctor: Doctor = await response.json();
    const description = agent === "all-on" ? "Has everything." : null;
    expect(doctor.agent).toEqual({ id: agent, name: agent, description });
    const { tools, system } = talkOf(agent).first;
    expect(doctor.tools.offered.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    // The prompt names the day, which may have got a second digit since.
    expect(Math.abs(doctor.prompt.chars - system.length)).toBeLessThanOrEqual(1);
    expect(doctor).toMatchObject({ records: null, perTurn: [] });
  });
});
