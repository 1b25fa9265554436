import { cpuOf } from "../server.mjs";
import { Session } from "../session.mjs";
import { withMockTimes } from "../statistics.mjs";
import { summary } from "./turns.mjs";

const BLOCK = 10;

/**
 * Text turns in sessions of several lengths, in interleaved blocks. The shortest is a new session for each block, with
 * as many turns before it as fill the context up: then all have the same 20 messages in it.
 */
export async function measureGrowth(server, mock, { lengths, rounds, sessionId }) {
  const [shortest, ...longer] = lengths;
  const grown = new Map();
  for (const length of longer)
    grown.set(length, await grow(server, `${sessionId}-${length}`, length));
  const seen = new Map(lengths.map((length) => [length, { records: [], cpu: 0 }]));
  for (let round = 0; round < rounds; round++) {
    for (const length of lengths) {
      const session =
        grown.get(length) ??
        (await grow(server, `${sessionId}-${shortest}-${round}`, shortest + BLOCK));
      const { records, cpu } = await block(server, mock, session);
      const all = seen.get(length);
      all.records.push(...records);
      all.cpu += cpu;
    }
  }
  return [...seen].map(([length, { records, cpu }]) => [length, summary(records, cpu)]);
}

async function grow(server, sessionId, length) {
  const session = await new Session(server.target, "u1", sessionId).open();
  while (session.stored < length) await session.turn();
  return session;
}

async function block(server, mock, session) {
  await mock.takeLog();
  const before = cpuOf(server.pid);
  const records = [];
  for (let turn = 0; turn < BLOCK; turn++) records.push(await session.turn());
  const cpu = cpuOf(server.pid) - before;
  return { records: await withMockTimes(mock, records), cpu };
}
