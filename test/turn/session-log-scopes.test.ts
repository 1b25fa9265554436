import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../../src/session/entries.ts";
import { bucketPrefix } from "../../src/shared/bucket-key.ts";
import { noUsage } from "../../src/shared/messages.ts";
import type { SessionAddress } from "../../src/shared/session-address.ts";
import type { BucketApi } from "../../src/shared/bucket-api.ts";
import type { ChangeRequest } from "../../src/shared/workspace-changes.ts";
import { sessionLog } from "../../src/turn/records/session-log.ts";
import {
  createWorkspace,
  type CallBucket,
  type IsolationScope,
} from "../../src/workspace/workspace.ts";
import { LogFiles } from "../support/log-files.ts";

const scopes: readonly IsolationScope[] = ["SESSION", "USER", "AGENT", "GLOBAL"];

/** All buckets of a deployment, each made when it is first called; every call notes whom it called. */
function manyBuckets() {
  const buckets = new Map<string, LogFiles>();
  const calls: string[] = [];
  const callBucket: CallBucket = (bucket, call) => {
    const files = buckets.get(bucket) ?? new LogFiles();
    buckets.set(bucket, files);
    const change = async (key: string, request: ChangeRequest) => {
      expect(key).toBe(bucket);
      calls.push(key);
      return { ok: true as const, changed: await files.workspace.change(request) };
    };
    return call({ change } as unknown as BucketApi);
  };
  return { buckets, calls, callBucket };
}

const entries: readonly JournalEntry[] = [
  { seq: 1, turn: "t1", at: 0, kind: "user", content: [{ type: "text", text: "hi" }] },
  { seq: 3, turn: "t1", at: 5, kind: "end", outcome: "completed", usage: noUsage, steps: 0 },
];

/** The work after a turn of the session at `address`, in which `opening` was said. */
async function exportTurn(
  scope: IsolationScope,
  address: SessionAddress,
  callBucket: CallBucket,
  opening: string,
): Promise<void> {
  await sessionLog.afterTurns?.(
    {
      address,
      now: () => 0,
      zone: "UTC",
      workspace: createWorkspace(scope, address, callBucket),
      signal: new AbortController().signal,
      opening,
      title: opening,
      learn: () => {},
    },
    [{ turn: "t1", entries }],
  );
}

const id = fc.oneof(
  fc.constantFrom(
    "a",
    "A",
    "agents",
    "sessions",
    "users",
    "shared",
    "a..",
    "0-_.",
    "sessions.json",
  ),
  fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,5}$/),
);
const addresses = fc.uniqueArray(fc.record({ agent: id, user: id, session: id }), {
  selector: ({ agent, user, session }) => `${agent}/${user}/${session}`,
  minLength: 2,
  maxLength: 8,
});

describe("the records of sessions", () => {
  it.each(scopes)(
    "[I3] of the same id under two users and two agents are apart, and their user's, in scope %s",
    async (scope) => {
      const { buckets, calls, callBucket } = manyBuckets();
      for (const agent of ["main", "other"])
        for (const user of ["ann", "bob"])
          await exportTurn(scope, { agent, user, session: "s" }, callBucket, `${agent} ${user}`);
      expect(calls).toEqual([
        "v1/agents/main/users/ann/",
        "v1/agents/main/users/bob/",
        "v1/agents/other/users/ann/",
        "v1/agents/other/users/bob/",
      ]);
      for (const [key, files] of buckets) {
        const [, , agent = "", , user = ""] = key.split("/");
        const directory = `agents/${agent}/sessions`;
        expect([...files.files.keys()]).toEqual([
          `${directory}/s.log.jsonl`,
          `${directory}/sessions.json`,
        ]);
        expect(files.lines(`${directory}/s.log.jsonl`)).toEqual(entries);
        expect(files.files.get(`${directory}/sessions.json`)).toContain(`"${agent} ${user}"`);
      }
    },
  );

  it("[I2, I3] never meet, whatever their ids, in any scope: neither files nor what was done", async () => {
    await fc.assert(
      fc.asyncProperty(addresses, fc.constantFrom(...scopes), async (all, scope) => {
        const { buckets, callBucket } = manyBuckets();
        for (const [no, address] of all.entries())
          await exportTurn(scope, address, callBucket, `session ${no}`);
        for (const [no, { agent, user, session }] of all.entries()) {
          const files = buckets.get(bucketPrefix({ scope: "USER", agent, user }));
          const directory = `agents/${agent}/sessions`;
          expect(files?.lines(`${directory}/${session}.log.jsonl`)).toEqual(entries);
          const index = JSON.parse(files?.files.get(`${directory}/sessions.json`) ?? "") as unknown;
          expect(index).toMatchObject({ sessions: { [session]: { summary: `session ${no}` } } });
        }
        const ops = [...buckets.values()].flatMap((files) => [...files.ops]);
        expect(new Set(ops).size).toBe(all.length);
        for (const key of buckets.keys())
          expect(key).toMatch(/^v1\/agents\/[^/]+\/users\/[^/]+\/$/);
      }),
      { numRuns: 200, seed: 3 },
    );
  });

  it("[I4] are written in the name of the job, with the identity of the session that it works for", async () => {
    const { buckets, callBucket } = manyBuckets();
    await exportTurn("GLOBAL", { agent: "main", user: "ann", session: "s" }, callBucket, "hi");
    const [[key, files] = ["", new LogFiles()]] = buckets;
    expect(key).toBe("v1/agents/main/users/ann/");
    expect(files.requests.map(({ by }) => by)).toEqual(["job:session-log"]);
  });

  it("[I3] are the user's own in every spelling, and what the scope shares is not", async () => {
    const address = { agent: "main", user: "ann", session: "s" };
    for (const scope of scopes) {
      const { calls, callBucket } = manyBuckets();
      const workspace = createWorkspace(scope, address, callBucket);
      const write = (path: string) =>
        workspace.change({ by: "user:ann", changes: [{ kind: "append", path, text: "x" }] });
      const mine = "v1/agents/main/users/ann/";
      for (const path of ["agents/a", "/agents/a", "./agents//a", "plans/s/PLAN.md"])
        await write(path);
      await write("large_tool_results/r.txt");
      expect(new Set(calls)).toEqual(new Set([mine]));
      await write("AGENTS.md");
      await write("agents.md");
      await write("notes/agents/a");
      const home = {
        SESSION: `${mine}sessions/s/`,
        USER: mine,
        AGENT: "v1/agents/main/shared/",
        GLOBAL: "v1/global/",
      };
      expect(calls.slice(-3)).toEqual(Array(3).fill(home[scope]));
    }
  });
});
