import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { beforeEach, describe, expect, it } from "vitest";
import { resetOutside } from "../support/outside.ts";
import { script } from "../support/scripted-model.ts";
import { breathe, clientOf, sessionStub, tablesOf } from "./session-object.ts";

beforeEach(() => {
  resetOutside().pause = breathe;
});

type Cost = { readonly statements: number; readonly read: number; readonly written: number };

/** What `work` costs the session's object, with what it leaves to be done later, as the platform counts and bills it. */
async function costOf(session: string, work: () => Promise<void>): Promise<Cost> {
  const cursors: SqlStorageCursor<Record<string, SqlStorageValue>>[] = [];
  await runInDurableObject(sessionStub(session), (_, state) => {
    const { sql } = state.storage;
    const exec = sql.exec.bind(sql);
    sql.exec = ((query, ...bindings) => {
      const cursor = exec(query, ...bindings);
      cursors.push(cursor);
      return cursor;
    }) as typeof sql.exec;
  });
  await work();
  await rest(session, () => cursors.pop());
  return runInDurableObject(sessionStub(session), () => ({
    statements: cursors.length,
    read: cursors.reduce((sum, { rowsRead }) => sum + rowsRead, 0),
    written: cursors.reduce((sum, { rowsWritten }) => sum + rowsWritten, 0),
  }));
}

/** Waits until nothing is left to be done after the turns of a session. `looked` is told of each look at its rows. */
async function rest(session: string, looked: () => void = () => {}): Promise<void> {
  for (let isBusy = true; isBusy;) {
    await breathe();
    isBusy = await runInDurableObject(sessionStub(session), (_, { storage: { sql } }) => {
      const jobs = sql.exec("SELECT id FROM job").toArray();
      looked();
      return jobs.length > 0;
    });
  }
}

/** A session that has had `turns` turns, as they would have left it; five of them are its context. */
async function sessionWith(session: string, turns: number): Promise<void> {
  await clientOf(session).talk("t1", { message: "The first of many." });
  await rest(session);
  await runInDurableObject(sessionStub(session), (_, { storage: { sql } }) => {
    const numbers = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < ?)";
    sql.exec(
      `${numbers} INSERT INTO journal(seq, turn, kind, at, body)
       SELECT seq + 3 * x, 'old-' || x, kind, at, body FROM n, journal`,
      turns - 1,
    );
    sql.exec(
      `${numbers} INSERT INTO turn(id, no, digest, state, accepted_at, start, attempt, epoch)
       SELECT 'old-' || x, 1 + 3 * x, digest, state, accepted_at, 1 + 3 * x, 2 + 3 * x, epoch
       FROM n, turn`,
      turns - 1,
    );
    const from = 1 + 3 * (turns - 5);
    sql.exec("INSERT INTO state(name, body) VALUES ('context', ?)", JSON.stringify({ from }));
  });
  await evictDurableObject(sessionStub(session));
}

const message = script(
  { text: "Let me see.", calls: [{ name: "keyed_thing", input: '{"label": "k"}' }] },
  { text: "That is it." },
);

describe("a turn", () => {
  it("[T12] costs in a session of 2,000 messages what it costs in one of 10, asleep and awake", async () => {
    const costs: { asleep: Cost; awake: Cost }[] = [];
    for (const turns of [5, 1_000]) {
      const session = `of-${turns}`;
      await sessionWith(session, turns);
      const client = clientOf(session);
      const asleep = await costOf(session, () => client.talk("new-1", { message }));
      const awake = await costOf(session, () => client.talk("new-2", { message }));
      costs.push({ asleep, awake });
      const { turns: rows, journal } = await tablesOf(session);
      expect([rows.length, journal.length]).toEqual([turns + 2, 3 * turns + 2 * 6]);
    }
    const [few, many] = costs;
    expect(many).toEqual(few);
    expect(many?.awake.statements).toBeLessThanOrEqual(25);
    expect(many?.awake.written).toBeLessThanOrEqual(13);
  });

  it("[T12] of text alone costs at most 15 statements and 9 rows written, its log included", async () => {
    const client = clientOf("text");
    await client.talk("t1", { message: "Hello." });
    await rest("text");
    const cost = await costOf("text", () => client.talk("t2", { message: "And again." }));
    expect(cost.statements).toBeLessThanOrEqual(15);
    expect(cost.written).toBeLessThanOrEqual(9);
  });

  it("[S3] costs with ten readers what it costs with none", async () => {
    const client = clientOf("read");
    await client.talk("t1", { message });
    await rest("read");
    const alone = await costOf("read", () => client.talk("t2", { message }));
    const readers = clientOf("read");
    const reading = Array.from({ length: 10 }, () =>
      readers.follow((event) => event.type === "turn-end" && event.turn === "t3"),
    );
    const isLate = (stream: readonly unknown[]) =>
      stream.length < (readers.streams[0]?.length ?? 0);
    do await breathe();
    while (readers.streams.some((stream) => stream.length === 0 || isLate(stream)));
    const together = await costOf("read", () => client.talk("t3", { message }));
    await Promise.all(reading);
    expect(together).toEqual(alone);
  });
});
