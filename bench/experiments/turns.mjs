import { sleep } from "../clock.mjs";
import { cpuOf } from "../server.mjs";
import { Session } from "../session.mjs";
import { median, quantile, withMockTimes } from "../statistics.mjs";

/** Turns of one session in a row: all its targets then hold the same 0 to 20 messages. */
const BLOCK = 10;

/**
 * Turns of one kind on all servers, in interleaved blocks, each block a new session: what disturbs one target
 * disturbs them all. Gives for each target the medians, and the CPU of its server a turn.
 */
export async function measureTurns(servers, mock, { name, rounds, ...kind }) {
  const seen = new Map(servers.map((server) => [server, { records: [], cpu: 0 }]));
  for (let round = 0; round < rounds; round++) {
    const inOrder = round % 2 === 0 ? servers : servers.toReversed();
    for (const server of inOrder) {
      const { records, cpu } = await block(server, mock, `${name}-${round}`, kind);
      const all = seen.get(server);
      all.records.push(...records);
      all.cpu += cpu;
    }
  }
  return [...seen].map(([server, { records, cpu }]) => [server.target.name, summary(records, cpu)]);
}

async function block(server, mock, sessionId, kind) {
  const session = await new Session(server.target, "u1", sessionId).open();
  await session.turn(kind);
  const before = cpuOf(server.pid);
  const records = [];
  for (let turn = 0; turn < BLOCK; turn++) records.push(await session.turn(kind));
  const cpu = cpuOf(server.pid) - before;
  session.close();
  await sleep(20);
  return { records: await withMockTimes(mock, records), cpu };
}

export function summary(records, cpu) {
  const of = (field) => median(records.map((record) => record[field]));
  return {
    over: of("over"),
    overP95: quantile(
      records.map((record) => record.over),
      0.95,
    ),
    firstOver: of("firstOver"),
    before: of("before"),
    between: of("between"),
    relay: of("relay"),
    tail: of("tail"),
    up: of("up"),
    down: of("down"),
    events: of("events"),
    requestBytes: of("requestBytes"),
    cpu: cpu / records.length,
  };
}

/** Turns nobody counts, so that code is compiled before anything is measured. */
export async function warmUp(servers, mock, turns) {
  for (const server of servers) {
    for (const mode of ["text", "tool"]) {
      const session = await new Session(server.target, "warm", `warm-${mode}`).open();
      for (let turn = 0; turn < turns; turn++) await session.turn({ mode });
      session.close();
    }
  }
  await mock.takeLog();
}
